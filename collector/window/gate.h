// When to collect: delay, duration, step windows, NVTX capture range and the profiler API, as one pure
// decision.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "collector/window/step_matcher.h"
#include "collector/window/step_plan.h"
#include "schemas/collector_config.h"
#include "schemas/spool_format.h"

namespace perfscope::collector {

// Drain thread only. Times are CLOCK_REALTIME ns. The gate hears of ranges up to one drain round (25 ms)
// late, but it stamps its windows with the ranges' own times; that CUPTI is on in time is the trigger's
// business (trigger.h). Without any window option it is open from the first tick.
class Gate {
 public:
  Gate(const CollectorConfig& config, uint64_t start_ns);

  void tick(uint64_t now_ns);
  void rangeBegan(std::string_view text, uint64_t time_ns);
  void rangeEnded(std::string_view text, uint64_t time_ns);
  void profilerApi(bool on, uint64_t time_ns);

  // Whether CUPTI's kinds should be enabled now.
  [[nodiscard]] bool kindsWanted() const noexcept;
  [[nodiscard]] bool open() const noexcept { return m_open; }
  // The windows opened and closed since the last call, in order.
  std::optional<spool::Window> nextWindow();
  // True when the gate can never change (no window option): ranges need not be matched.
  [[nodiscard]] bool constant() const noexcept { return m_constant; }

 private:
  [[nodiscard]] bool timeAllows(uint64_t now_ns) const noexcept;
  void update(uint64_t time_ns, spool::WindowReason reason);

  CollectorConfig m_config;
  StepPlan m_plan;
  StepMatcher m_matcher;
  uint64_t m_begin_ns, m_end_ns;  // of the time window; 0 = no end
  bool m_constant;
  uint64_t m_now_ns = 0;
  uint64_t m_steps_begun = 0;  // step ranges seen
  bool m_step_active = false;
  uint32_t m_capture_depth = 0;  // nested capture ranges
  bool m_profiler_on = false, m_profiler_stopped = false;
  bool m_open = false;
  std::deque<spool::Window> m_windows;
};

}  // namespace perfscope::collector
