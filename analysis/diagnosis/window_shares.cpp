// Device times and gaps of the window -> fractions.
#include "analysis/diagnosis/window_shares.h"

#include <algorithm>
#include <set>

#include "analysis/metrics/thresholds.h"

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

}  // namespace

WindowShares windowShares(const ProfileFacts& facts, const std::vector<KernelReport>& kernels) {
  WindowShares shares;
  if (!facts.window || facts.window->length() == 0) return shares;
  shares.window_ns = facts.window->length();
  int64_t most = 0;
  for (const DeviceFacts& device : facts.devices) most = std::max(most, device.window.busy_ns);
  std::set<int64_t> weighing;
  for (size_t i = 0; i < facts.devices.size(); ++i) {
    const DeviceTimes& times = facts.devices[i].window;
    if (times.busy_ns == 0 ||
        static_cast<double>(times.busy_ns) < threshold::kMinorDevice.value * static_cast<double>(most)) {
      continue;
    }
    weighing.insert(facts.trace.devices[i].id);
    shares.busy += static_cast<double>(times.busy_ns);
    shares.exposed_communication += static_cast<double>(times.exposed_comm_ns);
    shares.kernels += static_cast<double>(times.compute_ns);
    for (size_t cause = 0; cause < kIdleCauseCount; ++cause) {
      shares.idle[cause] += static_cast<double>(facts.gaps.devices[i].window[cause].ns);
      shares.idle_count[cause] += facts.gaps.devices[i].window[cause].count;
    }
  }
  shares.devices = static_cast<int64_t>(weighing.size());
  const double all = static_cast<double>(shares.window_ns) * static_cast<double>(shares.devices);
  if (all <= 0) return shares;
  shares.busy /= all;
  shares.exposed_communication /= all;
  shares.kernels /= all;
  for (double& share : shares.idle) share /= all;
  double kernel_ns = 0;
  for (const KernelReport& kernel : kernels) {
    if (weighing.count(kernel.device) == 0 || kernel.kernel_class == "communication") continue;
    shares.kernels_by_verdict[bucketOf(kernel)] += static_cast<double>(kernel.total_ns);
    kernel_ns += static_cast<double>(kernel.total_ns);
  }
  for (auto& [verdict, share] : shares.kernels_by_verdict)
    share *= kernel_ns > 0 ? shares.kernels / kernel_ns : 0;
  return shares;
}

}  // namespace perfscope
