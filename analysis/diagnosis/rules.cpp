// The list of rules and its order.
#include "analysis/diagnosis/rules.h"

#include <algorithm>
#include <array>

namespace perfscope {
namespace {

constexpr std::array<Rule, 11> kRules = {{
    {"data_quality", rule::dataQuality},
    {"point_above_roof", rule::pointAboveRoof},
    {"idle_causes", rule::idleCauses},
    {"launch_bound", rule::launchBound},
    {"synchronisation_in_steps", rule::synchronisationInSteps},
    {"pageable_copies", rule::pageableCopies},
    {"exposed_communication", rule::exposedCommunication},
    {"low_clock", rule::lowClock},
    {"gemm_without_tensor_cores", rule::gemmWithoutTensorCores},
    {"misaligned_gemm", rule::misalignedGemm},
    {"low_occupancy_tail", rule::lowOccupancyOrTail},
}};

int rank(const Finding& finding) {
  return finding.severity == "critical" ? 0 : finding.severity == "warning" ? 1 : 2;
}

}  // namespace

std::span<const Rule> rules() {
  return kRules;
}

std::vector<Finding> findings(const RuleInput& input) {
  std::vector<Finding> result;
  for (const Rule& entry : kRules) entry.run(input, result);
  std::stable_sort(result.begin(), result.end(),
                   [](const Finding& a, const Finding& b) { return rank(a) < rank(b); });
  return result;
}

}  // namespace perfscope
