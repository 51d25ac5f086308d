// Arithmetic of half-open intervals [start, end) in integer ns: unions, intersections, coverage. Two
// intervals that touch have neither overlap nor gap; empty ones count for nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace perfscope {

struct Interval {
  int64_t start = 0, end = 0;
  [[nodiscard]] int64_t length() const { return end > start ? end - start : 0; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

inline constexpr Interval kAllTime{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};

inline Interval intersection(Interval a, Interval b) {
  return {std::max(a.start, b.start), std::min(a.end, b.end)};
}

// Length of the union of intervals that come in order of their start; constant memory.
class UnionLength {
 public:
  // Precondition: start does not fall from one call to the next. An empty interval changes nothing.
  void add(int64_t start, int64_t end) {
    if (end <= start) return;
    if (start >= m_end) {
      m_closed += m_end - m_start;
      m_start = start;
      m_end = end;
    } else if (end > m_end) {
      m_end = end;
    }
  }
  [[nodiscard]] int64_t length() const { return m_closed + (m_end - m_start); }

 private:
  int64_t m_closed = 0;
  int64_t m_start = std::numeric_limits<int64_t>::min(), m_end = m_start;
};

// A union that can be asked: disjoint intervals in order. Immutable after building.
class IntervalSet {
 public:
  IntervalSet() = default;
  explicit IntervalSet(std::vector<Interval> intervals);  // any order, overlaps allowed, empty ones dropped

  [[nodiscard]] int64_t length() const;
  // |set ∩ [range)|
  [[nodiscard]] int64_t covered(Interval range) const;
  // The member that holds the moment: start <= time <= end (closed: "was it still going on then").
  [[nodiscard]] std::optional<Interval> at(int64_t time) const;
  // The members that share at least one ns with the range.
  [[nodiscard]] std::vector<Interval> overlapping(Interval range) const;
  [[nodiscard]] bool empty() const { return m_intervals.empty(); }
  [[nodiscard]] const std::vector<Interval>& intervals() const { return m_intervals; }

 private:
  [[nodiscard]] std::vector<Interval>::const_iterator firstEndingAfter(int64_t time) const;
  std::vector<Interval> m_intervals;
};

}  // namespace perfscope
