// Profile on disk -> Report: the one entry of the analysis for command line and viewer.
#pragma once

#include <string>

#include "analysis/report/report.h"
#include "schemas/result.h"

namespace perfscope {

struct ReportOptions {
  std::string step_marker;    // regular expression of the NVTX ranges that are steps; empty = "step n",
                              // "ProfilerStep#n"
  std::string hardware_spec;  // compare with this product of the catalogue; empty = the recorded device
  std::string calibration;    // "": none; "auto": the stored one of the GPU or its product; else a file
  int top = 20;               // length of the list of largest gaps; kernels are never cut here
  int threads = 0;            // for reading; 0 = as many as the machine has, at most 4
};

// Pure but for reading the file. Needs 64 bytes a kernel and less than a second per two million kernels.
// Errors: those of opening a profile (missing, foreign, newer, damaged), Usage for a bad step marker or an
// unknown product; a calibration that was named and cannot be used. A profile without GPU records gives a
// report that says so.
Result<Report> buildReport(const std::string& path, const ReportOptions& options);

}  // namespace perfscope
