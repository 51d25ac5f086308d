// Records that name something which has not arrived yet (a text, a launch shape, a device): kept until it
// does.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schemas/spool_format.h"

namespace perfscope {

enum class Missing : uint8_t { Text, Shape, Device };

// Bounded: beyond the limit the caller must do without what is missing. One process, one thread.
class DeferredRecords {
 public:
  explicit DeferredRecords(size_t limit = size_t{1} << 18) : m_limit(limit) {}

  // False when the limit is reached.
  bool keep(Missing what, uint32_t id, const spool::Record& record) {
    if (m_count >= m_limit) return false;
    m_records[key(what, id)].push_back(record);
    ++m_count;
    return true;
  }
  // Those that waited for this, in the order they came.
  std::vector<spool::Record> take(Missing what, uint32_t id) {
    if (m_count == 0) return {};
    const auto found = m_records.find(key(what, id));
    if (found == m_records.end()) return {};
    std::vector<spool::Record> records = std::move(found->second);
    m_count -= records.size();
    m_records.erase(found);
    return records;
  }
  std::vector<spool::Record> takeAll() {
    std::vector<spool::Record> all;
    for (auto& [ignored, records] : m_records) all.insert(all.end(), records.begin(), records.end());
    m_records.clear();
    m_count = 0;
    return all;
  }
  void collect(std::vector<spool::Record>& records) const {
    for (const auto& [ignored, waiting] : m_records)
      records.insert(records.end(), waiting.begin(), waiting.end());
  }
  [[nodiscard]] size_t count() const { return m_count; }

 private:
  static uint64_t key(Missing what, uint32_t id) { return (static_cast<uint64_t>(what) << 32) | id; }
  size_t m_limit;
  size_t m_count = 0;
  std::unordered_map<uint64_t, std::vector<spool::Record>> m_records;
};

}  // namespace perfscope
