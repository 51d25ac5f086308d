// Measures the ceilings of the GPUs of this machine. Never touches clocks or power limits.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "schemas/calibration.h"
#include "schemas/result.h"

namespace perfscope {

struct CalibrateOptions {
  bool quick = false;
  int device = -1;        // ordinal as CUDA counts; -1 = all
  bool only_one = false;  // refuse when several GPUs would be measured (the result goes into one file)
  double budget_s = 30;   // of one GPU; what does not fit is "not measured, because"
  // Called before each measurement: GPU ordinal, its title, how many are done, how many there are.
  std::function<void(int device, const std::string& title, size_t done, size_t all)> progress;
};

// One entry a GPU. Errors: Unavailable (no driver, no GPU), Usage (no such device). A missing library or a
// failed measurement is a value with its reason, never an error.
Result<std::vector<Calibration>> calibrate(const CalibrateOptions& options);

}  // namespace perfscope
