// How well a launch shape fills a device: occupancy, what limits it, waves and the empty part of the last
// one.
#pragma once

#include <string>

#include "analysis/report/measured.h"
#include "schemas/tables.h"

namespace perfscope {

struct LaunchOccupancy {
  Measured<double> occupancy;  // resident warps / most possible ones; theoretical, "modelled:occupancy"
  std::string limiter;         // "registers", "shared memory", "blocks", "warps"; empty when not known
  Measured<double> waves, tail;
  int64_t grid_blocks = 0;
};

// Limits come from the device where it stated them, else from its compute capability. Clusters are not
// modelled.
LaunchOccupancy launchOccupancy(const DeviceRow& device, const LaunchShapeRow& shape);

}  // namespace perfscope
