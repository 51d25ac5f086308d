// Greedy, in the order of importance: at most one question a candidate.
#include "collector/counters/metric_choice.h"

#include "collector/counters/metric_candidates.h"

namespace perfscope::collector {
namespace {

std::vector<std::string> namesOf(const MetricChoice& choice) {
  std::vector<std::string> names;
  for (const auto& metric : choice.metrics) names.push_back(metric.name);
  return names;
}

// True when `name` fits beside what is chosen already.
bool take(MetricChoice& choice, CounterRole role, std::string_view name, const PassCounter& passes) {
  std::vector<std::string> names = namesOf(choice);
  names.emplace_back(name);
  if (passes(names) != 1) return false;
  choice.metrics.push_back({role, std::string(name)});
  return true;
}

void takeRole(MetricChoice& choice, const RoleCandidates& candidates, const PassCounter& passes) {
  for (const std::string_view name : candidates.metrics) {
    if (!name.empty() && take(choice, candidates.role, name, passes)) return;
  }
  choice.left_out.emplace_back(infoOf(candidates.role).name);
}

const RoleCandidates* candidatesOf(CounterRole role) {
  for (const auto& one : kSamplingCandidates)
    if (one.role == role) return &one;
  for (const auto& one : kExtraCandidates)
    if (one.role == role) return &one;
  return nullptr;
}

}  // namespace

MetricChoice chooseMetrics(std::string_view wanted, const PassCounter& passes) {
  MetricChoice choice;
  if (wanted.empty()) {
    for (const auto& candidates : kSamplingCandidates) takeRole(choice, candidates, passes);
    return choice;
  }
  while (!wanted.empty()) {
    const auto comma = wanted.find(',');
    const std::string_view name = wanted.substr(0, comma);
    wanted = comma == std::string_view::npos ? std::string_view() : wanted.substr(comma + 1);
    if (name.empty()) continue;
    const RoleCandidates* const candidates = candidatesOf(counterRoleNamed(name));
    if (candidates != nullptr) {
      takeRole(choice, *candidates, passes);
    } else if (!take(choice, CounterRole::None, name, passes)) {
      choice.left_out.emplace_back(name);
    }
  }
  return choice;
}

MetricChoice chooseReplayMetrics(const PassCounter& passes) {
  MetricChoice choice;
  for (const auto& candidates : kReplayCandidates) {
    for (const std::string_view name : candidates.metrics) {
      if (name.empty() || passes({std::string(name)}) == 0) continue;
      choice.metrics.push_back({candidates.role, std::string(name)});
      break;
    }
  }
  return choice;
}

}  // namespace perfscope::collector
