// Theoretical occupancy of a launch and what limits it, from registers, shared memory, block size and chip
// limits.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "schemas/result.h"

namespace perfscope::model {

// Limits of one SM. occupancyLimits() fills them by compute capability; whoever has the device's own figures
// (or the shared-memory carve-out the driver chose for a launch) overwrites the members.
struct OccupancyLimits {
  int warp_size = 32;
  int max_threads_per_block = 1024;
  int max_warps_per_sm = 0;
  int max_blocks_per_sm = 0;
  int register_partitions = 4;  // sub-partitions, each with its share of the register file
  std::int64_t registers_per_sm = 65536;
  std::int64_t registers_per_block = 65536;
  std::int64_t register_granularity = 256;  // registers are handed out per warp in this unit
  int max_registers_per_thread = 255;
  std::int64_t shared_bytes_per_sm = 0;
  std::int64_t shared_bytes_per_block = 0;  // largest opt-in request, without the reserved part
  std::int64_t shared_reserved_bytes = 0;   // taken by the driver for each block
  std::int64_t shared_granularity_bytes = 0;
};

// Limits by compute capability, e.g. (9, 0). Source: CUDA C++ programming guide, technical specifications per
// compute capability; granularities as in the occupancy rules of the CUDA 13.0 toolkit. Error: Unavailable
// for a capability that is not in the table.
[[nodiscard]] Result<OccupancyLimits> occupancyLimits(int major, int minor);

// The resources that can limit; several may be equally tight.
enum class OccupancyLimiter : std::uint8_t { Warps, Blocks, Registers, SharedMemory };
inline constexpr std::size_t kOccupancyLimiterCount = 4;
[[nodiscard]] std::string_view text(
    OccupancyLimiter limiter);  // "warps", "blocks", "registers", "shared memory"

struct Occupancy {
  int resident_blocks = 0;  // per SM; 0 = the launch cannot run
  int resident_warps = 0;
  int max_warps = 0;
  double share = 0;            // resident / maximal warps
  OccupancyLimiter limiter{};  // the tightest one; in a tie the first of the enumeration
  // Blocks each resource would allow alone, indexed by OccupancyLimiter. A resource that is not used allows
  // as many as the SM has block slots.
  std::array<int, kOccupancyLimiterCount> blocks_by_limiter{};
  std::int64_t allocated_registers_per_block = 0;
  std::int64_t allocated_shared_bytes_per_block = 0;
};

// shared_bytes_per_block = static + dynamic, as a kernel record has them. Thread block clusters and named
// barriers are not modelled: with clusters the result is an upper bound. A block that needs more than an SM
// has is no error: 0 resident blocks, and the limiter says why. Error: Usage for negative values, an empty
// block or empty limits.
[[nodiscard]] Result<Occupancy> occupancy(const OccupancyLimits& limits, int registers_per_thread,
                                          int threads_per_block, std::int64_t shared_bytes_per_block);

}  // namespace perfscope::model
