// The rules that turn facts into findings: one explicit list, each rule a function of what is known.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "analysis/diagnosis/window_shares.h"

namespace perfscope {

// What a rule may look at. `report` has every section but verdict and findings.
struct RuleInput {
  const ProfileFacts& facts;
  const WindowShares& shares;
  const Report& report;
};

struct Rule {
  std::string_view id;
  bool is_kernel_advice;  // withheld while input, host or communication bind: it would change nothing yet
  // Appends findings; silent when nothing is wrong or an input is missing.
  void (*run)(const RuleInput& input, std::vector<Finding>& findings);
};

// In the order of elimination: data, system, kernels.
std::span<const Rule> rules();

// Runs all; findings come by severity, then in the order of the rules. Their gains are withheld where the
// recording itself slowed the program too much.
std::vector<Finding> findings(const RuleInput& input);

namespace rule {
void dataQuality(const RuleInput& input, std::vector<Finding>& findings);
void recordingOverhead(const RuleInput& input, std::vector<Finding>& findings);
void pointAboveRoof(const RuleInput& input, std::vector<Finding>& findings);
void idleCauses(const RuleInput& input, std::vector<Finding>& findings);
void launchBound(const RuleInput& input, std::vector<Finding>& findings);
void synchronisationInSteps(const RuleInput& input, std::vector<Finding>& findings);
void pageableCopies(const RuleInput& input, std::vector<Finding>& findings);
void exposedCommunication(const RuleInput& input, std::vector<Finding>& findings);
void lowClock(const RuleInput& input, std::vector<Finding>& findings);
void gemmWithoutTensorCores(const RuleInput& input, std::vector<Finding>& findings);
void misalignedGemm(const RuleInput& input, std::vector<Finding>& findings);
void lowOccupancyOrTail(const RuleInput& input, std::vector<Finding>& findings);
}  // namespace rule

}  // namespace perfscope
