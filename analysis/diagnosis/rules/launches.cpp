// Launch-bound programs and hidden synchronisation.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/diagnosis/gates.h"
#include "analysis/diagnosis/interventions.h"
#include "analysis/diagnosis/rules.h"
#include "analysis/metrics/thresholds.h"

namespace perfscope::rule {

void launchBound(const RuleInput& input, std::vector<Finding>& findings) {
  const LaunchBound bound = perfscope::launchBound(input.facts, input.shares);
  if (!bound.holds) return;
  Finding finding;
  finding.id = "launch_bound";
  finding.severity = "critical";
  finding.level = "graph", finding.axis = "algorithm", finding.term = "overhead";
  finding.title = "The GPU waits for launches: kernels are too short for what a launch costs";
  finding.advice =
      "Capture the repeating part in a CUDA graph (fixed shapes, no allocation or synchronisation inside), "
      "or do more per launch: fuse kernels, larger batch. Profile again and compare.";
  const LaunchFacts& launches = input.facts.launches;
  finding.evidence.push_back(
      {fmt::format("{:.1f} % of the analysed time in late launches and {:.1f} % in launch latency",
                   input.shares.of(IdleCause::HostSubmission) * 100,
                   input.shares.of(IdleCause::LaunchLatency) * 100),
       {},
       {},
       {}});
  finding.evidence.push_back(
      {fmt::format("median kernel {:.1f} us, median launch cost {:.1f} us",
                   static_cast<double>(bound.median_kernel_ns) / 1e3, bound.median_launch_cost_ns / 1e3),
       {},
       {},
       {}});
  finding.evidence.push_back({fmt::format("queue depth at launch: median {}, 90th percentile {}",
                                          launches.queue_depth.p50_ns, launches.queue_depth.p90_ns),
                              {},
                              {},
                              {}});
  finding.predicted_gain_ns =
      Measured<int64_t>::of(input.shares.ns(graphGain(input.facts, input.shares)), "modelled:cuda_graph");
  finding.sources = {"gaps.by_cause", "gaps.launch_cost", "kernels"};
  findings.push_back(std::move(finding));
}

void synchronisationInSteps(const RuleInput& input, std::vector<Finding>& findings) {
  const double share = input.shares.of(IdleCause::Synchronisation);
  if (share < threshold::kNoiseShare.value || !input.facts.window) return;
  const Interval window = *input.facts.window;
  const auto waits =
      std::count_if(input.facts.trace.waits.begin(), input.facts.trace.waits.end(), [&](const Wait& w) {
        const bool of_host = w.type != WaitType::StreamWaitEvent && w.type != WaitType::Unknown;
        return of_host && w.start_ns >= window.start && w.start_ns < window.end;
      });
  Finding finding;
  finding.id = "synchronisation_in_steps";
  finding.severity = share >= threshold::kGateShare.value ? "critical" : "warning";
  finding.level = "system", finding.axis = "algorithm", finding.term = "overhead";
  finding.title = "The host waits for the GPU and launches late afterwards";
  finding.advice =
      "Remove waits from the loop: .item(), .cpu(), printing of tensors, torch.cuda.synchronize(); keep "
      "values on the GPU and read them every n steps.";
  finding.evidence.push_back(
      {fmt::format("{:.1f} % of the analysed time in {} gaps after a wait; {} waits in all", share * 100,
                   input.shares.idle_count[static_cast<size_t>(IdleCause::Synchronisation)], waits),
       {},
       {},
       {}});
  finding.predicted_gain_ns = Measured<int64_t>::of(input.shares.ns(share), "modelled:amdahl");
  finding.sources = {"gaps.by_cause", "synchronization"};
  findings.push_back(std::move(finding));
}

}  // namespace perfscope::rule
