// Is the data fit to judge? Losses, unclosed profiles, opaque graphs, a recording that disturbed the program.
#include <fmt/format.h>

#include "analysis/diagnosis/recording_overhead.h"
#include "analysis/diagnosis/rules.h"

namespace perfscope::rule {

void dataQuality(const RuleInput& input, std::vector<Finding>& findings) {
  Finding lost;
  lost.id = "incomplete_data";
  lost.severity = "warning";
  lost.level = "system", lost.axis = "data", lost.term = "overhead";
  lost.title = "The profile is not complete: numbers below may miss work";
  lost.advice =
      "Run again with a shorter window (--duration, --steps) or more disk space, and let the program end by "
      "itself; then compare.";
  lost.predicted_gain_ns = Measured<int64_t>::absent("it concerns the data, not the program");
  for (const LossReport& loss : input.report.trust.losses) {
    if (loss.severity != "data_loss" && loss.severity != "error") continue;
    lost.evidence.push_back({fmt::format("{}: {} ({})", loss.id, loss.text, loss.count), {}, {}, {}});
    if (loss.severity == "error") lost.severity = "critical";
  }
  if (!lost.evidence.empty()) findings.push_back(std::move(lost));
  if (input.facts.trace.opaque_graphs.empty()) return;
  Finding opaque;
  opaque.id = "opaque_graphs";
  opaque.severity = "info";
  opaque.level = "graph", opaque.axis = "data", opaque.term = "overhead";
  opaque.title = "CUDA graphs were traced as a whole; what runs inside them is hidden";
  opaque.advice = "Record with --graphs node to see the kernels inside.";
  opaque.evidence.push_back(
      {fmt::format("{} graph executions", input.facts.trace.opaque_graphs.size()), {}, {}, {}});
  opaque.predicted_gain_ns = Measured<int64_t>::absent("it concerns the data, not the program");
  findings.push_back(std::move(opaque));
}

void recordingOverhead(const RuleInput& input, std::vector<Finding>& findings) {
  const std::string why = gainsWithheldWhy(input.report.overhead);
  if (why.empty()) return;
  const OverheadMeasured& measured = *input.report.overhead.measured;
  Finding finding;
  finding.id = "recording_overhead";
  finding.severity = "warning";
  finding.level = "system", finding.axis = "data", finding.term = "overhead";
  finding.title = "The recording itself slowed the program: idle time and launch costs are partly its own";
  finding.advice =
      "Record less (--api none, --graphs graph, --steps, --no-gemm, --no-nccl) and compare; take absolute "
      "times from the bare run.";
  constexpr double kMs = 1e6;
  finding.evidence.push_back(
      {fmt::format(
           "{}: {:.1f} ms bare, {:.1f} ms profiled (medians of {} pairs of whole runs; steps alone may "
           "be slowed more than start-up)",
           why, static_cast<double>(measured.bare_ns) / kMs, static_cast<double>(measured.profiled_ns) / kMs,
           measured.n),
       {},
       {},
       {}});
  finding.predicted_gain_ns = Measured<int64_t>::absent("it concerns the data, not the program");
  finding.sources = {"overhead.measured"};
  findings.push_back(std::move(finding));
}

}  // namespace perfscope::rule
