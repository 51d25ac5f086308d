// Figures of the gates.
#include "analysis/diagnosis/gates.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/metrics/thresholds.h"
#include "analysis/timeline/distribution.h"

namespace perfscope {
namespace {

double percent(double share) {
  return share * 100;
}

// Weighted by launches in the window: the duration that half of all kernels do not exceed (groups' medians,
// exact enough for a factor-two rule).
int64_t medianKernel(const ProfileFacts& facts) {
  std::vector<std::pair<int64_t, int64_t>> medians;  // duration, launches
  int64_t launches = 0;
  for (const KernelFacts& kernel : facts.kernels.list) {
    if (kernel.window.count == 0) continue;
    medians.emplace_back(kernel.duration.p50_ns, kernel.window.count);
    launches += kernel.window.count;
  }
  std::sort(medians.begin(), medians.end());
  int64_t seen = 0;
  for (const auto& [duration, count] : medians) {
    seen += count;
    if (2 * seen >= launches) return duration;
  }
  return 0;
}

double launchCost(const LaunchFacts& launches) {
  if (launches.window_cost.count == 0) return 0;
  const auto cost = static_cast<double>(launches.window_cost.p50_ns);
  if (!launches.cost_is_of_graphs) return cost;
  const auto nodes = static_cast<double>(launches.graph_nodes) / static_cast<double>(launches.graph_launches);
  return cost / std::max(1.0, nodes);
}

Gate hostGate(const ProfileFacts& facts, const WindowShares& shares) {
  const double submission = shares.of(IdleCause::HostSubmission);
  const double waiting = shares.of(IdleCause::Synchronisation) + shares.of(IdleCause::Allocation) +
                         shares.of(IdleCause::ModuleLoadOrJit) + shares.of(IdleCause::Copy);
  const LaunchBound launch = launchBound(facts, shares);
  if (launch.holds && launch.share >= waiting) {
    return {false, "launch", launch.share + waiting, threshold::kLaunchBoundShare.value,
            fmt::format(
                "{:.0f} % of the time the GPU waits for the next launch; the median kernel takes {:.1f} us, "
                "one launch costs the host {:.1f} us",
                percent(launch.share), static_cast<double>(launch.median_kernel_ns) / 1e3,
                launch.median_launch_cost_ns / 1e3)};
  }
  std::string parts;
  const std::array<std::pair<std::string_view, double>, 5> named = {
      {{"late launches", submission},
       {"synchronisation", shares.of(IdleCause::Synchronisation)},
       {"blocking copies", shares.of(IdleCause::Copy)},
       {"allocation", shares.of(IdleCause::Allocation)},
       {"code loading", shares.of(IdleCause::ModuleLoadOrJit)}}};
  for (const auto& [cause, share] : named) {
    if (share >= threshold::kNoiseShare.value) {
      parts += fmt::format("{}{} {:.0f} %", parts.empty() ? "" : ", ", cause, percent(share));
    }
  }
  return {false, "host", submission + waiting, threshold::kGateShare.value,
          fmt::format("the GPU is idle {:.0f} % of the time because of the host{}{}",
                      percent(submission + waiting), parts.empty() ? "" : ": ", parts)};
}

struct KernelGate {
  std::string_view binding;
  std::array<std::string_view, 2> verdicts;  // buckets of WindowShares::kernels_by_verdict
  std::string_view text;
};
// Short kernels bind as launches only through the gaps they leave (host gate); what is left is their own
// time.
constexpr std::array<KernelGate, 3> kKernelGates = {{
    {"memory", {"memory", "memory?"}, "kernels bound by the memory bandwidth take {:.0f} % of the time"},
    {"compute", {"compute", ""}, "kernels near the arithmetic peak take {:.0f} % of the time"},
    {"implementation",
     {"below_both", "launch"},
     "kernels far below both roofs, or too short to reach one, take {:.0f} % of the time"},
}};

double bucket(const WindowShares& shares, std::string_view verdict) {
  const auto found = shares.kernels_by_verdict.find(std::string(verdict));
  return found == shares.kernels_by_verdict.end() ? 0 : found->second;
}

Gate kernelGate(const WindowShares& shares, const KernelGate& gate) {
  const double share = bucket(shares, gate.verdicts[0]) + bucket(shares, gate.verdicts[1]);
  std::string figure = fmt::format(fmt::runtime(gate.text), percent(share));
  const double presumed = bucket(shares, "memory?");
  if (gate.binding == "memory" && presumed > 0) {
    figure += fmt::format(" ({:.0f} % of it presumed from the kind of kernel, not measured)",
                          percent(presumed / std::max(share, presumed)));
  }
  return {true, std::string(gate.binding), share, threshold::kGateShare.value, figure};
}

}  // namespace

LaunchBound launchBound(const ProfileFacts& facts, const WindowShares& shares) {
  LaunchBound result;
  result.share = shares.of(IdleCause::HostSubmission) + shares.of(IdleCause::LaunchLatency);
  result.median_kernel_ns = medianKernel(facts);
  result.median_launch_cost_ns = launchCost(facts.launches);
  result.holds = result.share >= threshold::kLaunchBoundShare.value && result.median_launch_cost_ns > 0 &&
                 static_cast<double>(result.median_kernel_ns) <=
                     threshold::kLaunchBoundKernel.value * result.median_launch_cost_ns;
  return result;
}

std::vector<Gate> gates(const ProfileFacts& facts, const WindowShares& shares) {
  const double limit = threshold::kGateShare.value;
  std::vector<Gate> result;
  const double input = shares.of(IdleCause::Input);
  result.push_back({false, "input", input, limit,
                    fmt::format("the GPU waits for data {:.0f} % of the time", percent(input))});
  result.push_back(hostGate(facts, shares));
  const double exposed = shares.exposed_communication + shares.of(IdleCause::CommunicationWait);
  result.push_back(
      {false, "communication", exposed, limit,
       fmt::format("communication that hides behind nothing takes {:.0f} % of the time", percent(exposed))});
  std::vector<Gate> kernels;
  kernels.reserve(kKernelGates.size());
  for (const KernelGate& gate : kKernelGates) kernels.push_back(kernelGate(shares, gate));
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const Gate& a, const Gate& b) { return a.share > b.share; });
  result.insert(result.end(), kernels.begin(), kernels.end());
  return result;
}

bool earlierGateFails(const std::vector<Gate>& all) {
  return std::any_of(all.begin(), all.end(),
                     [](const Gate& gate) { return !gate.is_kernel && gate.fails(); });
}

}  // namespace perfscope
