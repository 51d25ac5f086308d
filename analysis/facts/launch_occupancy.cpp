// Launch shape + device limits -> occupancy and waves (formulas: analysis/model).
#include "analysis/facts/launch_occupancy.h"

#include "analysis/model/launch_shape.h"
#include "analysis/model/occupancy.h"

namespace perfscope {
namespace {

constexpr std::string_view kProvenance = "modelled:occupancy";

Result<model::OccupancyLimits> limitsOf(const DeviceRow& device) {
  if (!device.cc_major || !device.cc_minor) {
    return failure(ErrorKind::Unavailable, device.name, "the compute capability was not recorded");
  }
  auto limits =
      model::occupancyLimits(static_cast<int>(*device.cc_major), static_cast<int>(*device.cc_minor));
  if (!limits) return limits;
  const auto overwrite = [](auto& limit, const std::optional<int64_t>& stated) {
    if (stated && *stated > 0) limit = static_cast<std::remove_reference_t<decltype(limit)>>(*stated);
  };
  overwrite(limits->max_warps_per_sm, device.max_warps_per_sm);
  overwrite(limits->max_blocks_per_sm, device.max_blocks_per_sm);
  overwrite(limits->registers_per_sm, device.registers_per_sm);
  overwrite(limits->shared_bytes_per_sm, device.shared_bytes_per_sm);
  return limits;
}

// The driver may have given the SM less shared memory than it has: what the launch ran with counts.
Result<model::Occupancy> occupancyOf(const model::OccupancyLimits& limits, const LaunchShapeRow& shape) {
  const auto threads = static_cast<int>(shape.block_x * shape.block_y * shape.block_z);
  const auto registers = static_cast<int>(shape.registers_per_thread);
  const int64_t shared = shape.static_shared_bytes + shape.dynamic_shared_bytes;
  const int64_t configured = shape.shared_executed_bytes.value_or(0);
  if (configured > 0 && configured < limits.shared_bytes_per_sm) {
    model::OccupancyLimits carved = limits;
    carved.shared_bytes_per_sm = configured;
    auto result = model::occupancy(carved, registers, threads, shared);
    if (result && result->resident_blocks > 0) return result;
  }
  return model::occupancy(limits, registers, threads, shared);
}

}  // namespace

LaunchOccupancy launchOccupancy(const DeviceRow& device, const LaunchShapeRow& shape) {
  LaunchOccupancy result;
  const auto absent = [&result](const std::string& why) {
    result.occupancy = result.waves = result.tail = Measured<double>::absent(why);
    return result;
  };
  // CUDA's own limits; within them no product below overflows.
  constexpr int64_t kMostThreads = 1024, kMostGridX = 0x7fffffff, kMostGridYz = 65535;
  const auto within = [](int64_t value, int64_t most) { return value > 0 && value <= most; };
  const bool sane = within(shape.block_x, kMostThreads) && within(shape.block_y, kMostThreads) &&
                    within(shape.block_z, kMostThreads) && within(shape.grid_x, kMostGridX) &&
                    within(shape.grid_y, kMostGridYz) && within(shape.grid_z, kMostGridYz);
  if (!sane) return absent("the launch shape was not recorded");
  result.grid_blocks = shape.grid_x * shape.grid_y * shape.grid_z;
  const auto limits = limitsOf(device);
  if (!limits) return absent(limits.error().reason);
  const auto occupancy = occupancyOf(*limits, shape);
  if (!occupancy) return absent(occupancy.error().reason);
  if (occupancy->resident_blocks == 0) return absent("the recorded shape does not fit the device's limits");
  result.occupancy = Measured<double>::of(occupancy->share, std::string(kProvenance));
  result.limiter = std::string(model::text(occupancy->limiter));
  if (!device.sm_count || *device.sm_count <= 0) {
    result.waves = result.tail = Measured<double>::absent("the number of SMs was not recorded");
    return result;
  }
  const auto waves =
      model::waves(result.grid_blocks, static_cast<int>(*device.sm_count), occupancy->resident_blocks);
  if (!waves) {
    result.waves = result.tail = Measured<double>::absent(waves.error().reason);
    return result;
  }
  result.waves = Measured<double>::of(waves->waves, std::string(kProvenance));
  result.tail = Measured<double>::of(waves->tail_unused, std::string(kProvenance));
  return result;
}

}  // namespace perfscope
