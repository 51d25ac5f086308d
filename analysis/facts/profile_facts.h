// Everything the analysis knows of one profile before any judgement: the input of report sections, verdict
// and rules.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/facts/counter_facts.h"
#include "analysis/facts/gemm_links.h"
#include "analysis/facts/kernel_facts.h"
#include "analysis/facts/machine_state.h"
#include "analysis/hardware/match.h"
#include "analysis/steps/steps.h"
#include "analysis/timeline/device_times.h"
#include "analysis/timeline/gaps.h"
#include "analysis/timeline/launches.h"
#include "analysis/trace/trace.h"

namespace perfscope {

struct FactOptions {
  std::string step_marker;    // see LoadOptions
  std::string hardware_spec;  // compare every device with this product instead of the one it is
  size_t largest_gaps = 20;
  int threads = 0;
};

struct DeviceFacts {
  std::optional<hardware::HardwareMatch> hardware;
  std::string hardware_why;  // how it was matched, or why not
  DeviceTimes all, window;   // whole profile, analysed window
  MachineState machine;      // in the window
};

// Owns the trace; immutable once gathered.
struct ProfileFacts {
  Trace trace;
  std::vector<KernelClass> classes;    // by kernel name
  std::vector<bool> is_communication;  // by kernel name
  Steps steps;
  StepStatistics step_statistics;
  std::optional<Interval> window;    // the time the verdict is about; empty without GPU records
  std::vector<DeviceFacts> devices;  // by device index
  KernelFactsTable kernels;
  GemmLinks gemm_links;
  LaunchFacts launches;
  GapAnalysis gaps;
  CounterFacts counters;
};

// Errors: those of loadTrace(); Usage for an unknown hardware_spec.
Result<ProfileFacts> gatherFacts(const std::string& path, const FactOptions& options);

}  // namespace perfscope
