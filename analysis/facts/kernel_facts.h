// Facts per (device, kernel name): counts, times, the launch shape that matters, and the work known of it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/facts/kernel_class.h"
#include "analysis/hardware/precision.h"
#include "analysis/report/report.h"
#include "analysis/timeline/intervals.h"
#include "analysis/trace/trace.h"

namespace perfscope {

// Work of the launches that are linked to a library call; sums, never means. Times are those of the same
// launches, so that rates are ratios of sums.
struct LinkedWork {
  int64_t launches = 0;
  double flops = 0, bytes = 0;
  int64_t flop_ns = 0, byte_ns = 0;
  std::array<int64_t, hardware::kPrecisionCount> ns_by_precision{};
  int64_t misaligned_ns = 0;
  std::string misaligned;     // the dimension with most time
  bool beta_unknown = false;  // C may have been read as well: bytes are a lower bound
  // The analysed window alone. A launch that crosses its border counts by the part of its time inside.
  double window_launches = 0, window_flops = 0;
};

// What of a group ran in the analysed window: what may be set against the window's length.
struct WindowPart {
  int64_t count = 0, total_ns = 0, graph_node_count = 0;  // records that share time with it; time clipped
};

struct KernelFacts {
  uint16_t device = 0;
  uint32_t name = 0;
  KernelClass kernel_class = KernelClass::Other;
  int64_t count = 0, total_ns = 0, graph_node_count = 0;
  WindowPart window;
  int64_t short_ns = 0;  // time in launches that are shorter than what a launch costs the host
  Distribution duration;
  uint32_t main_shape = 0;  // the shape with most time
  int64_t shape_count = 0;
  LinkedWork work;
};

// Groups in order of device, then of first appearance. One entry of `index` per (device, name).
struct KernelFactsTable {
  std::vector<KernelFacts> list;
  std::vector<std::vector<uint32_t>> index;  // [device][name] -> position in list, kNoGroup when it never ran
  static constexpr uint32_t kNoGroup = UINT32_MAX;
};

// `classes`: one per Trace::names. Needs 8 bytes a kernel of the largest device for as long as it runs.
KernelFactsTable gatherKernelFacts(const Trace& trace, const std::vector<KernelClass>& classes,
                                   Interval window = kAllTime);

// The part of the record's time that lies in the window, 0..1; of one without length 1 where it lies in it.
double partInside(int64_t start_ns, int64_t end_ns, Interval window);

// Fills short_ns. launch_cost_ns: median duration of a launch call.
void addShortTimes(const Trace& trace, int64_t launch_cost_ns, KernelFactsTable& groups);

// One class per kernel name.
std::vector<KernelClass> kernelClasses(const Trace& trace);

}  // namespace perfscope
