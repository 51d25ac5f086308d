// Recognises the NVTX range that is one step.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace perfscope::collector {

// Immutable after construction; any thread. A pattern that is not a valid regular expression matches as plain
// text
// (`valid()` says so). With a pattern, matching costs microseconds and may allocate: the price of that
// option.
class StepMatcher {
 public:
  // Empty: "step 12", "Step#12", "ProfilerStep#12", "iteration 3", "iter_3" (whole text, any case).
  explicit StepMatcher(std::string_view pattern);
  ~StepMatcher();
  StepMatcher(const StepMatcher&) = delete;
  StepMatcher& operator=(const StepMatcher&) = delete;
  [[nodiscard]] bool matches(std::string_view text) const noexcept;
  [[nodiscard]] bool valid() const noexcept { return m_valid; }

 private:
  struct Regex;
  std::unique_ptr<Regex> m_regex;
  std::string m_plain;
  bool m_valid = true;
};

}  // namespace perfscope::collector
