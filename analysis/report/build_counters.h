// What hardware counters add to the sections of a report. Parts of buildReport().
#pragma once

#include "analysis/facts/profile_facts.h"
#include "analysis/report/report.h"
#include "analysis/roofline/roofline.h"

namespace perfscope::build {

// Bytes, executed FLOPs, tensor activity and instruction mix of a kernel, each with its origin or the reason
// why not; `source` gives clock and SM count of the recorded device.
void addCounters(const ProfileFacts& facts, const KernelFacts& kernel, const RoofSource& source,
                 KernelReport& report);

// Moves the point to the DRAM boundary when bytes were measured there; takes executed FLOPs, and what they
// were of, where they were counted exactly. Fills the intensity and rates that depend on it. Call after
// addCounters().
void useMeasured(const ProfileFacts& facts, const KernelFacts& kernel, KernelReport& report,
                 RoofPoint& point);

// DRAM bytes and tensor activity of a device from its first to its last record.
void addCounters(const ProfileFacts& facts, size_t device, DeviceReport& report);

// DRAM bytes moved in the analysed window over what the memory could move in that time.
Measured<double> measuredMemoryUse(const ProfileFacts& facts);

}  // namespace perfscope::build
