// Which NVTX texts matter to the analysis: those that mark a step and those that mark data loading.
#pragma once

#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <string_view>

#include "schemas/result.h"

namespace perfscope {

// The number in "step 12", "Step 12" or "ProfilerStep#12" (the whole text); empty for anything else.
std::optional<int64_t> stepNumber(std::string_view text);

// True for ranges in which a training loop waits for its input, e.g. PyTorch's
// "enumerate(DataLoader)#...__next__", "data_loading", "load batch", "fetch".
bool isDataLoading(std::string_view text);

// Decides which ranges are steps: those of an ECMAScript regular expression, or stepNumber() when it is
// empty.
class StepMatcher {
 public:
  // Error: Usage when the expression does not compile.
  static Result<StepMatcher> make(const std::string& expression);
  [[nodiscard]] bool matches(const std::string& text) const;

 private:
  std::optional<std::regex> m_expression;
};

}  // namespace perfscope
