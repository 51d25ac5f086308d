// Gates in order -> verdict with evidence and confidence.
#include "analysis/diagnosis/verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/diagnosis/interventions.h"
#include "analysis/diagnosis/recording_overhead.h"
#include "analysis/metrics/thresholds.h"
#include "analysis/report/format.h"

namespace perfscope {
namespace {

double shareOf(const WindowShares& shares, const std::string& verdict) {
  const auto found = shares.kernels_by_verdict.find(verdict);
  return found == shares.kernels_by_verdict.end() ? 0 : found->second;
}

// Each factor says what it is for; the worst single weakness leaves about half of the confidence.
double confidence(const ProfileFacts& facts, const WindowShares& shares, const Report& report,
                  const Gate* failed) {
  constexpr double kLost = 0.6, kNoSteps = 0.8, kFewSteps = 0.9, kPresumed = 0.5;
  constexpr int64_t kEnoughSteps = 5;
  double value = 0.95;
  if (!report.trust.complete) value *= kLost;
  // The part of the recorded time that the program would have taken by itself.
  if (const auto slowdown = heavyOverhead(report.overhead)) value /= 1.0 + *slowdown;
  if (!facts.steps.found()) {
    value *= kNoSteps;
  } else {
    value *= facts.steps.confidence;
    if (facts.step_statistics.steady < kEnoughSteps) value *= kFewSteps;
  }
  const bool about_kernels = failed == nullptr || failed->binding == "memory" ||
                             failed->binding == "compute" || failed->binding == "implementation";
  if (about_kernels && shares.kernels > 0) {
    const double presumed = shareOf(shares, "memory?");
    const double unknown = shareOf(shares, "unknown");
    value *= 1.0 - (unknown + kPresumed * presumed) / shares.kernels;
  } else {
    value *= 1.0 - std::min(1.0, shares.of(IdleCause::Unknown));
  }
  return std::clamp(value, 0.0, 1.0);
}

std::string noneText(const WindowShares& shares) {
  const double unexplained = shares.of(IdleCause::Unknown) + shares.of(IdleCause::Dependency);
  if (unexplained >= threshold::kGateShare.value) {
    return fmt::format("the GPU is idle {:.0f} % of the time for reasons the records do not tell",
                       unexplained * 100);
  }
  const double unknown = shareOf(shares, "unknown");
  if (unknown >= threshold::kGateShare.value) {
    return fmt::format(
        "kernels keep the GPU busy {:.0f} % of the time, but FLOPs and bytes of {:.0f} % are not known",
        shares.busy * 100, unknown * 100);
  }
  return fmt::format("nothing binds above noise; the GPU is busy {:.0f} % of the time", shares.busy * 100);
}

void addEvidence(const ProfileFacts& facts, const WindowShares& shares, const std::vector<Gate>& all,
                 const Report& report, VerdictReport& verdict) {
  const auto range =
      facts.window ? std::optional(std::pair(facts.window->start, facts.window->end)) : std::nullopt;
  const auto text = [&](std::string line) { verdict.evidence.push_back({std::move(line), range, {}, {}}); };
  text(fmt::format("analysed: {} on {} GPU{}",
                   facts.steps.found() ? fmt::format("{} steady steps", facts.step_statistics.steady)
                                       : std::string("the whole profile"),
                   shares.devices, shares.devices == 1 ? "" : "s"));
  for (const Gate& gate : all) {
    if (gate.share < threshold::kNoiseShare.value) continue;
    text(fmt::format("{} {}: {}", gate.fails() ? "over the limit," : "below the limit,", gate.binding,
                     gate.figure));
  }
  if (const std::string why = gainsWithheldWhy(report.overhead); !why.empty())
    text("predicted gains are withheld, because " + why);
  if (earlierGateFails(all)) text("advice about single kernels is withheld until then");
  if (report.gaps.largest_in_window.empty()) return;
  const GapReport& gap = report.gaps.largest_in_window.front();
  verdict.evidence.push_back(
      {fmt::format("longest idle interval of that time: {} before {}, {}",
                   format::duration(static_cast<double>(gap.duration_ns)), gap.after, gap.cause),
       std::pair(gap.start_ns, gap.start_ns + gap.duration_ns), gap.device, gap.after});
}

}  // namespace

VerdictReport verdict(const ProfileFacts& facts, const WindowShares& shares, const Report& report) {
  VerdictReport result;
  result.binding = "none";
  if (!facts.window || shares.devices == 0) {
    result.text = "the profile has no GPU work to judge";
    return result;
  }
  const std::vector<Gate> all = gates(facts, shares);
  const auto failed = std::find_if(all.begin(), all.end(), [](const Gate& gate) { return gate.fails(); });
  const Gate* binding = failed == all.end() ? nullptr : &*failed;
  result.confidence = confidence(facts, shares, report, binding);
  if (binding == nullptr) {
    result.text = noneText(shares);
    result.share = shares.busy;
  } else {
    const auto next = std::find_if(failed + 1, all.end(), [&](const Gate& gate) {
      return gate.fails() && gate.binding != binding->binding;
    });
    result.binding = binding->binding;
    result.share = binding->share;
    result.text = binding->figure;
    result.interventions =
        interventions(facts, shares, report, *binding, next == all.end() ? "none" : next->binding);
  }
  addEvidence(facts, shares, all, report, result);
  return result;
}

}  // namespace perfscope
