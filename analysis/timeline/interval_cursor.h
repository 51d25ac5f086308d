// Reading positions in sorted intervals and instants for questions that come in order of time: constant time
// each.
#pragma once

#include <utility>

#include "analysis/timeline/intervals.h"

namespace perfscope {

// Owner: one thread. Questions about an earlier time than the last one are answered too, only slower.
class IntervalCursor {
 public:
  IntervalCursor() = default;
  explicit IntervalCursor(IntervalSet set) : m_set(std::move(set)) {}

  [[nodiscard]] int64_t covered(Interval range) {
    seek(range.start);
    int64_t total = 0;
    const auto& all = m_set.intervals();
    for (size_t i = m_at; i < all.size() && all[i].start < range.end; ++i) {
      total += intersection(all[i], range).length();
    }
    return total;
  }
  // The interval going on at that moment, its ends included.
  [[nodiscard]] std::optional<Interval> at(int64_t time) {
    seek(time);
    const auto& all = m_set.intervals();
    if (m_at < all.size() && all[m_at].start <= time) return all[m_at];
    return std::nullopt;
  }
  [[nodiscard]] bool empty() const { return m_set.empty(); }

 private:
  // To the first interval that does not end before `time`.
  void seek(int64_t time) {
    const auto& all = m_set.intervals();
    if (m_at > 0 && all[m_at - 1].end >= time) m_at = 0;
    while (m_at < all.size() && all[m_at].end < time) ++m_at;
  }
  IntervalSet m_set;
  size_t m_at = 0;
};

class InstantCursor {
 public:
  void add(int64_t time) { m_times.push_back(time); }
  void sort() { std::sort(m_times.begin(), m_times.end()); }
  // True when an instant lies in [range.start, range.end].
  [[nodiscard]] bool any(Interval range) {
    if (m_at > 0 && m_times[m_at - 1] >= range.start) m_at = 0;
    while (m_at < m_times.size() && m_times[m_at] < range.start) ++m_at;
    return m_at < m_times.size() && m_times[m_at] <= range.end;
  }

 private:
  std::vector<int64_t> m_times;
  size_t m_at = 0;
};

}  // namespace perfscope
