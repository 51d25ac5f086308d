// Sets of disjoint intervals: built by one sort and sweep, asked by binary search.
#include "analysis/timeline/intervals.h"

namespace perfscope {

IntervalSet::IntervalSet(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.start < b.start; });
  for (const Interval& interval : intervals) {
    if (interval.length() == 0) continue;
    if (!m_intervals.empty() && interval.start <= m_intervals.back().end) {
      m_intervals.back().end = std::max(m_intervals.back().end, interval.end);
    } else {
      m_intervals.push_back(interval);
    }
  }
}

int64_t IntervalSet::length() const {
  int64_t total = 0;
  for (const Interval& interval : m_intervals) total += interval.length();
  return total;
}

std::vector<Interval>::const_iterator IntervalSet::firstEndingAfter(int64_t time) const {
  return std::partition_point(m_intervals.begin(), m_intervals.end(),
                              [time](const Interval& interval) { return interval.end <= time; });
}

int64_t IntervalSet::covered(Interval range) const {
  int64_t total = 0;
  for (auto it = firstEndingAfter(range.start); it != m_intervals.end() && it->start < range.end; ++it) {
    total += intersection(*it, range).length();
  }
  return total;
}

std::optional<Interval> IntervalSet::at(int64_t time) const {
  const auto it = std::partition_point(m_intervals.begin(), m_intervals.end(),
                                       [time](const Interval& interval) { return interval.end < time; });
  if (it == m_intervals.end() || it->start > time) return std::nullopt;
  return *it;
}

std::vector<Interval> IntervalSet::overlapping(Interval range) const {
  std::vector<Interval> found;
  for (auto it = firstEndingAfter(range.start); it != m_intervals.end() && it->start < range.end; ++it) {
    found.push_back(*it);
  }
  return found;
}

}  // namespace perfscope
