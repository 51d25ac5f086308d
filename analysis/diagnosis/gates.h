// The order of elimination: input, host, communication, kernels. Which gate fails first, and what comes after
// it.
#pragma once

#include <string>
#include <vector>

#include "analysis/diagnosis/window_shares.h"

namespace perfscope {

struct Gate {
  bool is_kernel = false;
  std::string binding;  // id of the verdict: input, host, launch, communication, memory, compute, ...
  double share = 0;     // of the analysed time
  double limit = 0;     // from which it binds
  std::string figure;   // the figures it was judged by, one clause
  [[nodiscard]] bool fails() const { return share >= limit; }
};

// The facts of the launch-bound rule: launch gaps of at least 10 % of the window, and a median kernel no
// longer than twice the median launch cost (of a graph: its launch divided by its nodes).
struct LaunchBound {
  bool holds = false;
  double share = 0;  // host_submission + launch_latency
  int64_t median_kernel_ns = 0;
  double median_launch_cost_ns = 0;  // 0 = not known
};
LaunchBound launchBound(const ProfileFacts& facts, const WindowShares& shares);

// In the order of elimination; the kernel gates are ordered by their share, largest first.
std::vector<Gate> gates(const ProfileFacts& facts, const WindowShares& shares);

// True when a gate before the kernels fails: advice about kernels would change nothing yet.
bool earlierGateFails(const std::vector<Gate>& all);

}  // namespace perfscope
