// NVTX ranges that the collector told of while they were still open: kept until their end comes, or the end
// of the process.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "schemas/spool_format.h"

namespace perfscope {

// One process, one thread. Holds no more than the program has open at a time.
class OpenRanges {
 public:
  void keep(const spool::NvtxRange& range) { m_ranges.insert_or_assign(keyOf(range), range); }
  // Its end is known, or never will be.
  void forget(const spool::NvtxRange& range) {
    if (!m_ranges.empty()) m_ranges.erase(keyOf(range));
  }
  // Those that were never ended, by their begin.
  std::vector<spool::NvtxRange> takeAll() {
    std::vector<spool::NvtxRange> all;
    for (const auto& [ignored, range] : m_ranges) all.push_back(range);
    m_ranges.clear();
    return all;
  }
  void collect(std::vector<spool::Record>& records) const {
    for (const auto& [ignored, range] : m_ranges) {
      spool::Record raw{};
      __builtin_memcpy(raw.bytes, &range, sizeof range);
      records.push_back(raw);
    }
  }

 private:
  using Key = std::tuple<uint64_t, uint32_t, uint32_t, uint32_t, uint16_t, bool>;
  static Key keyOf(const spool::NvtxRange& r) {
    return {r.start_ns,  r.head.thread, r.text_id,
            r.domain_id, r.depth,       (r.head.flags & spool::kFlagStartEnd) != 0};
  }
  std::map<Key, spool::NvtxRange> m_ranges;
};

}  // namespace perfscope
