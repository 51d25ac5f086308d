// Steps: source by source, then what ran in each, warm-up and statistics.
#include "analysis/steps/steps.h"

#include <algorithm>
#include <limits>

#include "analysis/metrics/thresholds.h"
#include "analysis/steps/periodic_steps.h"
#include "analysis/steps/step_markers.h"
#include "analysis/timeline/distribution.h"
#include "analysis/timeline/gpu_records.h"

namespace perfscope {
namespace {

// Busy time and kernels of every step, one sweep per device: steps are disjoint and in order, so are the
// records. A record that crosses a boundary is split for busy time and counted where it starts.
void fillSteps(const Trace& trace, Steps& steps) {
  for (size_t device = 0; device < trace.devices.size(); ++device) {
    std::vector<UnionLength> busy(steps.list.size());
    size_t at = 0;
    forEachRecord(trace, device, [&](RecordRef ref, int64_t start, int64_t end) {
      if (viewOf(trace, ref).process != steps.process) return;
      while (at < steps.list.size() && steps.list[at].range.end <= start) ++at;
      for (size_t i = at; i < steps.list.size() && steps.list[i].range.start < std::max(end, start + 1);
           ++i) {
        const Interval part = intersection({start, end}, steps.list[i].range);
        busy[i].add(part.start, part.end);
        if (ref.is_kernel && start >= steps.list[i].range.start && start < steps.list[i].range.end) {
          ++steps.list[i].kernel_count;
        }
      }
    });
    // Several devices of one process: the busiest one is the step's.
    for (size_t i = 0; i < busy.size(); ++i) {
      steps.list[i].busy_ns = std::max(steps.list[i].busy_ns, busy[i].length());
    }
  }
}

std::vector<int64_t> durations(std::span<const Step> steps) {
  std::vector<int64_t> values;
  for (const Step& step : steps) {
    if (!step.warmup) values.push_back(step.range.length());
  }
  return values;
}

// Begin and end of every loop in the list.
std::vector<std::pair<size_t, size_t>> loops(const std::vector<Step>& steps) {
  std::vector<std::pair<size_t, size_t>> result;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i == 0 || steps[i].loop != steps[i - 1].loop) result.emplace_back(i, i);
    result.back().second = i + 1;
  }
  return result;
}

Measured<double> driftOf(const std::vector<int64_t>& values) {
  constexpr size_t kLeast = 9;  // three a third: fewer have no median worth the name
  if (values.size() < kLeast) return Measured<double>::absent("fewer than 9 steady steps");
  const auto third = static_cast<std::ptrdiff_t>(values.size() / 3);
  const int64_t first = median({values.begin(), values.begin() + third});
  const int64_t last = median({values.end() - third, values.end()});
  if (first == 0) return Measured<double>::absent("the first steps have no length");
  return Measured<double>::of(static_cast<double>(last) / static_cast<double>(first) - 1.0,
                              "measured:activity");
}

}  // namespace

std::span<const Step> Steps::mainLoop() const {
  std::span<const Step> best;
  int64_t longest = -1;
  for (const auto& [begin, end] : loops(list)) {
    const auto loop = std::span(list).subspan(begin, end - begin);
    int64_t total = 0;
    for (const Step& step : loop) total += step.range.length();
    if (total > longest) {
      longest = total;
      best = loop;
    }
  }
  return best;
}

Steps findSteps(const Trace& trace, const std::string& step_marker) {
  Steps steps = markedSteps(trace, step_marker);
  if (!steps.found()) {
    steps = periodicSteps(trace);
    if (!step_marker.empty() && !steps.found())
      steps.why = "no range matches " + step_marker + "; " + steps.why;
  }
  fillSteps(trace, steps);
  for (const auto& [begin, end] : loops(steps.list))
    markWarmup(std::span(steps.list).subspan(begin, end - begin));
  return steps;
}

void markWarmup(std::span<Step> steps) {
  constexpr size_t kLeast = 3;
  if (steps.size() < kLeast) return;
  const std::vector<int64_t> values = durations(steps);
  const auto center = static_cast<double>(median(values));
  const auto spread = static_cast<double>(medianAbsoluteDeviation(values));
  const double limit =
      center + std::max(threshold::kWarmupDeviations.value * spread, threshold::kWarmupExcess.value * center);
  for (size_t i = 0; i < steps.size() / 2; ++i) {
    if (static_cast<double>(steps[i].range.length()) <= limit) return;
    steps[i].warmup = true;
  }
}

StepStatistics stepStatistics(std::span<const Step> steps) {
  StepStatistics result;
  const std::vector<int64_t> values = durations(steps);
  result.steady = static_cast<int64_t>(values.size());
  result.warmup = static_cast<int64_t>(steps.size()) - result.steady;
  if (values.empty()) {
    const auto none = Measured<int64_t>::absent("no steps found");
    result.median_ns = result.mad_ns = result.p95_ns = result.p99_ns = result.max_ns = none;
    result.drift = Measured<double>::absent("no steps found");
    return result;
  }
  const auto of = [](int64_t value) { return Measured<int64_t>::of(value, "measured:activity"); };
  result.median_ns = of(median(values));
  result.mad_ns = of(medianAbsoluteDeviation(values));
  result.p95_ns = of(percentile(values, 0.95));
  result.p99_ns = of(percentile(values, 0.99));
  result.max_ns = of(*std::max_element(values.begin(), values.end()));
  result.drift = driftOf(values);
  return result;
}

std::optional<Interval> analysedWindow(const Trace& trace, const Steps& steps) {
  const auto steady = [](const Step& step) { return !step.warmup; };
  const std::span<const Step> loop = steps.mainLoop();
  const auto first = std::find_if(loop.begin(), loop.end(), steady);
  if (first != loop.end() && loop.back().range.end > first->range.start) {
    return Interval{first->range.start, loop.back().range.end};
  }
  Interval window{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  for (size_t device = 0; device < trace.devices.size(); ++device) {
    forEachRecord(trace, device, [&](RecordRef, int64_t start, int64_t end) {
      window.start = std::min(window.start, start);
      window.end = std::max(window.end, end);
    });
  }
  if (window.end <= window.start) return std::nullopt;
  return window;
}

}  // namespace perfscope
