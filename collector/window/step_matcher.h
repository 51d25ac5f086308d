// Recognises the NVTX range that is one step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "collector/window/pattern.h"

namespace perfscope::collector {

// Immutable after construction; any thread. A pattern that is not a valid regular expression matches as plain
// text (`valid()` says so). Matching does not allocate, but for patterns beyond collector/window/pattern.h
// (look-ahead, back references, \\b), which the standard library matches: `allocates()` says so.
class StepMatcher {
 public:
  // Empty: "step 12", "Step#12", "ProfilerStep#12", "iteration 3", "iter_3" (whole text, any case).
  explicit StepMatcher(std::string_view pattern);
  ~StepMatcher();
  StepMatcher(const StepMatcher&) = delete;
  StepMatcher& operator=(const StepMatcher&) = delete;
  [[nodiscard]] bool matches(std::string_view text) const noexcept;
  [[nodiscard]] bool valid() const noexcept { return m_valid; }
  [[nodiscard]] bool allocates() const noexcept { return m_regex != nullptr; }

 private:
  struct Regex;
  std::optional<Pattern> m_pattern;
  std::unique_ptr<Regex> m_regex;  // only for what m_pattern cannot do
  std::string m_plain;
  bool m_valid = true;
};

}  // namespace perfscope::collector
