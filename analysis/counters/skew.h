// Searches for the two times of the model: the skew between the clocks, and how long writes linger in the L2.
#pragma once

#include <optional>

#include "analysis/counters/attribution.h"
#include "analysis/counters/sample_subset.h"
#include "analysis/counters/sample_sweep.h"

namespace perfscope {

// The skew in -12 ... +12 us with the smallest residual of the counters that follow the kernels most closely
// (never DRAM writes: they lag). Empty when no counter is there or the best one lies at the end of the range.
std::optional<int64_t> findSkew(const AttributionInput& input, const SampleSubset& subset);

// `shape` with lag columns for the signatures that run longest, with the lag among 5, 10, 20, 40, 80 us that
// lowers the residual of DRAM writes most; unchanged when that is less than 3 %.
RowShape withWriteLag(const AttributionInput& input, const SampleSubset& subset, const RowShape& shape);

}  // namespace perfscope
