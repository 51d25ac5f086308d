// The list of metrics. Times are integer ns, intervals half open; "union" is the length of the union of
// intervals.
#include "analysis/metrics/metrics.h"

#include <algorithm>
#include <array>

namespace perfscope {
namespace {

constexpr std::string_view kRecords = "kernel, memcpy, memset";
constexpr std::string_view kNoSum = "never a sum over streams or devices";

constexpr auto kMetrics = std::to_array<Metric>({
    {"devices.span_ns", "Span", "How long was the GPU in use from first to last?", "ns", kRecords,
     "last end - first start - time without recording",
     "GPU records: kernels, copies, fills; graph nodes count as what they are"},
    {"devices.busy_ns", "Busy", "How long was anything running on the GPU?", "ns", kRecords,
     "union of all GPU records", "zero-length records count in counts, not in unions"},
    {"devices.idle_ns", "Idle", "How long did the GPU do nothing?", "ns", "devices.span_ns, devices.busy_ns",
     "span - busy", ""},
    {"devices.kernel_busy_ns", "Kernel time", "How long was a kernel running?", "ns", "kernel",
     "union of kernels", kNoSum},
    {"devices.compute_ns", "Compute", "How long was a computing kernel running?", "ns", "kernel",
     "union of kernels that are not communication",
     "communication by kernel name: ncclDevKernel*, ncclKernel*, rccl*"},
    {"devices.comm_ns", "Communication", "How long was a communication kernel running?", "ns", "kernel",
     "union of communication kernels", "provenance modelled:kernel_name"},
    {"devices.overlap_ns", "Overlap", "How much communication hid behind compute?", "ns",
     "devices.compute_ns, devices.comm_ns", "|compute and comm|", ""},
    {"devices.exposed_comm_ns", "Exposed communication", "How much communication did the GPU wait for?", "ns",
     "devices.comm_ns, devices.overlap_ns", "comm - overlap", ""},
    {"devices.copy_hidden_ns", "Hidden copies", "How much copying hid behind compute?", "ns",
     "memcpy, kernel", "|copies and compute|", ""},
    {"devices.kernel_sum_ns", "Kernel duration sum",
     "How much kernel time was spent, overlaps counted twice?", "ns", "kernel", "sum of durations",
     "a sum, not a time: may exceed kernel time"},
    {"steps.median_ns", "Step time", "How long does a steady step take?", "ns", "nvtx_range or kernel",
     "median of start-to-start times of the steps that are not warm-up",
     "last step: to its own end; when the host runs ahead, boundaries are the first GPU record of each step"},
    {"steps.mad_ns", "Step spread", "How much do step times vary?", "ns", "steps.median_ns",
     "median of |duration - median|", ""},
    {"steps.drift", "Drift", "Do steps get slower?", "fraction", "steps.median_ns",
     "median of last third / median of first third - 1", ""},
    {"gaps.total_ns", "Idle time in gaps", "How long was the GPU idle, and why?", "ns", kRecords,
     "sum of maximal idle intervals of a device", "each gap has one cause: the first that matches"},
    {"gaps.launch_latency", "Launch latency", "How long from the launch call to the start on the GPU?", "ns",
     "kernel.launch_start_ns", "kernel start - entry of the launch call",
     "queueing included; of a graph: its first node"},
    {"gaps.launch_cost", "Launch cost", "What does a launch cost the host?", "ns",
     "kernel.launch_duration_ns", "duration of the launch call",
     "graph launches only when there are no others"},
    {"gaps.queue_depth", "Queue depth", "How far is the host ahead of the GPU?", "launches", "kernel",
     "launched - started on that device at the time of the launch", "a graph launch counts as one"},
    {"kernels.flops.algorithmic", "Algorithmic FLOPs", "How much arithmetic did the algorithm need?", "FLOP",
     "gemm_call", "2 m n k batch",
     "one fused multiply-add = 2; complex 8; fused epilogue not counted; sparsity off"},
    {"kernels.bytes.algorithmic", "Algorithmic bytes", "How many bytes must move at least?", "bytes",
     "gemm_call", "each operand once, the result once, C too when beta != 0",
     "not what DRAM saw: caches may serve more or less"},
    {"kernels.intensity.algorithmic", "Intensity", "How much arithmetic per byte?", "FLOP/byte",
     "kernels.flops.algorithmic, kernels.bytes.algorithmic", "FLOPs / bytes",
     "ratio of sums over the launches that carry both"},
    {"kernels.roofline.fraction_of_roof", "Share of the roof", "How close to what the GPU can do here?",
     "fraction", "achieved rate, peak, bandwidth", "rate / min(peak, bandwidth x intensity)",
     "peak of the executed precision, dense, at the recorded SM clock where known"},
    {"kernels.occupancy", "Occupancy", "How many warps can an SM hold of this kernel?", "fraction",
     "launch_shape, device", "resident warps / most possible", "theoretical; limiter named"},
    {"kernels.waves", "Waves", "How often is the whole GPU filled by one launch?", "waves",
     "launch_shape, device", "grid blocks / (SMs x resident blocks)", ""},
    {"kernels.tail", "Tail", "How empty is the last wave?", "fraction", "kernels.waves",
     "unused part of the last wave", ""},
    {"memory.peak_bytes", "Peak memory", "How much device memory was allocated at most?", "bytes",
     "memory_event", "largest running sum of allocations - frees",
     "as asked of CUDA: a caching allocator (PyTorch) asks for blocks, not for tensors"},
    {"utilisation.busy", "Busy share", "Which part of the time was the GPU doing anything?", "fraction",
     "devices.busy_ns", "sum of busy / sum of span", "over the devices of the analysed window"},
    {"utilisation.hfu", "Hardware FLOPs utilisation", "Which part of the peak was used?", "fraction",
     "kernels.flops.algorithmic", "FLOPs in the window / (peak x time of the window)",
     "matrix products of library calls only: a lower bound"},
    {"utilisation.mfu", "Model FLOPs utilisation", "Which part of the peak did the model need?", "fraction",
     "model description", "model FLOPs per step / (N x peak x step time)", "never from counters"},
});

}  // namespace

std::span<const Metric> metrics() {
  return kMetrics;
}

const Metric* findMetric(std::string_view id) {
  const auto* found =
      std::find_if(kMetrics.begin(), kMetrics.end(), [id](const Metric& m) { return m.id == id; });
  return found == kMetrics.end() ? nullptr : found;
}

}  // namespace perfscope
