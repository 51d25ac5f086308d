// Has CUPTI switched on before the range begins that opens a window: on the application's thread, because the
// drain thread hears of ranges up to 25 ms late, and a decode step takes two.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "collector/window/step_matcher.h"
#include "collector/window/step_plan.h"
#include "schemas/collector_config.h"

namespace perfscope::collector {

// Any thread. The NVTX functions call `before` ahead of each range and, when it returned true, `after` once
// the range is in the ring. Between the two, and until the drain thread has read the ring, `pending` keeps
// the kinds on; then the gate decides alone.
class WindowTrigger {
 public:
  // `switch_on(self)` enables CUPTI's kinds when they are off; it may take a millisecond.
  WindowTrigger(const CollectorConfig& config, void (*switch_on)(void*), void* self);

  // Whether a window depends on ranges at all; if not, the NVTX functions need no trigger.
  [[nodiscard]] bool used() const noexcept { return m_plan.used() || !m_capture_range.empty(); }
  bool before(std::string_view text) noexcept;
  void after() noexcept { m_recorded.fetch_add(1, std::memory_order_release); }

  // Drain thread: call `recorded` before reading the rings, `pending(that)` after.
  [[nodiscard]] uint64_t recorded() const noexcept { return m_recorded.load(std::memory_order_acquire); }
  [[nodiscard]] bool pending(uint64_t recorded) const noexcept {
    return m_begun.load(std::memory_order_acquire) != recorded;
  }

 private:
  [[nodiscard]] bool opens(std::string_view text) noexcept;

  StepPlan m_plan;
  StepMatcher m_matcher;
  std::string m_capture_range;  // empty: not this kind of capture
  void (*m_switch_on)(void*);
  void* m_self;
  std::atomic<uint64_t> m_steps{0};  // step ranges begun
  std::atomic<uint64_t> m_begun{0}, m_recorded{0};
};

}  // namespace perfscope::collector
