// Walks the gaps of every device, has each judged, adds up.
#include "analysis/timeline/gaps.h"

#include <algorithm>
#include <tuple>

#include "analysis/metrics/thresholds.h"
#include "analysis/timeline/distribution.h"

namespace perfscope {
namespace {

struct Floor {
  int64_t ns = 0;
  bool measured = false;
};

// The GPU may have worked in such a gap: nobody looked.
bool wasUnrecorded(const Trace& trace, const Gap& gap) {
  return trace.wasUnrecorded(viewOf(trace, gap.after).process, gap.range);
}

// What the device needs between two records of one stream when the second one is waiting already.
Floor measureFloor(const Trace& trace, size_t device) {
  constexpr size_t kEnough = 8;
  constexpr size_t kSamples = 100'000;
  std::vector<int64_t> queued;
  forEachGap(trace, device, [&](const Gap& gap) {
    if (queued.size() == kSamples) return;
    const RecordView after = viewOf(trace, gap.after);
    if (!after.hasLaunch() || after.stream != viewOf(trace, gap.before).stream) return;
    const bool in_time =
        after.launchEnd() + static_cast<int64_t>(threshold::kClockTolerance.value) < gap.range.start;
    if (in_time && gap.range.length() <= static_cast<int64_t>(threshold::kLatencyFloorMost.value)) {
      queued.push_back(gap.range.length());
    }
  });
  if (queued.size() < kEnough) return {static_cast<int64_t>(threshold::kLatencyFloorDefault.value), false};
  const double floor = threshold::kLatencyFloorFactor.value * static_cast<double>(median(std::move(queued)));
  return {static_cast<int64_t>(
              std::clamp(floor, threshold::kLatencyFloorLeast.value, threshold::kLatencyFloorMost.value)),
          true};
}

// The longest gaps seen so far, smallest on top.
class Longest {
 public:
  explicit Longest(size_t most) : m_most(most) {}
  void offer(const JudgedGap& gap) {
    if (m_most == 0) return;
    if (m_heap.size() == m_most) {
      if (!longer(gap, m_heap.front())) return;
      std::pop_heap(m_heap.begin(), m_heap.end(), longer);
      m_heap.pop_back();
    }
    m_heap.push_back(gap);
    std::push_heap(m_heap.begin(), m_heap.end(), longer);
  }
  std::vector<JudgedGap> take() {
    std::sort(m_heap.begin(), m_heap.end(), longer);
    return std::move(m_heap);
  }

 private:
  static bool longer(const JudgedGap& a, const JudgedGap& b) {
    return std::tuple(-a.gap.range.length(), a.device, a.gap.range.start) <
           std::tuple(-b.gap.range.length(), b.device, b.gap.range.start);
  }
  size_t m_most;
  std::vector<JudgedGap> m_heap;
};

void add(CauseTotals& totals, IdleCause cause, int64_t ns) {
  if (ns <= 0) return;
  totals[static_cast<size_t>(cause)].ns += ns;
  totals[static_cast<size_t>(cause)].count += 1;
}

}  // namespace

GapAnalysis analyseGaps(const Trace& trace, Interval window, size_t largest_count) {
  GapAnalysis result;
  Longest longest(largest_count);
  Longest longest_in_window(largest_count);
  for (size_t device = 0; device < trace.devices.size(); ++device) {
    DeviceGaps gaps;
    const Floor floor = measureFloor(trace, device);
    gaps.latency_floor_ns = floor.ns;
    gaps.floor_is_measured = floor.measured;
    GapJudge judge(trace, floor.ns);
    forEachGap(trace, device, [&](const Gap& gap) {
      if (wasUnrecorded(trace, gap)) return;
      const IdleCause cause = judge.judge(gap);
      add(gaps.all, cause, gap.range.length());
      add(gaps.window, cause, intersection(gap.range, window).length());
      longest.offer({gap, device, cause});
      if (intersection(gap.range, window).length() == gap.range.length())
        longest_in_window.offer({gap, device, cause});
    });
    result.devices.push_back(gaps);
  }
  result.largest = longest.take();
  result.largest_in_window = longest_in_window.take();
  return result;
}

}  // namespace perfscope
