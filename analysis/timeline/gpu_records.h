// The records of one device, kernels, copies and fills together, in order of their start.
#pragma once

#include <cstdint>

#include "analysis/trace/trace.h"

namespace perfscope {

// Names one GPU record of a trace. Cheap to copy; meaningful as long as the trace lives.
struct RecordRef {
  bool is_kernel = true;
  size_t index = 0;  // into Trace::kernels or Trace::ops
};

// What all kinds of records share.
struct RecordView {
  int64_t start_ns = 0, end_ns = 0;
  int64_t launch_start_ns = kUnknownTime, launch_duration_ns = kUnknownTime;
  int64_t graph_node = 0;
  uint32_t stream = 0, thread = 0, correlation = 0;
  uint16_t process = 0;
  [[nodiscard]] bool hasLaunch() const { return launch_start_ns != kUnknownTime; }
  [[nodiscard]] int64_t launchEnd() const { return launch_start_ns + launch_duration_ns; }
};

inline RecordView viewOf(const Trace& trace, RecordRef ref) {
  const size_t i = ref.index;
  if (ref.is_kernel) {
    const KernelTable& k = trace.kernels;
    return {k.start_ns[i],
            k.endNs(i),
            k.launch_start_ns[i],
            k.launch_duration_ns[i],
            k.inGraph(i) ? k.graph_node[i] : 0,
            k.stream[i],
            k.thread[i],
            k.correlation[i],
            k.process[i]};
  }
  const GpuOp& op = trace.ops[i];
  return {op.start_ns, op.endNs(),     op.launch_start_ns, op.launch_duration_ns, op.graph_node, op.stream,
          op.thread,   op.correlation, op.process};
}

// Calls visit(RecordRef, start_ns, end_ns) for every record of the device in order of start; a kernel before
// a copy or fill that starts at the same time.
template <class Visit>
void forEachRecord(const Trace& trace, size_t device, Visit&& visit) {
  const IndexRange kernels = trace.device_kernels[device];
  const IndexRange ops = trace.device_ops[device];
  size_t k = kernels.begin;
  size_t o = ops.begin;
  while (k < kernels.end || o < ops.end) {
    const bool kernel_next =
        o == ops.end || (k < kernels.end && trace.kernels.start_ns[k] <= trace.ops[o].start_ns);
    if (kernel_next) {
      visit(RecordRef{true, k}, trace.kernels.start_ns[k], trace.kernels.endNs(k));
      ++k;
    } else {
      visit(RecordRef{false, o}, trace.ops[o].start_ns, trace.ops[o].endNs());
      ++o;
    }
  }
}

}  // namespace perfscope
