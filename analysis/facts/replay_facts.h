// Exact counts of launches that were run several times: averaged for each signature (kernel and launch
// shape).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "analysis/hardware/precision.h"
#include "analysis/trace/trace.h"
#include "schemas/counter_roles.h"
#include "schemas/trace_reader.h"

namespace perfscope {

// Per launch, over the replayed launches of one signature.
struct ReplayedValue {
  int64_t launches = 0;
  double sum = 0, least = 0, most = 0;
  [[nodiscard]] double mean() const { return sum / static_cast<double>(launches); }
};

class ReplayFacts {
 public:
  // Values that are not finite or below 0, and launches whose kernel is not known, are left out.
  static Result<ReplayFacts> load(const TraceReader& reader, const Trace& trace);

  // Null when that was not counted. Device, name and shape are indices of the trace.
  [[nodiscard]] const ReplayedValue* find(size_t device, uint32_t name, uint32_t shape,
                                          CounterRole role) const;
  // Tensor operations of one launch (mean) by what was multiplied; 0 where nothing was counted.
  using TensorMix = std::array<double, hardware::kPrecisionCount>;
  [[nodiscard]] TensorMix tensorMix(size_t device, uint32_t name, uint32_t shape) const;
  [[nodiscard]] bool empty() const { return m_values.empty(); }
  [[nodiscard]] int64_t launches() const { return m_launches; }
  [[nodiscard]] size_t signatures() const { return m_signatures; }

 private:
  [[nodiscard]] uint32_t sameLaunch(uint32_t shape) const {
    return shape < m_same_launch.size() ? m_same_launch[shape] : shape;
  }
  // By shape: the first one with the same launch. A replayed launch comes with another shared-memory
  // configuration and cache preference of the SM than the kernel's other launches (seen on an H200), hence
  // with a shape of its own.
  std::vector<uint32_t> m_same_launch;
  using Key = std::tuple<size_t, uint32_t, uint32_t, CounterRole>;
  std::map<Key, ReplayedValue> m_values;
  std::map<std::tuple<size_t, uint32_t, uint32_t>, std::pair<TensorMix, int64_t>> m_tensor;  // sum, launches
  int64_t m_launches = 0;
  size_t m_signatures = 0;
};

}  // namespace perfscope
