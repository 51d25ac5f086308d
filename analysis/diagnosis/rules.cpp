// The list of rules and its order.
#include "analysis/diagnosis/rules.h"

#include <algorithm>
#include <array>

#include "analysis/diagnosis/gates.h"
#include "analysis/diagnosis/recording_overhead.h"

namespace perfscope {
namespace {

constexpr std::array<Rule, 12> kRules = {{
    {"data_quality", false, rule::dataQuality},
    {"recording_overhead", false, rule::recordingOverhead},
    {"point_above_roof", false, rule::pointAboveRoof},
    {"idle_causes", false, rule::idleCauses},
    {"launch_bound", false, rule::launchBound},
    {"synchronisation_in_steps", false, rule::synchronisationInSteps},
    {"pageable_copies", false, rule::pageableCopies},
    {"exposed_communication", false, rule::exposedCommunication},
    {"low_clock", false, rule::lowClock},
    {"gemm_without_tensor_cores", true, rule::gemmWithoutTensorCores},
    {"misaligned_gemm", true, rule::misalignedGemm},
    {"low_occupancy_tail", true, rule::lowOccupancyOrTail},
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
  const bool withhold = earlierGateFails(gates(input.facts, input.shares));
  for (const Rule& entry : kRules) {
    if (!(withhold && entry.is_kernel_advice)) entry.run(input, result);
  }
  if (const std::string why = gainsWithheldWhy(input.report.overhead); !why.empty()) {
    for (Finding& finding : result) {
      if (finding.predicted_gain_ns.has())
        finding.predicted_gain_ns = Measured<int64_t>::absent("withheld, because " + why);
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Finding& a, const Finding& b) { return rank(a) < rank(b); });
  return result;
}

}  // namespace perfscope
