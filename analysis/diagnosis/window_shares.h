// Where the analysed time went, as fractions of it: what the verdict is made of.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "analysis/facts/profile_facts.h"
#include "analysis/report/report.h"

namespace perfscope {

// Pageable copies of the window: how many, and how long they alone kept a GPU busy.
struct PageableCopies {
  int64_t count = 0, bytes = 0;
  double exposed = 0;  // fraction of the window: nothing else ran meanwhile, so it would go with them
};

// Fractions of window x devices. Devices less busy than threshold::kMinorDevice of the busiest do not weigh.
struct WindowShares {
  int64_t window_ns = 0;                                    // recorded length of the window, mean of devices
  int64_t devices = 0;                                      // that weigh
  double busy = 0, exposed_communication = 0, kernels = 0;  // kernels: compute
  std::array<double, kIdleCauseCount> idle{};               // by IdleCause
  std::array<int64_t, kIdleCauseCount> idle_count{};
  PageableCopies pageable;
  // Kernel time in the window by roofline verdict, as a fraction of the window: memory, compute, below_both,
  // launch, and "memory?" for kernels without FLOPs whose class is memory-bound by nature, "unknown" for the
  // rest.
  std::map<std::string, double> kernels_by_verdict;

  [[nodiscard]] double of(IdleCause cause) const { return idle[static_cast<size_t>(cause)]; }
  [[nodiscard]] int64_t ns(double share) const {
    return static_cast<int64_t>(share * static_cast<double>(window_ns));
  }
};

// Pure. All zero when there is no window.
WindowShares windowShares(const ProfileFacts& facts, const std::vector<KernelReport>& kernels);

// True when the device works enough in the window to weigh in the verdict.
bool weighs(const ProfileFacts& facts, size_t device);

}  // namespace perfscope
