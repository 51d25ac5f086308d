// When to collect.
#include "collector/window/gate.h"

#include <regex>
#include <string>

namespace perfscope::collector {

struct StepMatcher::Regex {
  std::regex expression;
};

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool startsWithWord(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (size_t i = 0; i < word.size(); ++i)
    if (lower(text[i]) != word[i]) return false;
  return true;
}

bool isSeparator(char c) {
  return c == ' ' || c == '#' || c == '_' || c == ':' || c == '-' || c == '=';
}

bool defaultMatch(std::string_view text) {
  for (const std::string_view word : {"profilerstep", "step", "iteration", "iter"}) {
    if (!startsWithWord(text, word)) continue;
    std::string_view rest = text.substr(word.size());
    while (!rest.empty() && isSeparator(rest.front())) rest.remove_prefix(1);
    if (rest.empty()) return false;
    for (const char c : rest)
      if (c < '0' || c > '9') return false;
    return true;
  }
  return false;
}

}  // namespace

StepMatcher::StepMatcher(std::string_view pattern) : m_plain(pattern) {
  if (pattern.empty()) return;
  try {
    m_regex = std::make_unique<Regex>(Regex{std::regex(m_plain, std::regex::optimize)});
  } catch (const std::exception&) {
    m_valid = false;
  }
}
StepMatcher::~StepMatcher() = default;
StepMatcher::StepMatcher(StepMatcher&&) noexcept = default;
StepMatcher& StepMatcher::operator=(StepMatcher&&) noexcept = default;

bool StepMatcher::matches(std::string_view text) const noexcept {
  if (m_plain.empty()) return defaultMatch(text);
  if (!m_regex) return text == m_plain;
  try {
    return std::regex_search(text.begin(), text.end(), m_regex->expression);
  } catch (const std::exception&) {  // too complex for the library: no step
    return false;
  }
}

Gate::Gate(const CollectorConfig& config, uint64_t start_ns)
    : m_config(config),
      m_matcher(config.step_marker),
      m_begin_ns(start_ns + config.delay_ns),
      m_end_ns(config.duration_ns == 0 ? 0 : start_ns + config.delay_ns + config.duration_ns),
      m_constant(config.delay_ns == 0 && config.duration_ns == 0 && config.steps_active == 0 &&
                 config.capture == Capture::All),
      m_now_ns(start_ns) {
  update(start_ns, spool::WindowReason::Start);
}

Gate::StepPhase Gate::phaseOf(uint64_t step) const noexcept {
  const uint64_t cycle =
      static_cast<uint64_t>(m_config.steps_wait) + m_config.steps_warmup + m_config.steps_active;
  if (m_config.steps_repeat != 0 && step >= cycle * m_config.steps_repeat) return StepPhase::Off;
  const uint64_t position = step % cycle;
  if (position < m_config.steps_wait) return StepPhase::Off;
  return position < static_cast<uint64_t>(m_config.steps_wait) + m_config.steps_warmup ? StepPhase::Warmup
                                                                                       : StepPhase::Active;
}

bool Gate::timeAllows(uint64_t now_ns) const noexcept {
  return now_ns >= m_begin_ns && (m_end_ns == 0 || now_ns < m_end_ns);
}

void Gate::update(uint64_t time_ns, spool::WindowReason reason) {
  const bool steps_allow = m_config.steps_active == 0 || m_step_active;
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
  if (m_config.steps_active != 0 && m_matcher.matches(text)) {
    m_step_active = phaseOf(m_steps_begun) == StepPhase::Active;
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
  if (m_config.steps_active != 0 && m_step_active && m_matcher.matches(text) &&
      phaseOf(m_steps_begun) != StepPhase::Active) {
    m_step_active = false;
    update(time_ns, spool::WindowReason::StepWindow);
  }
}

void Gate::profilerApi(bool on, uint64_t time_ns) {
  if (m_constant) return;
  m_profiler_on = on;
  update(time_ns, spool::WindowReason::ProfilerApi);
}

bool Gate::kindsWanted() const noexcept {
  if (m_constant || m_open) return true;
  if (!timeAllows(m_now_ns)) return false;
  if (m_config.steps_active != 0) {
    // One step ahead of the window: the step under way is m_steps_begun - 1, the next m_steps_begun.
    const bool next = phaseOf(m_steps_begun) != StepPhase::Off;
    const bool current = m_steps_begun > 0 && phaseOf(m_steps_begun - 1) != StepPhase::Off;
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
