// The fit of one counter: first solution, weights, sums in segments of time, bootstrap over the segments.
#pragma once

#include <vector>

#include "analysis/counters/attribution.h"
#include "analysis/counters/nnls.h"
#include "analysis/counters/sample_subset.h"

namespace perfscope {

// Rates are per us of a column's overlap.
struct RoleFit {
  RowShape shape;
  std::vector<double> rates, first_half, second_half;
  std::vector<std::vector<double>> resampled;  // one vector of rates a resample
  // What the model costs: change of the rates when the samples are shifted by kShiftNs to either side. A
  // kernel that reads in a burst, or more at its end, is to its neighbours as a shift of so much.
  std::vector<double> earlier, later;
  std::vector<double> covariance;  // of the rates, full storage; from the residual, columns^2
  std::vector<double> overlap_us;  // by column, over the samples used
  double sampled = 0, sampled_us = 0;
  int64_t samples = 0, outliers = 0;
};

// Samples are cut into short stretches dealt out to so many segments, half of them for either half of the
// time: each segment sees every phase of the program.
inline constexpr size_t kSegments = 32;

inline constexpr int64_t kShiftNs = 500;

RoleFit fitRole(const AttributionInput& input, const SampleSubset& subset, const RowShape& shape,
                CounterRole role, int resamples);

}  // namespace perfscope
