// What state the GPU was in while it worked: clocks, power, temperature, reasons for slowing down, energy.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/report.h"
#include "analysis/timeline/intervals.h"
#include "analysis/trace/trace.h"

namespace perfscope {

struct MachineState {
  Measured<ValueRange> sm_clock_mhz, power_w, temperature_c;
  Measured<std::vector<std::string>> throttle;  // reasons other than idleness, in order of their bits
  Measured<double> energy_j;                    // between the first and the last sample of the window
  int64_t samples = 0;
};

// From the NVML samples of a device inside the window ("measured:nvml").
MachineState machineState(const Trace& trace, size_t device, Interval window);

}  // namespace perfscope
