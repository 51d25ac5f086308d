// The steps of a program: where they begin and end, which are warm-up, how long a steady one takes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/report/measured.h"
#include "analysis/timeline/intervals.h"
#include "analysis/trace/trace.h"

namespace perfscope {

struct Step {
  int64_t index = 0;  // the number in its name, else counted from 0
  std::string name;
  Interval range;  // [start, start of the next step); the last one ends with its own last record
  int64_t busy_ns = 0, kernel_count = 0;
  bool warmup = false;
  int loop = 0;  // numbering that starts again is another loop (training, then decoding): never mixed; so is
                 // what comes after a pause of the recording
};

struct Steps {
  std::string source;  // "nvtx: step n", "marker: REGEX", "periodicity", "none"
  std::string why;     // when there are none
  double confidence = 0;
  bool on_device = false;  // boundaries are the first GPU record of each step (the host runs ahead)
  uint16_t process = 0;    // index of the process whose steps these are
  std::vector<Step> list;  // in order of time
  [[nodiscard]] bool found() const { return !list.empty(); }
  [[nodiscard]] int loopCount() const { return list.empty() ? 0 : list.back().loop + 1; }
  // The steps of the loop that took most time: what statistics and verdict are about.
  [[nodiscard]] std::span<const Step> mainLoop() const;
};

// Statistics of the steps that are not warm-up, ns.
struct StepStatistics {
  int64_t steady = 0, warmup = 0;
  Measured<int64_t> median_ns, mad_ns, p95_ns, p99_ns, max_ns;
  Measured<double> drift;  // median of the last third / median of the first third - 1
};

// Markers first (`step_marker`, "ProfilerStep#n", "step n"), else the periodicity of the kernel sequence.
Steps findSteps(const Trace& trace, const std::string& step_marker);

// Flags the first steps that are longer than the median by more than 3 MAD and 10 %; at most half of all.
// `steps` is one loop.
void markWarmup(std::span<Step> steps);

// Of one loop.
StepStatistics stepStatistics(std::span<const Step> steps);

// The time the verdict is about: first to last steady step, or all GPU records when there are no steps.
// Empty when the profile has no GPU record.
std::optional<Interval> analysedWindow(const Trace& trace, const Steps& steps);

}  // namespace perfscope
