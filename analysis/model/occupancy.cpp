// The occupancy rules: each resource says how many blocks fit, the smallest answer wins.
#include "analysis/model/occupancy.h"

#include <fmt/format.h>

#include <algorithm>

namespace perfscope::model {
namespace {

constexpr std::int64_t kKibi = 1024;

struct LimitRow {
  int major;
  int minor;
  int max_warps;
  int max_blocks;
  int register_partitions;
  std::int64_t shared_per_sm_kib;
  std::int64_t shared_per_block_kib;
  int max_registers_per_thread;
  std::int64_t reserved_kib;
  std::int64_t shared_granularity;
};

constexpr std::array<LimitRow, 13> kLimitRows = {{
    {6, 0, 64, 32, 2, 64, 48, 255, 0, 256},
    {6, 1, 64, 32, 4, 96, 48, 255, 0, 256},
    {7, 0, 64, 32, 4, 96, 96, 255, 0, 256},
    {7, 5, 32, 16, 4, 64, 64, 255, 0, 256},
    {8, 0, 64, 32, 4, 164, 163, 255, 1, 128},
    {8, 6, 48, 16, 4, 100, 99, 255, 1, 128},
    {8, 7, 48, 16, 4, 164, 163, 255, 1, 128},
    {8, 9, 48, 24, 4, 100, 99, 255, 1, 128},
    {9, 0, 64, 32, 4, 228, 227, 255, 1, 128},
    {10, 0, 64, 32, 4, 228, 227, 255, 1, 128},
    {10, 3, 64, 32, 4, 228, 227, 255, 1, 128},
    {12, 0, 48, 24, 4, 100, 99, 255, 1, 128},
    {12, 1, 48, 24, 4, 100, 99, 255, 1, 128},
}};

std::int64_t divideUp(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit;
}
std::int64_t roundUp(std::int64_t value, std::int64_t unit) {
  return divideUp(value, unit) * unit;
}

// Warps get registers from the partition they live in, so the partition's share counts, not the SM's total.
// The launch check of the hardware rounds the block's warps up to all partitions.
int blocksByRegisters(const OccupancyLimits& limits, std::int64_t registers_per_warp,
                      std::int64_t warps_per_block) {
  if (registers_per_warp == 0) return limits.max_blocks_per_sm;
  const std::int64_t checked = registers_per_warp * roundUp(warps_per_block, limits.register_partitions);
  if (checked > limits.registers_per_block) return 0;
  const std::int64_t per_partition = limits.registers_per_sm / limits.register_partitions;
  const std::int64_t warps = per_partition / registers_per_warp * limits.register_partitions;
  return static_cast<int>(warps / warps_per_block);
}

int blocksByShared(const OccupancyLimits& limits, std::int64_t requested, std::int64_t allocated) {
  if (requested > limits.shared_bytes_per_block) return 0;
  if (allocated == 0) return limits.max_blocks_per_sm;
  return static_cast<int>(limits.shared_bytes_per_sm / allocated);
}

Status checkInputs(const OccupancyLimits& limits, int registers, int threads, std::int64_t shared) {
  const auto refuse = [](std::string reason) {
    return failure(ErrorKind::Usage, "occupancy", std::move(reason), "give the figures of one launch");
  };
  if (threads <= 0) return refuse(fmt::format("{} threads are no block", threads));
  if (registers < 0 || shared < 0) return refuse("registers and shared memory cannot be negative");
  if (limits.warp_size <= 0 || limits.max_warps_per_sm <= 0 || limits.max_blocks_per_sm <= 0 ||
      limits.register_partitions <= 0 || limits.register_granularity <= 0 ||
      limits.shared_granularity_bytes <= 0) {
    return refuse("the limits of the SM are empty");
  }
  return {};
}

void pickLimiter(Occupancy& result) {
  const auto& blocks = result.blocks_by_limiter;
  const auto tightest = std::min_element(blocks.begin(), blocks.end());
  result.limiter = static_cast<OccupancyLimiter>(tightest - blocks.begin());
  result.resident_blocks = *tightest;
}

}  // namespace

std::string_view text(OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::Warps:
      return "warps";
    case OccupancyLimiter::Blocks:
      return "blocks";
    case OccupancyLimiter::Registers:
      return "registers";
    case OccupancyLimiter::SharedMemory:
      return "shared memory";
  }
  return "unknown";
}

Result<OccupancyLimits> occupancyLimits(int major, int minor) {
  for (const LimitRow& row : kLimitRows) {
    if (row.major != major || row.minor != minor) continue;
    OccupancyLimits limits;
    limits.max_warps_per_sm = row.max_warps;
    limits.max_blocks_per_sm = row.max_blocks;
    limits.register_partitions = row.register_partitions;
    limits.max_registers_per_thread = row.max_registers_per_thread;
    limits.shared_bytes_per_sm = row.shared_per_sm_kib * kKibi;
    limits.shared_bytes_per_block = row.shared_per_block_kib * kKibi;
    limits.shared_reserved_bytes = row.reserved_kib * kKibi;
    limits.shared_granularity_bytes = row.shared_granularity;
    return limits;
  }
  return failure(ErrorKind::Unavailable, "occupancy",
                 fmt::format("the limits of compute capability {}.{} are not known", major, minor),
                 "known are 6.0, 6.1, 7.0, 7.5, 8.0, 8.6, 8.7, 8.9, 9.0, 10.0, 10.3, 12.0 and 12.1");
}

Result<Occupancy> occupancy(const OccupancyLimits& limits, int registers_per_thread, int threads_per_block,
                            std::int64_t shared_bytes_per_block) {
  if (auto valid = checkInputs(limits, registers_per_thread, threads_per_block, shared_bytes_per_block);
      !valid) {
    return tl::unexpected<Error>(valid.error());
  }
  const std::int64_t warps_per_block = divideUp(threads_per_block, limits.warp_size);
  const std::int64_t registers_per_warp = roundUp(
      static_cast<std::int64_t>(registers_per_thread) * limits.warp_size, limits.register_granularity);
  const std::int64_t shared =
      roundUp(shared_bytes_per_block + limits.shared_reserved_bytes, limits.shared_granularity_bytes);

  const bool block_too_large = threads_per_block > limits.max_threads_per_block;
  const bool too_many_registers = registers_per_thread > limits.max_registers_per_thread;
  Occupancy result;
  result.blocks_by_limiter = {
      block_too_large ? 0 : static_cast<int>(limits.max_warps_per_sm / warps_per_block),
      limits.max_blocks_per_sm,
      too_many_registers ? 0 : blocksByRegisters(limits, registers_per_warp, warps_per_block),
      blocksByShared(limits, shared_bytes_per_block, shared)};
  pickLimiter(result);
  result.max_warps = limits.max_warps_per_sm;
  result.resident_warps = static_cast<int>(result.resident_blocks * warps_per_block);
  result.share = static_cast<double>(result.resident_warps) / limits.max_warps_per_sm;
  result.allocated_registers_per_block = registers_per_warp * warps_per_block;
  result.allocated_shared_bytes_per_block = shared;
  return result;
}

}  // namespace perfscope::model
