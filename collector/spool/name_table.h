// Texts -> string ids of this process: the text itself goes to the spool once, before its first use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "collector/hot/loss_tally.h"
#include "collector/spool/record_sink.h"

namespace perfscope::collector {

// Drain thread only. Fixed capacity: a text that finds the table full is written again under a new id
// (Loss::StringTableFull), so a program that makes up names cannot grow the target's memory. Texts are told
// apart by a 64-bit hash and their length: among 10^6 texts a clash has a probability of about 3e-8.
class NameTable {
 public:
  NameTable(RecordSink sink, LossTally& losses, size_t capacity = 65536);
  // From 1; the same text gives the same id.
  uint32_t intern(std::string_view text) noexcept;

 private:
  struct Entry {
    uint64_t hash;
    uint32_t length, id;
  };
  void write(uint32_t id, std::string_view text) noexcept;

  RecordSink m_sink;
  LossTally& m_losses;
  size_t m_mask;
  size_t m_limit;
  size_t m_used = 0;
  uint32_t m_next_id = 1;
  std::unique_ptr<Entry[]> m_entries;
};

// 64-bit hash of bytes, eight at a time (a multiply-fold mix; not for hostile input).
uint64_t hashBytes(const void* data, size_t bytes) noexcept;

}  // namespace perfscope::collector
