// Counts what was lost, one relaxed atomic per line of schemas/loss_counters.h.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "schemas/loss_counters.h"

namespace perfscope::collector {

// Any thread, any time, never waits. Before a session exists the counts live here; `redirect` moves them into
// the mapped control file, so that they survive SIGKILL.
class LossTally {
 public:
  using Counter = std::atomic<uint64_t>;

  void count(Loss loss, uint64_t n = 1) noexcept {
    Counter* target = m_target.load(std::memory_order_acquire);
    (target != nullptr ? target : m_early.data())[static_cast<size_t>(loss)].fetch_add(
        n, std::memory_order_relaxed);
  }

  // `target` has kLossCount counters and outlives every later `count`.
  void redirect(Counter* target) noexcept {
    m_target.store(target, std::memory_order_release);
    for (size_t i = 0; i < kLossCount; ++i) {
      const uint64_t early = m_early[i].exchange(0, std::memory_order_relaxed);
      if (target != nullptr) target[i].fetch_add(early, std::memory_order_relaxed);
    }
  }

  [[nodiscard]] uint64_t value(Loss loss) const noexcept {
    const Counter* target = m_target.load(std::memory_order_acquire);
    return (target != nullptr ? target : m_early.data())[static_cast<size_t>(loss)].load(
        std::memory_order_relaxed);
  }

 private:
  std::atomic<Counter*> m_target{nullptr};
  std::array<Counter, kLossCount> m_early{};
};

}  // namespace perfscope::collector
