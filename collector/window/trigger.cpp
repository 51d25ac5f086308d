// Has CUPTI switched on before the range begins that opens a window.
#include "collector/window/trigger.h"

namespace perfscope::collector {

WindowTrigger::WindowTrigger(const CollectorConfig& config, void (*switch_on)(void*), void* self)
    : m_plan(StepPlan::of(config)),
      m_matcher(config.step_marker),
      m_capture_range(config.capture == Capture::Nvtx ? config.capture_range : std::string()),
      m_switch_on(switch_on),
      m_self(self) {}

bool WindowTrigger::opens(std::string_view text) noexcept {
  bool opens = !m_capture_range.empty() && text == m_capture_range;
  if (m_plan.used() && m_matcher.matches(text)) {
    // One step ahead where there is one: switching on then falls into a step that is not recorded.
    const uint64_t step = m_steps.fetch_add(1, std::memory_order_relaxed);
    opens |= m_plan.phaseOf(step) != StepPhase::Off || m_plan.phaseOf(step + 1) != StepPhase::Off;
  }
  return opens;
}

bool WindowTrigger::before(std::string_view text) noexcept {
  if (!opens(text)) return false;
  m_begun.fetch_add(1, std::memory_order_release);
  m_switch_on(m_self);
  return true;
}

}  // namespace perfscope::collector
