// NVTX ranges -> steps, with boundaries on the host or, when the host runs ahead, on the device.
#include "analysis/steps/step_markers.h"

#include <algorithm>
#include <limits>
#include <map>

#include "analysis/timeline/gpu_records.h"
#include "analysis/trace/range_texts.h"

namespace perfscope {
namespace {

// First start and last end of the GPU records launched inside a range.
struct Extent {
  int64_t first = std::numeric_limits<int64_t>::max();
  int64_t last = std::numeric_limits<int64_t>::min();
  [[nodiscard]] bool empty() const { return first > last; }
};

// The host marks its steps all the time; those that were not collected whole are no steps of this profile.
bool outsideWindows(const Trace& trace, const NamedRange& range) {
  constexpr int64_t kPart =
      20;  // a window opens with the range of its first step, give or take the call itself
  const int64_t duration =
      range.duration_ns == kUnknownTime ? kPart : std::max<int64_t>(kPart, range.duration_ns);
  const Interval whole{range.start_ns, range.start_ns + duration};
  return trace.unrecordedIn(range.process, whole) > duration / kPart;
}

std::vector<NamedRange> rangesOfMainProcess(const Trace& trace) {
  std::map<uint16_t, size_t> counts;
  for (const NamedRange& range : trace.step_ranges) ++counts[range.process];
  if (counts.empty()) return {};
  const auto rankOf = [&](uint16_t process) {
    return trace.processes[process].rank.value_or(std::numeric_limits<int64_t>::max());
  };
  const auto best = std::max_element(counts.begin(), counts.end(), [&](const auto& a, const auto& b) {
    return a.second != b.second ? a.second < b.second : rankOf(a.first) > rankOf(b.first);
  });
  std::vector<NamedRange> ranges;
  for (const NamedRange& range : trace.step_ranges) {
    const bool inside_last = !ranges.empty() && ranges.back().duration_ns != kUnknownTime &&
                             range.start_ns < ranges.back().start_ns + ranges.back().duration_ns;
    // A marker nested in a step (a micro-step) is a part of it, not the next step.
    if (range.process == best->first && !inside_last && !outsideWindows(trace, range))
      ranges.push_back(range);
  }
  return ranges;
}

std::vector<Extent> deviceExtents(const Trace& trace, const std::vector<NamedRange>& ranges) {
  std::vector<Extent> extents(ranges.size());
  const uint16_t process = ranges.front().process;
  size_t at = 0;  // launches come nearly in order: the range is mostly that of the launch before
  const auto holds = [&](int64_t launch) {
    return ranges[at].start_ns <= launch && (at + 1 == ranges.size() || launch < ranges[at + 1].start_ns);
  };
  const auto note = [&](uint16_t owner, int64_t launch, int64_t start, int64_t end) {
    if (owner != process || launch == kUnknownTime || launch < ranges.front().start_ns) return;
    if (!holds(launch)) {
      const auto after =
          std::upper_bound(ranges.begin(), ranges.end(), launch,
                           [](int64_t time, const NamedRange& r) { return time < r.start_ns; });
      at = static_cast<size_t>(after - ranges.begin()) - 1;
    }
    const NamedRange& range = ranges[at];
    if (range.duration_ns != kUnknownTime && launch > range.start_ns + range.duration_ns) return;
    Extent& extent = extents[at];
    extent.first = std::min(extent.first, start);
    extent.last = std::max(extent.last, end);
  };
  const KernelTable& kernels = trace.kernels;
  for (size_t i = 0; i < kernels.size(); ++i) {
    note(kernels.process[i], kernels.launch_start_ns[i], kernels.start_ns[i], kernels.endNs(i));
  }
  for (const GpuOp& op : trace.ops) note(op.process, op.launch_start_ns, op.start_ns, op.endNs());
  return extents;
}

bool hostRunsAhead(const std::vector<NamedRange>& ranges, const std::vector<Extent>& extents) {
  constexpr double kLag = 0.05;  // of the step: a tail of one kernel beyond the boundary is no running ahead
  size_t late = 0;
  size_t judged = 0;
  for (size_t i = 0; i + 1 < ranges.size(); ++i) {
    if (extents[i].empty()) continue;
    ++judged;
    const int64_t next = ranges[i + 1].start_ns;
    const double step = static_cast<double>(next - ranges[i].start_ns);
    late += static_cast<double>(extents[i].last - next) > kLag * step ? 1 : 0;
  }
  return judged > 0 && 2 * late > judged;
}

int64_t ownEnd(const NamedRange& range, const Extent& extent, bool on_device) {
  const int64_t host = range.start_ns + (range.duration_ns == kUnknownTime ? 0 : range.duration_ns);
  if (extent.empty()) return host;
  return on_device ? extent.last : std::max(host, extent.last);
}

// Puts `step` behind the others. The step before runs to its begin when the numbering goes on; where it jumps
// (another loop, a window without collection) the step before keeps its own end.
void append(Step step, bool unrecorded_before, std::vector<Step>& list) {
  if (!list.empty()) {
    Step& previous = list.back();
    // Concurrent streams may start a record of the next step early; steps stay in order all the same.
    step.range.start = std::max(step.range.start, previous.range.start);
    step.range.end = std::max(step.range.end, step.range.start);
    const bool goes_on = step.index == previous.index + 1 && !unrecorded_before;
    previous.range.end = goes_on ? step.range.start : std::min(previous.range.end, step.range.start);
    step.loop = previous.loop + (step.index <= previous.index || unrecorded_before ? 1 : 0);
  }
  list.push_back(std::move(step));
}

}  // namespace

Steps markedSteps(const Trace& trace, const std::string& step_marker) {
  Steps steps;
  const std::vector<NamedRange> ranges = rangesOfMainProcess(trace);
  if (ranges.empty()) return steps;
  const std::vector<Extent> extents = deviceExtents(trace, ranges);
  steps.process = ranges.front().process;
  steps.on_device = hostRunsAhead(ranges, extents);
  steps.source = step_marker.empty() ? "nvtx: step n" : "marker: " + step_marker;
  steps.confidence = 1.0;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (steps.on_device && extents[i].empty()) continue;  // nothing on the GPU: it has no place there
    Step step;
    step.name = trace.texts[ranges[i].text];
    step.index = stepNumber(step.name).value_or(static_cast<int64_t>(i));
    step.range.start = steps.on_device ? extents[i].first : ranges[i].start_ns;
    step.range.end = ownEnd(ranges[i], extents[i], steps.on_device);
    const bool unrecorded_before =
        i > 0 && trace.wasUnrecorded(ranges[i].process, {ranges[i - 1].start_ns, ranges[i].start_ns});
    append(std::move(step), unrecorded_before, steps.list);
  }
  return steps;
}

}  // namespace perfscope
