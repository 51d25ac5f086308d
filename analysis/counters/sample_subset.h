// A thinned-out view of the samples for searches that look at all of them many times: whole stretches (so
// that launches stay with their neighbours), chosen evenly among those in which anything ran.
#pragma once

#include <vector>

#include "analysis/counters/attribution.h"

namespace perfscope {

class SampleSubset {
 public:
  // At most about `wanted` samples.
  SampleSubset(const AttributionInput& input, size_t wanted);
  [[nodiscard]] bool operator()(size_t set, size_t index) const {
    return m_chosen[set][index / kStretch] != 0;
  }

 private:
  static constexpr size_t kStretch = 32;
  std::vector<std::vector<uint8_t>> m_chosen;  // by set and stretch
};

}  // namespace perfscope
