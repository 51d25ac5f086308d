// Which steps are recorded: wait, warm-up, active, repeated. Pure.
#pragma once

#include <cstdint>

#include "schemas/collector_config.h"

namespace perfscope::collector {

enum class StepPhase { Off, Warmup, Active };

struct StepPlan {
  uint64_t wait = 0, warmup = 0, active = 0, repeat = 0;  // active 0: no step windows; repeat 0: for ever

  static StepPlan of(const CollectorConfig& config) noexcept {
    return {config.steps_wait, config.steps_warmup, config.steps_active, config.steps_repeat};
  }
  [[nodiscard]] bool used() const noexcept { return active != 0; }
  // Of the step with that number, from 0. Precondition: used().
  [[nodiscard]] StepPhase phaseOf(uint64_t step) const noexcept {
    const uint64_t cycle = wait + warmup + active;
    if (repeat != 0 && step >= cycle * repeat) return StepPhase::Off;
    const uint64_t position = step % cycle;
    if (position < wait) return StepPhase::Off;
    return position < wait + warmup ? StepPhase::Warmup : StepPhase::Active;
  }
};

}  // namespace perfscope::collector
