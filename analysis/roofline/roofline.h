// Places a kernel under the roofs of its device and names what bounds it.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "analysis/hardware/hardware_spec.h"
#include "analysis/report/report.h"
#include "schemas/calibration.h"

namespace perfscope {

// The device side: what the roofs are made of. `spec` must outlive the call.
struct RoofSource {
  const hardware::HardwareSpec* spec = nullptr;  // null: the device is not known
  std::string spec_why;                          // why it is null
  std::optional<double> clock_mhz;               // median SM clock while busy
  std::optional<int> sm_count;                   // as the device stated it
  const Calibration* calibration = nullptr;      // measured ceilings of the device; null: none
  std::string calibration_why;                   // why it is null
};

// The kernel side: sums over the launches that carry the figures.
struct RoofPoint {
  double flops = 0, bytes = 0;
  int64_t flop_ns = 0, byte_ns = 0;
  std::array<int64_t, hardware::kPrecisionCount> ns_by_precision{};  // executed precisions, by time
  int64_t median_ns = 0;                                             // of one launch
  std::optional<int64_t> launch_cost_ns;  // median host cost of a launch; empty for graph nodes
  double short_share = 0;                 // part of its time in launches shorter than that, 0..1
  std::string no_flops_why, no_bytes_why;
  std::string boundary = "algorithmic";  // where the bytes were counted
  std::string flop_provenance = "counted:api", byte_provenance = "counted:api";
  double algorithmic_bytes_per_ns = 0;  // beside measured bytes; 0 = not known
};

// Verdicts and thresholds: metric catalogue, "roofline"; ceiling of the
// executed precision with most time, time-weighted when there are several. The compute roof is the one at the
// recorded clock where that is known, else the data sheet's. Without FLOPs but with measured bytes the
// verdict is "memory" when they fill the bandwidth. The measured ceilings stand beside them: compute scaled
// from the clock of the calibration to the recorded one, memory the fastest of DRAM read, write, copy.
RooflineReport placeUnderRoofs(const RoofSource& source, const RoofPoint& point);

}  // namespace perfscope
