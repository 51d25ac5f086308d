// The clocks of the collector, in nanoseconds.
#pragma once

#include <ctime>

#include <cstdint>

namespace perfscope::collector {

inline uint64_t clockNs(clockid_t clock) noexcept {
  timespec now{};
  ::clock_gettime(clock, &now);  // vDSO: no system call
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000ULL + static_cast<uint64_t>(now.tv_nsec);
}
// CUPTI's default clock on Linux, and that of every time in the spool.
inline uint64_t realtimeNs() noexcept {
  return clockNs(CLOCK_REALTIME);
}
inline uint64_t monotonicNs() noexcept {
  return clockNs(CLOCK_MONOTONIC);
}

}  // namespace perfscope::collector
