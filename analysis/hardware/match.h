// Which product a recorded device is, and what to compare it with when the catalogue does not know it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/hardware/hardware_spec.h"

namespace perfscope {
struct DeviceRow;
}

namespace perfscope::hardware {

// What the device said about itself; an empty member was not recorded.
struct DeviceFacts {
  std::string name;  // the driver's full name, "NVIDIA H200"
  std::optional<ComputeCapability> capability;
  std::optional<int> sm_count;
  std::optional<double> max_sm_clock_mhz;
  std::optional<double> memory_bytes;
  std::optional<double> dram_bandwidth_bytes_per_s;
  std::optional<std::int64_t> l2_bytes;
  std::optional<std::int64_t> shared_bytes_per_sm;
  std::optional<std::int64_t> registers_per_sm;  // 32-bit registers
  std::optional<int> max_warps_per_sm;
  std::optional<int> max_blocks_per_sm;
  bool is_mig_slice = false;
};

// The device columns that matter here. The clock is NVML's maximum where known, else CUPTI's core clock.
[[nodiscard]] DeviceFacts deviceFacts(const DeviceRow& row);

enum class MatchKind : std::uint8_t {
  Name,    // the whole driver name is in the catalogue, and the device agrees with the row
  Scaled,  // name known, but the device has another SM count (MIG slice, cut-down part): compute scaled by it
  Modelled,  // unknown name: SMs x clock x rate of the compute capability
};

// "name", "scaled", "modelled".
[[nodiscard]] std::string_view text(MatchKind kind);

struct HardwareMatch {
  HardwareSpec spec;
  MatchKind kind = MatchKind::Name;
  std::string reason;                 // how the spec was found, one sentence
  std::vector<std::string> warnings;  // where device and table disagree; the device is right
};

// Pure. The name must equal a driver name of the catalogue as a whole, capitals aside: "NVIDIA H200" is not
// "NVIDIA H200 NVL". A " MIG ..." suffix is taken off first. A device whose compute capability contradicts
// the row is no match by name. A scaled or MIG spec has no bandwidth unless the device states one, because
// the board's figure is shared. Error: Unavailable with the missing fact (unknown compute capability, no SM
// count, no clock) and the remedy.
[[nodiscard]] Result<HardwareMatch> matchDevice(const std::vector<HardwareSpec>& specs,
                                                const DeviceFacts& device);

// matchDevice over the built-in catalogue.
[[nodiscard]] Result<HardwareMatch> matchDevice(const DeviceFacts& device);

}  // namespace perfscope::hardware
