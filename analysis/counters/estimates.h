// Rates of columns -> values of subjects with their intervals, or why there is none.
#pragma once

#include "analysis/counters/attribution.h"
#include "analysis/counters/role_fit.h"

namespace perfscope {

// How much of the samples belongs to each column; the same for every role. Weight: mean share of a sample
// that the column fills in the samples it is in.
struct ColumnCover {
  std::vector<double> overlap_us, weighted_us;  // weighted: sum of overlap^2 / duration
  double median_sample_us = 0;
};
ColumnCover coverOf(const AttributionInput& input, const RowShape& shape);

RoleAttribution estimatesOf(const AttributionInput& input, const ColumnCover& cover, CounterRole role,
                            const RoleFit& fit);

}  // namespace perfscope
