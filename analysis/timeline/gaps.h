// Idle time of the devices by cause, over the whole profile and over the analysed window.
#pragma once

#include <array>
#include <vector>

#include "analysis/timeline/gap_causes.h"

namespace perfscope {

struct CauseTotal {
  int64_t ns = 0, count = 0;
};
using CauseTotals = std::array<CauseTotal, kIdleCauseCount>;  // by IdleCause

struct DeviceGaps {
  CauseTotals all, window;  // window: gaps clipped to it
  int64_t latency_floor_ns = 0;
  bool floor_is_measured = false;
};

struct JudgedGap {
  Gap gap;
  size_t device = 0;
  IdleCause cause = IdleCause::Unknown;
};

struct GapAnalysis {
  std::vector<DeviceGaps> devices;  // by device index
  std::vector<JudgedGap> largest;   // longest first, then by device and start
  std::vector<JudgedGap>
      largest_in_window;  // the same of the analysed window alone: what the verdict may quote
};

// Calls visit(const Gap&) for every maximal idle interval between the first and the last record of the
// device.
template <class Visit>
void forEachGap(const Trace& trace, size_t device, Visit&& visit) {
  RecordRef last{};
  int64_t busy_until = 0;
  bool first = true;
  forEachRecord(trace, device, [&](RecordRef ref, int64_t start, int64_t end) {
    if (start == end) return;  // takes no time: neither fills nor ends a gap
    if (!first && start > busy_until) visit(Gap{{busy_until, start}, last, ref});
    if (first || end > busy_until) {
      busy_until = end;
      last = ref;
    }
    first = false;
  });
}

// Two passes over the records, constant memory beside the largest ones. `largest_count` bounds the list.
// A gap during which the recording was paused is cut to what was recorded of it; what is left has no known
// cause, because the records beside the pause are missing.
GapAnalysis analyseGaps(const Trace& trace, Interval window, size_t largest_count);

}  // namespace perfscope
