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

// What was recorded of an idle interval: the GPU may have worked in the rest.
std::vector<Interval> recordedParts(const Trace& trace, size_t device, Interval range) {
  std::vector<Interval> parts;
  if (device < trace.device_paused.size()) {
    for (const Interval& off : trace.device_paused[device].overlapping(range)) {
      if (off.start > range.start) parts.push_back({range.start, off.start});
      range.start = off.end;
    }
  }
  if (range.length() > 0) parts.push_back(range);
  return parts;
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
      for (const Interval part : recordedParts(trace, device, gap.range)) {
        const Gap known{part, gap.before, gap.after};
        const IdleCause cause = part == gap.range ? judge.judge(gap) : IdleCause::Unknown;
        add(gaps.all, cause, part.length());
        add(gaps.window, cause, intersection(part, window).length());
        longest.offer({known, device, cause});
        if (intersection(part, window) == part) longest_in_window.offer({known, device, cause});
      }
    });
    result.devices.push_back(gaps);
  }
  result.largest = longest.take();
  result.largest_in_window = longest_in_window.take();
  return result;
}

}  // namespace perfscope
