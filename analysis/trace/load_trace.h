// Profile on disk -> Trace in memory.
#pragma once

#include <string>

#include "analysis/trace/trace.h"
#include "schemas/result.h"

namespace perfscope {

struct LoadOptions {
  std::string
      step_marker;  // regular expression of the ranges that are steps; empty = "step n", "ProfilerStep#n"
  int threads = 0;  // 0 = as many as the machine has, at most 4
};

// Errors: no profile, newer version, damaged file (each with file and remedy), Usage for a bad expression.
// An empty profile (no GPU record, no device) is no error.
Result<Trace> loadTrace(const std::string& path, const LoadOptions& options);

}  // namespace perfscope
