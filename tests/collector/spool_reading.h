// Reading back what the collector wrote, in a few lines: control block, published records, texts.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "collector/spool/record_sink.h"
#include "schemas/loss_counters.h"
#include "schemas/spool_format.h"
#include "schemas/spool_names.h"

namespace perfscope::test {

// Typed access to a list of records.
struct Records {
  std::vector<spool::Record> all;

  [[nodiscard]] static spool::Kind kindOf(const spool::Record& record) {
    spool::RecordHead head{};
    std::memcpy(&head, record.bytes, sizeof(head));
    return head.kind;
  }
  template <class T>
  [[nodiscard]] std::vector<T> of(spool::Kind kind) const {
    std::vector<T> found;
    for (const auto& record : all) {
      if (kindOf(record) != kind) continue;
      T value;
      std::memcpy(&value, record.bytes, sizeof(value));
      found.push_back(value);
    }
    return found;
  }
  [[nodiscard]] size_t count(spool::Kind kind) const { return of<spool::Record>(kind).size(); }
  [[nodiscard]] std::map<uint32_t, std::string> texts() const {
    std::map<uint32_t, std::string> texts;
    for (const auto& chunk : of<spool::StringChunk>(spool::Kind::StringChunk))
      texts[chunk.string_id].append(chunk.text, chunk.length);
    return texts;
  }
  [[nodiscard]] std::string text(uint32_t id) const {
    const auto all_texts = texts();
    const auto found = all_texts.find(id);
    return found == all_texts.end() ? "?" : found->second;
  }
  // A sink that appends here.
  [[nodiscard]] collector::RecordSink sink() {
    return {this, [](void* self, const spool::Record& r) { static_cast<Records*>(self)->all.push_back(r); }};
  }
};

inline std::string fileBytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

// The published records of every segment of a process folder, in order.
inline Records readSpool(const std::filesystem::path& folder) {
  Records records;
  for (uint32_t sequence = 1;; ++sequence) {
    const auto path = folder / segmentFileName(sequence);
    if (!std::filesystem::exists(path)) return records;
    const std::string bytes = fileBytes(path);
    uint32_t published = 0;
    std::memcpy(&published, bytes.data() + offsetof(spool::SegmentHeader, published), sizeof(published));
    for (uint32_t i = 0; i < published; ++i) {
      spool::Record record;
      std::memcpy(record.bytes, bytes.data() + spool::kSegmentHeaderBytes + size_t{i} * spool::kRecordBytes,
                  spool::kRecordBytes);
      records.all.push_back(record);
    }
  }
}

// A copy of the control file of a process folder.
struct Control {
  std::string bytes;
  [[nodiscard]] const spool::ControlBlock& block() const {
    return *reinterpret_cast<const spool::ControlBlock*>(bytes.data());
  }
  [[nodiscard]] uint64_t loss(Loss which) const { return block().loss[static_cast<size_t>(which)].load(); }
};
inline Control readControl(const std::filesystem::path& folder) {
  return Control{fileBytes(folder / kControlFileName)};
}

// The process folders of a session, in no order.
inline std::vector<std::filesystem::path> processFolders(const std::filesystem::path& session) {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(session))
    if (entry.is_directory()) folders.push_back(entry.path());
  return folders;
}

}  // namespace perfscope::test
