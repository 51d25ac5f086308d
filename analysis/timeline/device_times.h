// Where the time of one device went: span, busy, compute, communication, copies, and how much of one hides
// another.
#pragma once

#include <vector>

#include "analysis/timeline/intervals.h"
#include "analysis/trace/trace.h"

namespace perfscope {

// All in integer ns; *_ns but kernel_sum_ns are lengths of unions of half-open intervals. Definitions: metric
// catalogue, "time on the device".
struct DeviceTimes {
  int64_t kernel_count = 0, comm_count = 0, memcpy_count = 0, memset_count = 0, graph_node_count = 0;
  int64_t memcpy_bytes = 0;
  int64_t kernel_sum_ns = 0;
  int64_t first_ns = 0, last_ns = 0;
  int64_t unrecorded_ns = 0;  // between first and last, the recording was paused and no record tells
  int64_t span_ns = 0, busy_ns = 0, idle_ns = 0, kernel_busy_ns = 0, compute_ns = 0, comm_ns = 0;
  int64_t overlap_ns = 0, exposed_comm_ns = 0, memcpy_ns = 0, memset_ns = 0;
  int64_t copy_hidden_ns = 0;  // copies while a computing kernel ran
  int64_t streams = 0;
};

// True per kernel name for communication kernels (NCCL and RCCL), by the name's beginning.
std::vector<bool> communicationNames(const Trace& trace);

// One pass, constant memory. With a window, records are clipped to it, the span is the window's length and
// counts are those of records that share time with the window (a zero-length one: that lie in it). Time in
// which the recording was paused is left out of span and idle.
DeviceTimes deviceTimes(const Trace& trace, size_t device, const std::vector<bool>& is_communication,
                        Interval window = kAllTime);

}  // namespace perfscope
