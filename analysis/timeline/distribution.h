// Order statistics of integers: percentiles by nearest rank, median, median absolute deviation.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/report/report.h"

namespace perfscope {

// Nearest rank: the smallest value with at least p of all values at or below it (p in 0..1); always a value
// that occurred. Linear time; `values` is taken by value because it is reordered. All zero when it is empty.
Distribution distributionOf(std::vector<int64_t> values);

// The same over [begin, end), which is reordered.
Distribution distributionOf(int64_t* begin, int64_t* end);

// The same for values 0, 1, 2 ... given as how often each occurred.
Distribution distributionOfCounts(const std::vector<int64_t>& counts);

// Nearest-rank percentile; precondition: values not empty.
int64_t percentile(std::vector<int64_t> values, double p);

// Mean of the two middle values when the count is even (rounded towards zero). Precondition: not empty.
int64_t median(std::vector<int64_t> values);

// Median of the absolute distances from the median. Precondition: not empty.
int64_t medianAbsoluteDeviation(const std::vector<int64_t>& values);

}  // namespace perfscope
