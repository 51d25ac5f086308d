// The table of advice per binding constraint.
#include "analysis/diagnosis/interventions.h"

#include <algorithm>
#include <array>

#include "analysis/diagnosis/recording_overhead.h"

namespace perfscope {
namespace {

struct Advice {
  std::string_view binding, text, level, axis, term;
};

// Cheapest first within a binding. level, axis and term as in the report contract.
constexpr auto kAdvice = std::to_array<Advice>({
    {"input",
     "load the next batch while the GPU works: more loader workers, pinned memory, prefetch to the GPU",
     "system", "data", "overhead"},
    {"host",
     "remove what makes the host wait inside a step: .item(), blocking copies, cudaMalloc, first-use loading",
     "system", "algorithm", "overhead"},
    {"launch", "capture the repeating launches in a CUDA graph (torch.compile mode=\"reduce-overhead\")",
     "graph", "algorithm", "overhead"},
    {"launch", "do more per launch: fuse small kernels, larger batch", "graph", "algorithm", "overhead"},
    {"communication", "overlap communication with compute: smaller buckets earlier, a stream of its own",
     "system", "algorithm", "data"},
    {"memory",
     "move fewer bytes: fuse neighbouring kernels, narrower data types, larger batch for more reuse",
     "kernel", "data", "data"},
    {"compute",
     "a narrower tensor type (bf16 to fp8) or less arithmetic; the kernels already run near the peak",
     "kernel", "algorithm", "compute"},
    {"implementation", "look at the kernels far below both roofs: launch size, occupancy, access pattern",
     "kernel", "machine", "compute"},
});

}  // namespace

double graphGain(const ProfileFacts& facts, const WindowShares& shares) {
  const auto cause = static_cast<size_t>(IdleCause::HostSubmission);
  double floor = 0;
  for (size_t i = 0; i < facts.gaps.devices.size(); ++i) {
    if (!weighs(facts, i)) continue;
    const DeviceGaps& device = facts.gaps.devices[i];
    // A node of a graph starts about 1 us after the one before (H200, CUDA 13.0: 95 nodes, 0.1 ms of gaps); a
    // floor measured on the device itself is the better figure where it is smaller.
    constexpr double kNodeStart = 1000;
    floor += static_cast<double>(device.window[cause].count) *
             std::min(kNodeStart, static_cast<double>(device.latency_floor_ns));
  }
  const double all =
      static_cast<double>(shares.window_ns) * static_cast<double>(std::max<int64_t>(1, shares.devices));
  return all > 0 ? std::max(0.0, shares.of(IdleCause::HostSubmission) - floor / all) : 0;
}

double roofGain(const WindowShares& shares, const Report& report, const std::string& verdict) {
  double kernel_ns = 0;
  double saved_ns = 0;
  for (const KernelReport& kernel : report.kernels) {
    if (kernel.kernel_class == "communication") continue;
    kernel_ns += static_cast<double>(kernel.window_ns);
    if (kernel.roofline.verdict != verdict || !kernel.roofline.fraction_of_roof.has()) continue;
    saved_ns +=
        static_cast<double>(kernel.window_ns) * std::max(0.0, 1.0 - *kernel.roofline.fraction_of_roof);
  }
  return kernel_ns > 0 ? saved_ns / kernel_ns * shares.kernels : 0;
}

std::vector<Intervention> interventions(const ProfileFacts& facts, const WindowShares& shares,
                                        const Report& report, const Gate& failed, const std::string& next) {
  std::vector<Intervention> result;
  int64_t nodes = 0, kernels = 0;
  for (const KernelFacts& kernel : facts.kernels.list) {
    nodes += kernel.window.graph_node_count;
    kernels += kernel.window.count;
  }
  const std::string withheld = gainsWithheldWhy(report.overhead);
  const bool graphs_already = 2 * nodes > kernels;
  for (const Advice& advice : kAdvice) {
    if (advice.binding != failed.binding) continue;
    const bool is_graph_advice = advice.binding == "launch" && advice.text.rfind("capture", 0) == 0;
    if (is_graph_advice && graphs_already) continue;
    Intervention entry{std::string(advice.text),
                       std::string(advice.level),
                       std::string(advice.axis),
                       std::string(advice.term),
                       next,
                       std::nullopt,
                       {}};
    if (is_graph_advice) entry.predicted_gain = graphGain(facts, shares);
    if (failed.binding == "input" || failed.binding == "host" || failed.binding == "communication") {
      entry.predicted_gain = failed.share;
    }
    if (failed.binding == "implementation") entry.predicted_gain = roofGain(shares, report, "below_both");
    if (!withheld.empty()) {
      entry.predicted_gain = std::nullopt;
      entry.predicted_gain_why = "withheld, because " + withheld;
    }
    result.push_back(std::move(entry));
  }
  return result;
}

}  // namespace perfscope
