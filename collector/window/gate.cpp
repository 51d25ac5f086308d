// When to collect.
#include "collector/window/gate.h"

namespace perfscope::collector {

Gate::Gate(const CollectorConfig& config, uint64_t start_ns)
    : m_config(config),
      m_plan(StepPlan::of(config)),
      m_matcher(config.step_marker),
      m_begin_ns(start_ns + config.delay_ns),
      m_end_ns(config.duration_ns == 0 ? 0 : start_ns + config.delay_ns + config.duration_ns),
      m_constant(config.delay_ns == 0 && config.duration_ns == 0 && !m_plan.used() &&
                 config.capture == Capture::All),
      m_now_ns(start_ns) {
  update(start_ns, spool::WindowReason::Start);
}

bool Gate::timeAllows(uint64_t now_ns) const noexcept {
  return now_ns >= m_begin_ns && (m_end_ns == 0 || now_ns < m_end_ns);
}

void Gate::update(uint64_t time_ns, spool::WindowReason reason) {
  const bool steps_allow = !m_plan.used() || m_step_active;
  const bool capture_allows = m_config.capture == Capture::All ||
                              (m_config.capture == Capture::Nvtx ? m_capture_depth > 0 : m_profiler_on);
  const bool open = timeAllows(m_now_ns) && steps_allow && capture_allows;
  if (open == m_open) return;
  m_open = open;
  spool::Window window{};
  window.head.kind = spool::Kind::Window;
  window.head.flags = open ? 1 : 0;
  window.time_ns = time_ns;
  window.reason = reason;
  window.step = static_cast<uint32_t>(m_steps_begun);
  m_windows.push_back(window);
}

void Gate::tick(uint64_t now_ns) {
  if (m_constant) return;
  const bool before = timeAllows(m_now_ns);
  if (now_ns > m_now_ns) m_now_ns = now_ns;
  if (before == timeAllows(m_now_ns)) return;
  const bool ended = before;
  update(ended ? m_end_ns : m_begin_ns, ended ? spool::WindowReason::Duration : spool::WindowReason::Delay);
}

void Gate::rangeBegan(std::string_view text, uint64_t time_ns) {
  if (m_constant) return;
  if (m_config.capture == Capture::Nvtx && text == m_config.capture_range) {
    ++m_capture_depth;
    update(time_ns, spool::WindowReason::NvtxCapture);
  }
  if (m_plan.used() && m_matcher.matches(text)) {
    m_step_active = m_plan.phaseOf(m_steps_begun) == StepPhase::Active;
    update(time_ns, spool::WindowReason::StepWindow);
    ++m_steps_begun;
  }
}

void Gate::rangeEnded(std::string_view text, uint64_t time_ns) {
  if (m_constant) return;
  if (m_config.capture == Capture::Nvtx && m_capture_depth > 0 && text == m_config.capture_range) {
    --m_capture_depth;
    update(time_ns, spool::WindowReason::NvtxCapture);
  }
  if (m_plan.used() && m_step_active && m_matcher.matches(text) &&
      m_plan.phaseOf(m_steps_begun) != StepPhase::Active) {
    m_step_active = false;
    update(time_ns, spool::WindowReason::StepWindow);
  }
}

void Gate::profilerApi(bool on, uint64_t time_ns) {
  if (m_constant) return;
  m_profiler_on = on;
  if (!on) m_profiler_stopped = true;
  update(time_ns, spool::WindowReason::ProfilerApi);
}

bool Gate::kindsWanted() const noexcept {
  if (m_constant || m_open) return true;
  if (!timeAllows(m_now_ns)) return false;
  // Nothing announces the first cudaProfilerStart, and in its callback CUPTI must not be called.
  if (m_config.capture == Capture::ProfilerApi && !m_profiler_stopped) return true;
  if (m_plan.used()) {
    // One step ahead of the window: the step under way is m_steps_begun - 1, the next m_steps_begun.
    const bool next = m_plan.phaseOf(m_steps_begun) != StepPhase::Off;
    const bool current = m_steps_begun > 0 && m_plan.phaseOf(m_steps_begun - 1) != StepPhase::Off;
    return m_config.capture == Capture::All && (next || current);
  }
  return false;
}

std::optional<spool::Window> Gate::nextWindow() {
  if (m_windows.empty()) return std::nullopt;
  const spool::Window window = m_windows.front();
  m_windows.pop_front();
  return window;
}

}  // namespace perfscope::collector
