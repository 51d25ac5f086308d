// One walk over the samples and the activities of a GPU, both in order of time: hands out one row of the
// design matrix a sample. Memory depends on what runs at once, not on how much there is.
#pragma once

#include <algorithm>
#include <vector>

#include "analysis/counters/counter_samples.h"
#include "analysis/timeline/interval_cursor.h"

namespace perfscope {

// How activities become columns: one for each signature, one for idle time, and one for the time just after
// the end of a signature where `lag_column` says so (what its writes need to reach the memory).
struct RowShape {
  size_t signatures = 0;
  int64_t skew_ns = 0;  // clock of the samples + skew = clock of the activities
  int64_t lag_ns = 0;
  std::vector<int32_t> lag_column;  // by signature; -1 = none; empty = no lag at all
  size_t lag_count = 0;

  [[nodiscard]] size_t idleColumn() const { return signatures; }
  [[nodiscard]] size_t columns() const { return signatures + 1 + lag_count; }
};

// Overlaps in microseconds of the columns named in `touched`; all others are 0.
struct SampleRow {
  size_t set = 0, index = 0;  // which sample
  double duration_us = 0;
  std::vector<uint32_t> touched;
  std::vector<double> overlap_us;  // by column
};

// Owner: one thread. `activities` sorted by start; both must outlive the sweep.
class SampleSweep {
 public:
  SampleSweep(const std::vector<Activity>& activities, const RowShape& shape)
      : m_activities(activities), m_shape(shape) {
    m_row.overlap_us.assign(shape.columns(), 0.0);
  }

  // Calls wanted(set, index) for every sample outside `excluded`, and visit(row) where it says true.
  template <class Wanted, class Visit>
  void run(const std::vector<SampleSet>& sets, const IntervalSet& excluded, Wanted&& wanted, Visit&& visit) {
    IntervalCursor holes(excluded);
    for (size_t set = 0; set < sets.size(); ++set) {
      restart();
      for (size_t i = 0; i < sets[set].size(); ++i) {
        if (!wanted(set, i)) continue;
        const int64_t start = sets[set].start_ns[i] + m_shape.skew_ns;
        const Interval sample{start, start + sets[set].duration_ns[i]};
        if (sample.length() <= 0 || (!holes.empty() && holes.covered(sample) > 0)) continue;
        fill(sample);
        m_row.set = set;
        m_row.index = i;
        visit(static_cast<const SampleRow&>(m_row));
      }
    }
  }

 private:
  static constexpr double kUsPerNs = 1e-3;

  void restart() {
    m_next = 0;
    m_running.clear();
  }

  void add(size_t column, int64_t ns) {
    if (m_row.overlap_us[column] == 0) m_row.touched.push_back(static_cast<uint32_t>(column));
    m_row.overlap_us[column] += static_cast<double>(ns) * kUsPerNs;
  }

  void fill(Interval sample) {
    for (const uint32_t column : m_row.touched) m_row.overlap_us[column] = 0;
    m_row.touched.clear();
    m_row.duration_us = static_cast<double>(sample.length()) * kUsPerNs;
    for (; m_next < m_activities.size() && m_activities[m_next].start_ns < sample.end; ++m_next) {
      if (m_activities[m_next].end_ns + m_shape.lag_ns > sample.start)
        m_running.push_back(m_activities[m_next]);
    }
    int64_t covered_to = sample.start, idle = 0;
    size_t kept = 0;
    for (const Activity& activity : m_running) {  // in order of start, so that the union is one pass
      const int64_t begin = std::max(activity.start_ns, sample.start);
      const int64_t end = std::min(activity.end_ns, sample.end);
      if (end > begin) {
        add(activity.column, end - begin);
        if (begin > covered_to) idle += begin - covered_to;
        covered_to = std::max(covered_to, end);
      }
      addLag(activity, sample);
      if (activity.end_ns + m_shape.lag_ns > sample.end) m_running[kept++] = activity;
    }
    m_running.resize(kept);
    idle += sample.end - covered_to;
    if (idle > 0) add(m_shape.idleColumn(), idle);
  }

  void addLag(const Activity& activity, Interval sample) {
    if (m_shape.lag_column.empty() || m_shape.lag_column[activity.column] < 0) return;
    const int64_t begin = std::max(activity.end_ns, sample.start);
    const int64_t end = std::min(activity.end_ns + m_shape.lag_ns, sample.end);
    if (end > begin) add(static_cast<size_t>(m_shape.lag_column[activity.column]), end - begin);
  }

  const std::vector<Activity>& m_activities;
  const RowShape& m_shape;
  SampleRow m_row;
  std::vector<Activity> m_running;
  size_t m_next = 0;
};

}  // namespace perfscope
