// Kernel names of the busiest stream -> period -> steps.
#include "analysis/steps/periodic_steps.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/steps/periodicity.h"
#include "analysis/timeline/distribution.h"

namespace perfscope {
namespace {

using StreamKey = std::tuple<uint16_t, uint16_t, uint32_t>;  // device, process, stream

StreamKey keyOf(const KernelTable& kernels, size_t i) {
  return {kernels.device[i], kernels.process[i], kernels.stream[i]};
}

// Rows of the stream with most kernels, in order of their start.
std::vector<uint32_t> busiestStream(const KernelTable& kernels) {
  std::map<StreamKey, size_t> counts;
  for (size_t i = 0; i < kernels.size();) {
    size_t end = i + 1;
    while (end < kernels.size() && keyOf(kernels, end) == keyOf(kernels, i)) ++end;
    counts[keyOf(kernels, i)] += end - i;
    i = end;
  }
  std::vector<uint32_t> rows;
  if (counts.empty()) return rows;
  const auto best = std::max_element(counts.begin(), counts.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  rows.reserve(best->second);
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (keyOf(kernels, i) == best->first) rows.push_back(static_cast<uint32_t>(i));
  }
  return rows;
}

// Offset within the period before which the stream idles longest (by the median of up to 64 periods).
size_t boundary(const KernelTable& kernels, const std::vector<uint32_t>& rows, const Period& period) {
  constexpr size_t kLooked = 64;
  const size_t periods = std::min(period.count, kLooked);
  size_t best = 0;
  int64_t longest = -1;
  for (size_t offset = 0; offset < period.length; ++offset) {
    std::vector<int64_t> pauses;
    for (size_t p = 0; p < periods; ++p) {
      const size_t at = period.first + p * period.length + offset;
      if (at > 0) pauses.push_back(kernels.start_ns[rows[at]] - kernels.endNs(rows[at - 1]));
    }
    const int64_t pause = pauses.empty() ? 0 : median(std::move(pauses));
    if (pause > longest) {
      longest = pause;
      best = offset;
    }
  }
  return best;
}

}  // namespace

Steps periodicSteps(const Trace& trace) {
  Steps steps;
  steps.source = "none";
  const KernelTable& kernels = trace.kernels;
  const std::vector<uint32_t> rows = busiestStream(kernels);
  std::vector<uint32_t> series;
  series.reserve(rows.size());
  for (const uint32_t row : rows) series.push_back(kernels.name[row]);
  const auto period = findPeriod(series);
  if (!period) {
    steps.why = series.empty()
                    ? "the profile has no kernels"
                    : "no range marks a step, and the sequence of the " + std::to_string(series.size()) +
                          " kernels of the busiest stream has no period that could be a step";
    return steps;
  }
  steps.source = "periodicity";
  steps.confidence = period->match;
  steps.process = kernels.process[rows.front()];
  steps.on_device = true;
  const size_t offset = boundary(kernels, rows, *period);
  const IntervalSet* paused = steps.process < trace.paused.size() ? &trace.paused[steps.process] : nullptr;
  int loop = 0;
  for (size_t at = period->first + offset; at + period->length <= rows.size(); at += period->length) {
    const size_t next = at + period->length;
    Step step;
    step.index = static_cast<int64_t>(steps.list.size());
    step.name = "period " + std::to_string(step.index);
    step.range.start = kernels.start_ns[rows[at]];
    step.range.end = next < rows.size() ? kernels.start_ns[rows[next]] : kernels.endNs(rows[next - 1]);
    // The recording paused inside: how long the step was is not known, and the next one is no neighbour.
    if (paused != nullptr && paused->covered(step.range) > 0) {
      loop = steps.list.empty() ? 0 : steps.list.back().loop + 1;
      continue;
    }
    step.loop = loop;
    steps.list.push_back(std::move(step));
  }
  return steps;
}

}  // namespace perfscope
