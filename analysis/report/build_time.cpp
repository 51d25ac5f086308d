// Sections about time: steps and gaps.
#include "analysis/report/build_sections.h"

namespace perfscope::build {
namespace {

std::string recordName(const Trace& trace, RecordRef ref) {
  if (ref.is_kernel) {
    const KernelNameRow& name = trace.names[trace.kernels.name[ref.index]];
    return !name.short_name.empty()  ? name.short_name
           : !name.demangled.empty() ? name.demangled
                                     : name.mangled;
  }
  return trace.ops[ref.index].is_fill ? "memset" : "memcpy";
}

Measured<Distribution> orAbsent(const Distribution& distribution, const std::string& why) {
  return distribution.count > 0 ? Measured<Distribution>::of(distribution, "measured:activity")
                                : Measured<Distribution>::absent(why);
}

}  // namespace

StepsReport steps(const ProfileFacts& facts) {
  StepsReport result;
  const Steps& steps = facts.steps;
  const StepStatistics& statistics = facts.step_statistics;
  result.source = steps.source;
  if (steps.on_device && steps.source != "periodicity")
    result.source += " (device boundaries: the host runs ahead)";
  result.why = steps.why;
  result.confidence = steps.confidence;
  result.count = static_cast<int64_t>(steps.list.size());
  result.warmup = statistics.warmup;
  result.median_ns = statistics.median_ns;
  result.mad_ns = statistics.mad_ns;
  result.p95_ns = statistics.p95_ns;
  result.p99_ns = statistics.p99_ns;
  result.max_ns = statistics.max_ns;
  result.drift = statistics.drift;
  for (const Step& step : steps.list) {
    result.list.push_back({step.index, step.name, step.range.start, step.range.length(), step.busy_ns,
                           step.kernel_count, step.warmup});
  }
  return result;
}

GapsReport gaps(const ProfileFacts& facts) {
  GapsReport result;
  const Trace& trace = facts.trace;
  for (const DeviceGaps& device : facts.gaps.devices) {
    for (const IdleCauseInfo& info : kIdleCauses) {
      const CauseTotal& total = device.all[static_cast<size_t>(info.cause)];
      if (total.count == 0) continue;
      GapCause& cause = result.by_cause[std::string(info.name)];
      cause.ns += total.ns;
      cause.count += total.count;
      result.total_ns += total.ns;
      result.count += total.count;
    }
  }
  const auto describe = [&trace](const std::vector<JudgedGap>& list, std::vector<GapReport>& out) {
    for (const JudgedGap& judged : list) {
      const Gap& gap = judged.gap;
      const Pauses pauses = pausesAt(trace, gap);
      const std::string paused = "(recording paused)";
      out.push_back({trace.devices[judged.device].id, gap.range.start, gap.range.length(),
                     std::string(name(judged.cause)), gapEvidence(trace, gap, judged.cause),
                     pauses.before ? paused : recordName(trace, gap.before),
                     pauses.after ? paused : recordName(trace, gap.after)});
    }
  };
  describe(facts.gaps.largest, result.largest);
  describe(facts.gaps.largest_in_window, result.largest_in_window);
  const LaunchFacts& launches = facts.launches;
  const std::string why =
      trace.kernels.size() == 0 ? "the profile has no kernels" : "no launch call was recorded";
  result.launch_latency = orAbsent(launches.latency, why);
  result.launch_cost = orAbsent(launches.cost, why);
  result.queue_depth = orAbsent(launches.queue_depth, why);
  if (launches.cost_is_of_graphs) result.launch_cost.provenance = "measured:activity (graph launches)";
  result.launches = launches.launches;
  result.graph_launches = launches.graph_launches;
  return result;
}

}  // namespace perfscope::build
