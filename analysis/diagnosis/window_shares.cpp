// Device times and gaps of the window -> fractions.
#include "analysis/diagnosis/window_shares.h"

#include <algorithm>

#include "analysis/metrics/thresholds.h"
#include "analysis/timeline/gpu_records.h"

namespace perfscope {
namespace {

bool memoryNatured(const std::string& kernel_class) {
  for (int i = 0; i <= static_cast<int>(KernelClass::Other); ++i) {
    const auto candidate = static_cast<KernelClass>(i);
    if (kernel_class == name(candidate)) return isMemoryNatured(candidate);
  }
  return false;
}

std::string bucketOf(const KernelReport& kernel) {
  const std::string& verdict = kernel.roofline.verdict;
  if (verdict == "memory" || verdict == "compute" || verdict == "below_both" || verdict == "launch")
    return verdict;
  return memoryNatured(kernel.kernel_class) ? "memory?" : "unknown";
}

// Time in which pageable copies were all that ran = |all records| - |all others|, clipped to the window.
int64_t addPageable(const Trace& trace, size_t device, Interval window, PageableCopies& copies) {
  UnionLength all, others;
  forEachRecord(trace, device, [&](RecordRef ref, int64_t start, int64_t end) {
    const Interval part = intersection({start, end}, window);
    all.add(part.start, part.end);
    if (!ref.is_kernel && isPageable(trace.ops[ref.index])) {
      if (part.length() == 0) return;
      ++copies.count;
      copies.bytes += trace.ops[ref.index].bytes;
    } else {
      others.add(part.start, part.end);
    }
  });
  return all.length() - others.length();
}

void addKernels(const ProfileFacts& facts, const std::vector<KernelReport>& kernels, WindowShares& shares) {
  double kernel_ns = 0;
  for (const KernelReport& kernel : kernels) {
    const auto device = facts.trace.device_index.find(kernel.device);
    if (device == facts.trace.device_index.end() || !weighs(facts, device->second) ||
        kernel.kernel_class == "communication") {
      continue;
    }
    shares.kernels_by_verdict[bucketOf(kernel)] += static_cast<double>(kernel.window_ns);
    kernel_ns += static_cast<double>(kernel.window_ns);
  }
  for (auto& [verdict, share] : shares.kernels_by_verdict)
    share *= kernel_ns > 0 ? shares.kernels / kernel_ns : 0;
}

}  // namespace

bool weighs(const ProfileFacts& facts, size_t device) {
  int64_t most = 0;
  for (const DeviceFacts& other : facts.devices) most = std::max(most, other.window.busy_ns);
  const int64_t busy = facts.devices[device].window.busy_ns;
  return busy > 0 && static_cast<double>(busy) >= threshold::kMinorDevice.value * static_cast<double>(most);
}

WindowShares windowShares(const ProfileFacts& facts, const std::vector<KernelReport>& kernels) {
  WindowShares shares;
  if (!facts.window || facts.window->length() == 0) return shares;
  const bool any_pageable = std::any_of(facts.trace.ops.begin(), facts.trace.ops.end(),
                                        [](const GpuOp& op) { return isPageable(op); });
  double all = 0;
  for (size_t i = 0; i < facts.devices.size(); ++i) {
    if (!weighs(facts, i)) continue;
    const DeviceTimes& times = facts.devices[i].window;
    ++shares.devices;
    all += static_cast<double>(times.span_ns);
    shares.busy += static_cast<double>(times.busy_ns);
    shares.exposed_communication += static_cast<double>(times.exposed_comm_ns);
    shares.kernels += static_cast<double>(times.compute_ns);
    for (size_t cause = 0; cause < kIdleCauseCount; ++cause) {
      shares.idle[cause] += static_cast<double>(facts.gaps.devices[i].window[cause].ns);
      shares.idle_count[cause] += facts.gaps.devices[i].window[cause].count;
    }
    if (any_pageable)
      shares.pageable.exposed +=
          static_cast<double>(addPageable(facts.trace, i, *facts.window, shares.pageable));
  }
  if (all <= 0) return shares;
  shares.window_ns = static_cast<int64_t>(all / static_cast<double>(shares.devices));
  shares.busy /= all;
  shares.exposed_communication /= all;
  shares.kernels /= all;
  shares.pageable.exposed /= all;
  for (double& share : shares.idle) share /= all;
  addKernels(facts, kernels, shares);
  return shares;
}

}  // namespace perfscope
