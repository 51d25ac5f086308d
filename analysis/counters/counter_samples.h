// Counter samples of one GPU as the attribution reads them: columns, in order of time, with everything that
// must not reach a sum already marked.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "schemas/counter_roles.h"

namespace perfscope {

// A value that was left out (not finite, negative, impossible). Never summed; see SampleMetric::dropped.
inline constexpr float kNoSample = std::numeric_limits<float>::quiet_NaN();

// One counter of a set. values[i] belongs to sample i: amount during the sample, in the unit of the role.
struct SampleMetric {
  CounterRole role = CounterRole::None;
  std::string name;  // as CUPTI calls it
  std::vector<float> values;
  int64_t dropped = 0;  // values that are kNoSample
};

// One sampling of one GPU: one list of metrics, one interval asked for.
struct SampleSet {
  std::string chip;
  int64_t interval_ns = 0;                     // asked for
  std::vector<int64_t> start_ns, duration_ns;  // since the profile's time base; ascending
  std::vector<SampleMetric> metrics;

  [[nodiscard]] size_t size() const { return start_ns.size(); }
  // Null when the set has no such counter.
  [[nodiscard]] const SampleMetric* find(CounterRole role) const {
    for (const SampleMetric& metric : metrics)
      if (metric.role == role) return &metric;
    return nullptr;
  }
};

// Kernels, copies and fills of the same GPU: what the amounts are divided among.
struct Activity {
  int64_t start_ns = 0, end_ns = 0;
  uint32_t column = 0;  // the signature (kernel and shape, class of copy ...) it belongs to
};

}  // namespace perfscope
