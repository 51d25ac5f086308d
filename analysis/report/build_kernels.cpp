// The kernel section: facts of every (device, kernel name) with occupancy, work and roofline.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analysis/facts/launch_occupancy.h"
#include "analysis/model/roofline_formulas.h"
#include "analysis/report/build_counters.h"
#include "analysis/report/build_sections.h"
#include "analysis/roofline/roofline.h"

namespace perfscope::build {
namespace {

constexpr std::string_view kCounted = "counted:api";

std::string noFlopsWhy(const KernelFacts& kernel) {
  if (kernel.kernel_class == KernelClass::Gemm) {
    return "no cuBLAS call was linked to its launches (another library, or the calls were not captured)";
  }
  return "neither a library call nor hardware counters tell its operations";
}

RoofSource roofSource(const ProfileFacts& facts, size_t device) {
  const DeviceFacts& known = facts.devices[device];
  RoofSource source;
  if (known.hardware) {
    source.spec = &known.hardware->spec;
  } else {
    source.spec_why = known.hardware_why;
  }
  if (known.calibration) source.calibration = &*known.calibration;
  source.calibration_why = known.calibration_why;
  // A product named by the user is compared as the whole product at its own clock, not as what was recorded.
  const auto& sms = facts.trace.devices[device].sm_count;
  const bool recorded_device = known.hardware && known.hardware->reason.rfind("named by the user", 0) != 0;
  if (recorded_device && known.machine.sm_clock_mhz.has())
    source.clock_mhz = known.machine.sm_clock_mhz.value->median;
  if (sms && recorded_device) source.sm_count = static_cast<int>(*sms);
  return source;
}

RoofPoint roofPoint(const KernelFacts& kernel, const LaunchFacts& launches) {
  RoofPoint point;
  point.flops = kernel.work.flops;
  point.bytes = kernel.work.bytes;
  point.flop_ns = kernel.work.flop_ns;
  point.byte_ns = kernel.work.byte_ns;
  point.ns_by_precision = kernel.work.ns_by_precision;
  point.median_ns = kernel.duration.p50_ns;
  point.short_share =
      kernel.total_ns > 0 ? static_cast<double>(kernel.short_ns) / static_cast<double>(kernel.total_ns) : 1.0;
  const bool launched_one_by_one = kernel.graph_node_count * 2 < kernel.count;
  if (launched_one_by_one && launches.cost.count > 0 && !launches.cost_is_of_graphs) {
    point.launch_cost_ns = launches.cost.p50_ns;
  }
  point.no_flops_why = noFlopsWhy(kernel);
  point.no_bytes_why = "the types of the library call are not known";
  return point;
}

Measured<double> positive(double value, const std::string& why) {
  return value > 0 ? Measured<double>::of(value, std::string(kCounted)) : Measured<double>::absent(why);
}

void fillWork(const KernelFacts& kernel, const RoofPoint& point, KernelReport& r) {
  constexpr double kNsPerSecond = 1e9;
  const auto perSecond = [](double amount, int64_t ns) {
    return ns > 0 ? amount / static_cast<double>(ns) * kNsPerSecond : 0.0;
  };
  r.flops.algorithmic = positive(point.flops, point.no_flops_why);
  r.flops.algorithmic_in_window =
      positive(kernel.work.window_flops,
               point.flops > 0 ? "no launch with known FLOPs lies in the analysed time" : point.no_flops_why);
  const std::string no_bytes = point.flops > 0 ? point.no_bytes_why : point.no_flops_why;
  r.bytes.algorithmic = positive(point.bytes, no_bytes);
  r.achieved_flops = positive(perSecond(point.flops, point.flop_ns), point.no_flops_why);
  r.achieved_bytes_per_s = positive(perSecond(point.bytes, point.byte_ns), no_bytes);
  const bool both = r.achieved_flops.has() && r.achieved_bytes_per_s.has();
  r.intensity_algorithmic =
      both ? positive(*r.achieved_flops / *r.achieved_bytes_per_s, no_bytes)
           : Measured<double>::absent(r.achieved_flops.has() ? no_bytes : point.no_flops_why);
  r.alignment = kernel.work.misaligned;
}

void fillShape(const LaunchShapeRow& shape, const DeviceRow& device, KernelReport& r) {
  r.grid[0] = shape.grid_x, r.grid[1] = shape.grid_y, r.grid[2] = shape.grid_z;
  r.block[0] = shape.block_x, r.block[1] = shape.block_y, r.block[2] = shape.block_z;
  r.registers = shape.registers_per_thread;
  r.shared_bytes = shape.static_shared_bytes + shape.dynamic_shared_bytes;
  r.local_bytes = shape.local_bytes_per_thread;
  const LaunchOccupancy occupancy = launchOccupancy(device, shape);
  r.occupancy = occupancy.occupancy;
  r.occupancy_limiter = occupancy.limiter;
  r.waves = occupancy.waves;
  r.tail = occupancy.tail;
}

KernelReport kernelReport(const ProfileFacts& facts, const KernelFacts& kernel) {
  const Trace& trace = facts.trace;
  const KernelNameRow& name = trace.names[kernel.name];
  KernelReport r;
  r.name = name.demangled.empty() ? name.mangled : name.demangled;
  r.short_name = name.short_name.empty() ? r.name : name.short_name;
  r.kernel_class = std::string(perfscope::name(kernel.kernel_class));
  r.device = trace.devices[kernel.device].id;
  r.count = kernel.count;
  r.total_ns = kernel.total_ns;
  const int64_t all = facts.devices[kernel.device].all.kernel_sum_ns;
  r.share = all > 0 ? static_cast<double>(kernel.total_ns) / static_cast<double>(all) : 0;
  const int64_t all_in_window = facts.devices[kernel.device].window.kernel_sum_ns;
  r.window_count = kernel.window.count;
  r.window_ns = kernel.window.total_ns;
  r.window_share = all_in_window > 0
                       ? static_cast<double>(kernel.window.total_ns) / static_cast<double>(all_in_window)
                       : 0;
  r.duration = kernel.duration;
  r.shape_count = kernel.shape_count;
  r.graph_node_count = kernel.graph_node_count;
  fillShape(trace.shapes[kernel.main_shape], trace.devices[kernel.device], r);
  RoofPoint point = roofPoint(kernel, facts.launches);
  fillWork(kernel, point, r);
  const RoofSource source = roofSource(facts, kernel.device);
  addCounters(facts, kernel, source, r);
  useMeasured(facts, kernel, r, point);
  r.roofline = placeUnderRoofs(source, point);
  if (kernel.work.launches > 0 && kernel.work.launches < kernel.count) {
    r.roofline.why += fmt::format("; FLOPs known for {} of {} launches", kernel.work.launches, kernel.count);
  }
  if (kernel.work.beta_unknown) r.roofline.why += "; beta was not readable: C may have been read as well";
  return r;
}

// Share of what the used devices could have done, in the analysed window, with the precision of each kernel.
Measured<double> hardwareUtilisation(const ProfileFacts& facts, const std::vector<KernelReport>& kernels) {
  constexpr double kNsPerSecond = 1e9;
  if (!facts.trace.opaque_graphs.empty())
    return Measured<double>::absent("CUDA graphs were traced as a whole; what ran inside them is unknown");
  double used_s = 0, window_ns = 0;
  for (const KernelReport& kernel : kernels) {
    const auto& roof = kernel.roofline.ceiling_flops_at_clock.has() ? kernel.roofline.ceiling_flops_at_clock
                                                                    : kernel.roofline.ceiling_flops;
    const auto& flops = kernel.flops.algorithmic_in_window;
    if (flops.has() && roof.has() && *roof > 0) used_s += *flops / *roof;
  }
  for (const DeviceFacts& device : facts.devices) {
    if (device.all.busy_ns > 0) window_ns += static_cast<double>(device.window.span_ns);
  }
  if (used_s <= 0 || window_ns <= 0)
    return Measured<double>::absent(
        "no FLOPs were counted in the analysed time on a device with a known peak");
  return Measured<double>::of(used_s / (window_ns / kNsPerSecond),
                              "counted:api (matrix products only: a lower bound)");
}

}  // namespace

std::vector<KernelReport> kernels(const ProfileFacts& facts) {
  std::vector<KernelReport> result;
  result.reserve(facts.kernels.list.size());
  for (const KernelFacts& kernel : facts.kernels.list) result.push_back(kernelReport(facts, kernel));
  std::sort(result.begin(), result.end(), [](const KernelReport& a, const KernelReport& b) {
    return std::tie(b.total_ns, a.name, a.device) < std::tie(a.total_ns, b.name, b.device);
  });
  return result;
}

UtilisationReport utilisation(const ProfileFacts& facts, const std::vector<KernelReport>& kernels) {
  UtilisationReport result;
  int64_t busy = 0, span = 0;
  for (const DeviceFacts& device : facts.devices) {
    busy += device.window.busy_ns;
    span += device.all.busy_ns > 0 ? device.window.span_ns : 0;  // a GPU that never worked is no denominator
  }
  result.busy = span > 0 ? Measured<double>::of(static_cast<double>(busy) / static_cast<double>(span),
                                                "measured:activity")
                         : Measured<double>::absent("the profile has no GPU record that takes any time");
  result.mfu = Measured<double>::absent("no model description was given");
  result.mbu_model = result.mfu;
  result.mbu_measured = measuredMemoryUse(facts);
  result.hfu = hardwareUtilisation(facts, kernels);
  return result;
}

}  // namespace perfscope::build
