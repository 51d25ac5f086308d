// Idle time whose cause is named by the gaps: one row per cause, all with the same shape.
#include <fmt/format.h>

#include <array>

#include "analysis/diagnosis/gates.h"
#include "analysis/diagnosis/rules.h"
#include "analysis/metrics/thresholds.h"

namespace perfscope::rule {
namespace {

struct CauseRule {
  IdleCause cause;
  std::string_view id, title, axis, advice;
};
// Causes with rules of their own (synchronisation, copies) are not here.
constexpr std::array<CauseRule, 5> kCauseRules = {{
    {IdleCause::Input, "data_starvation", "The GPU waits for input data", "data",
     "Load the next batch while the GPU works: more loader workers, pinned memory, non_blocking copies, "
     "prefetching."},
    {IdleCause::Allocation, "allocation_in_steps", "Memory is allocated or freed while the GPU waits",
     "algorithm",
     "Allocate before the loop, use the framework's caching allocator, avoid empty_cache() in steps."},
    {IdleCause::ModuleLoadOrJit, "module_load_in_steps", "GPU code is loaded or compiled while the GPU waits",
     "algorithm", "Warm up every shape and code path before measuring; check for recompilation."},
    {IdleCause::HostSubmission, "late_launches", "The GPU runs dry because the host launches too late",
     "algorithm",
     "Look at what the launching thread does in these gaps (Python overhead, logging, optimiser loops over "
     "many "
     "tensors): fused optimiser, fewer and larger kernels, torch.compile."},
    {IdleCause::Profiler, "profiler_overhead", "The profiler itself keeps the GPU waiting", "data",
     "Record less (--steps, --duration, --api none); these gaps are not the program's."},
}};

}  // namespace

void idleCauses(const RuleInput& input, std::vector<Finding>& findings) {
  const WindowShares& shares = input.shares;
  for (const CauseRule& entry : kCauseRules) {
    const double share = shares.of(entry.cause);
    if (share < threshold::kNoiseShare.value) continue;
    // A launch-bound program has a finding of its own with the graph as advice.
    if (entry.cause == IdleCause::HostSubmission && perfscope::launchBound(input.facts, shares).holds)
      continue;
    Finding finding;
    finding.id = std::string(entry.id);
    finding.severity = share >= threshold::kGateShare.value ? "critical" : "warning";
    finding.level = "system", finding.axis = std::string(entry.axis), finding.term = "overhead";
    finding.title = std::string(entry.title);
    finding.advice = std::string(entry.advice);
    finding.evidence.push_back({fmt::format("{:.1f} % of the analysed time, {} gaps", share * 100,
                                            shares.idle_count[static_cast<size_t>(entry.cause)]),
                                {},
                                {},
                                {}});
    for (const GapReport& gap : input.report.gaps.largest_in_window) {
      if (gap.cause != name(entry.cause)) continue;
      finding.evidence.push_back(
          {gap.evidence, std::pair(gap.start_ns, gap.start_ns + gap.duration_ns), gap.device, gap.after});
      break;
    }
    finding.predicted_gain_ns =
        entry.cause == IdleCause::Profiler
            ? Measured<int64_t>::absent("without the profiler the program does not have these gaps")
            : Measured<int64_t>::of(shares.ns(share), "modelled:amdahl");
    finding.sources = {"gaps.by_cause"};
    findings.push_back(std::move(finding));
  }
}

}  // namespace perfscope::rule
