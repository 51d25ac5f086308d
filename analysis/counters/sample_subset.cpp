// One cheap pass over the activities marks the stretches that are worth a look.
#include "analysis/counters/sample_subset.h"

#include <algorithm>

namespace perfscope {
namespace {

constexpr int64_t kReachNs = 100'000;  // write-back and skew: look a little around what ran

// Marks every stretch during which something ran.
std::vector<uint8_t> busyStretches(const SampleSet& set, const std::vector<Activity>& activities,
                                   size_t stretch) {
  const size_t count = (set.size() + stretch - 1) / stretch;
  std::vector<uint8_t> busy(count, 0);
  size_t at = 0;
  int64_t busy_until = INT64_MIN;
  for (size_t s = 0; s < count; ++s) {
    const size_t last = std::min(set.size(), (s + 1) * stretch) - 1;
    const int64_t begin = set.start_ns[s * stretch] - kReachNs;
    const int64_t end = set.start_ns[last] + set.duration_ns[last] + kReachNs;
    for (; at < activities.size() && activities[at].start_ns < end; ++at)
      busy_until = std::max(busy_until, activities[at].end_ns);
    busy[s] = busy_until > begin ? 1 : 0;
  }
  return busy;
}

}  // namespace

SampleSubset::SampleSubset(const AttributionInput& input, size_t wanted) {
  size_t busy = 0;
  for (const SampleSet& set : input.sets) {
    m_chosen.push_back(busyStretches(set, input.activities, kStretch));
    busy += static_cast<size_t>(std::count(m_chosen.back().begin(), m_chosen.back().end(), uint8_t{1}));
  }
  const size_t most = std::max<size_t>(1, wanted / kStretch);
  if (busy <= most) return;
  // Every k-th of them, k not whole, so that no period of the program is in step with it.
  const double step = static_cast<double>(busy) / static_cast<double>(most);
  double next = 0;
  size_t seen = 0;
  for (auto& chosen : m_chosen) {
    for (uint8_t& mark : chosen) {
      if (mark == 0) continue;
      mark = static_cast<double>(seen) >= next ? 1 : 0;
      if (mark != 0) next += step;
      ++seen;
    }
  }
}

}  // namespace perfscope
