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
#include "schemas/calibration.h"

namespace perfscope {

struct FactOptions {
  std::string step_marker;    // see LoadOptions
  std::string hardware_spec;  // compare every device with this product instead of the one it is
  std::string calibration;    // "": none; "auto": the stored one of the GPU or its product; else a file
  size_t largest_gaps = 20;
  int threads = 0;
};

struct DeviceFacts {
  std::optional<hardware::HardwareMatch> hardware;
  std::string hardware_why;                // how it was matched, or why not
  DeviceTimes all, window;                 // whole profile, analysed window
  MachineState machine;                    // in the window
  std::optional<Calibration> calibration;  // of this GPU, or of another of the same product
  std::string calibration_why;             // which one it is, or why there is none
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

// Errors: those of loadTrace(); Usage for an unknown hardware_spec; those of readCalibration() and
// InputRefused when a named calibration is of none of the profile's GPUs.
Result<ProfileFacts> gatherFacts(const std::string& path, const FactOptions& options);

}  // namespace perfscope
