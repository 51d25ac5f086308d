// One reading of all clocks.
#include "collector/cupti/clock_sync.h"

#include <cstdint>

#include "collector/process/clock.h"

namespace perfscope::collector {
namespace {

uint64_t readTsc() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return 0;  // other processors: realtime and monotonic are enough
#endif
}

spool::ClockSync readOnce(const CuptiApi* api) noexcept {
  spool::ClockSync sync{};
  sync.head.kind = spool::Kind::ClockSync;
  const uint64_t before = monotonicNs();
  sync.realtime_ns = realtimeNs();
  sync.tsc = readTsc();
  uint64_t cupti = 0;
  if (api != nullptr && api->get_timestamp(&cupti) == CUPTI_SUCCESS) sync.cupti_ns = cupti;
  const uint64_t after = monotonicNs();
  sync.monotonic_ns = before + (after - before) / 2;
  sync.uncertainty_ns = after - before;
  return sync;
}

}  // namespace

spool::ClockSync readClocks(const CuptiApi* api) noexcept {
  constexpr int kTries = 3;
  spool::ClockSync best = readOnce(api);
  for (int i = 1; i < kTries; ++i) {
    const spool::ClockSync next = readOnce(api);
    if (next.uncertainty_ns < best.uncertainty_ns) best = next;
  }
  return best;
}

}  // namespace perfscope::collector
