// What one GPU product can do: peaks, bandwidths and limits, each known with its origin or unknown.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hardware/precision.h"

namespace perfscope::hardware {

// NVIDIA's compute capability; other vendors name their architectures otherwise.
struct ComputeCapability {
  int major = 0;
  int minor = 0;
  friend bool operator==(const ComputeCapability&, const ComputeCapability&) = default;
};

// Where a peak comes from.
enum class PeakOrigin : std::uint8_t {
  Unknown,   // no figure at all
  Printed,   // the vendor prints the dense figure
  Halved,    // the vendor prints only the figure with 2:4 sparsity; this is half of it
  Computed,  // rate x SMs x clock, nobody prints it
};

struct Peak {
  std::optional<double> flops_per_s;         // dense, FMA = 2; op/s for int8_tensor
  std::optional<double> flops_per_sm_clock;  // operations per SM (AMD: per CU) and clock, FMA = 2
  PeakOrigin origin = PeakOrigin::Unknown;
  bool doubtful = false;  // no second source, or one that contradicts
};

// A whole spec is either a row of the catalogue or worked out from what the device says about itself.
enum class SpecOrigin : std::uint8_t { Catalogue, Modelled };

// A value type; every optional that is empty is unknown (never zero). Bytes of memory, links and rates are
// decimal in the sources and exact here (bytes, bytes/s); caches and limits come from KiB/MiB.
struct HardwareSpec {
  std::string id;    // "h200-sxm-141gb"
  std::string name;  // "H200 SXM 141GB"
  std::vector<std::string> aliases;
  std::string vendor;
  std::string form_factor;
  std::vector<std::string> match_names;  // what the driver calls it, whole strings
  std::vector<std::string> pci_device_ids;
  std::string architecture;
  std::string chip;
  std::string compute_capability;  // "9.0", for AMD "gfx942"

  std::optional<int> sm_count;             // AMD: compute units
  std::optional<double> boost_clock_mhz;   // reproduces the printed vector peaks
  std::optional<double> tensor_clock_mhz;  // where the printed tensor peaks need another clock
  std::array<Peak, kPrecisionCount> peaks{};

  std::string memory_type;
  std::optional<double> memory_bytes;
  std::optional<double> dram_bandwidth_bytes_per_s;
  std::optional<std::int64_t> l2_bytes;
  std::optional<std::int64_t> shared_bytes_per_sm;
  std::optional<std::int64_t> shared_bytes_per_block_optin;
  std::optional<std::int64_t> l1_shared_bytes;
  std::optional<std::int64_t> register_bytes_per_sm;
  std::optional<int> max_warps_per_sm;
  std::optional<int> max_threads_per_sm;
  std::optional<int> max_blocks_per_sm;

  std::optional<int> pcie_gen;
  std::optional<int> pcie_lanes;
  std::optional<double> pcie_bytes_per_s;  // one direction
  std::string nvlink_gen;
  std::optional<double> nvlink_bytes_per_s;  // one direction, all links; AMD: Infinity Fabric
  std::optional<double> tdp_w;               // top of the configurable range
  std::optional<int> release_year;

  std::vector<std::string> doubtful;  // catalogue columns that lack a second source or contradict one
  std::string source;
  std::string confidence;  // high, medium, low
  std::string notes;

  SpecOrigin origin = SpecOrigin::Catalogue;
  std::string origin_reason;  // why and how a modelled spec was made; empty for a catalogue row

  [[nodiscard]] const Peak& peak(Precision precision) const {
    return peaks[static_cast<std::size_t>(precision)];
  }
  [[nodiscard]] Peak& peak(Precision precision) { return peaks[static_cast<std::size_t>(precision)]; }

  // Empty for parts that have none (AMD).
  [[nodiscard]] std::optional<ComputeCapability> cudaCapability() const;

  // True when the catalogue marks the column as doubtful ("mem_bw_gbs").
  [[nodiscard]] bool isDoubtful(std::string_view column) const;
};

// "9.0"; the inverse of parseComputeCapability.
[[nodiscard]] std::string text(ComputeCapability capability);

// Parses "9.0" or "12.1"; empty for anything else.
[[nodiscard]] std::optional<ComputeCapability> parseComputeCapability(std::string_view text);

// A compute ceiling or ridge with the words that say how it was obtained.
struct Ceiling {
  double value = 0;        // FLOP/s, or FLOP/byte for a ridge
  std::string provenance;  // "datasheet", "datasheet:halved_sparse", "modelled:sm_x_clock_x_rate"
  std::string note;        // doubts, clock used; may be empty
};

// The peak of the catalogue in FLOP/s (op/s for int8_tensor), dense. A device that holds a higher clock than
// the data sheet assumes may exceed it, so nobody should clamp at 100 %. Error: Unavailable when the cell is
// unknown.
[[nodiscard]] Result<Ceiling> datasheetPeak(const HardwareSpec& spec, Precision precision);

// rate per SM and clock x SMs x clock, FLOP/s, for a recorded SM clock in MHz. `sm_count` overrides the spec
// (a MIG slice). Error: Unavailable when rate or SM count are unknown, Usage when the clock is not positive
// and finite.
[[nodiscard]] Result<Ceiling> peakAtClock(const HardwareSpec& spec, Precision precision, double clock_mhz,
                                          std::optional<int> sm_count = std::nullopt);

// DRAM bandwidth of the catalogue in bytes/s. Error: Unavailable when unknown.
[[nodiscard]] Result<Ceiling> datasheetBandwidth(const HardwareSpec& spec);

// Ridge in FLOP/byte at the DRAM boundary: datasheet peak / datasheet bandwidth. Source: roofline model
// (Williams, Waterman, Patterson 2009). Error: Unavailable when one of the two is unknown.
[[nodiscard]] Result<Ceiling> ridge(const HardwareSpec& spec, Precision precision);

}  // namespace perfscope::hardware
