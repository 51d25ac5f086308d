// Row ids of a small table -> dense indices, so that big tables store 2 or 4 bytes instead of 8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace perfscope {

// Ids are nearly always 1..n: those are looked up in an array, all others in a hash map. Immutable after
// building; safe to read from several threads.
class IdMap {
 public:
  static constexpr uint32_t kMissing = std::numeric_limits<uint32_t>::max();

  void add(int64_t id, uint32_t index) {
    if (id >= 0 && id < kDenseLimit) {
      if (static_cast<size_t>(id) >= m_dense.size()) m_dense.resize(static_cast<size_t>(id) + 1, kMissing);
      m_dense[static_cast<size_t>(id)] = index;
    } else {
      m_sparse[id] = index;
    }
  }

  [[nodiscard]] uint32_t find(int64_t id) const {
    if (id >= 0 && static_cast<size_t>(id) < m_dense.size()) return m_dense[static_cast<size_t>(id)];
    if (m_sparse.empty()) return kMissing;
    const auto found = m_sparse.find(id);
    return found == m_sparse.end() ? kMissing : found->second;
  }

 private:
  static constexpr int64_t kDenseLimit = 1 << 22;  // 16 MiB at most, whatever ids a file claims
  std::vector<uint32_t> m_dense;
  std::unordered_map<int64_t, uint32_t> m_sparse;
};

}  // namespace perfscope
