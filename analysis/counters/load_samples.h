// Counter samples of a profile -> columns in memory, by device; values that cannot be are marked and counted.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/counters/counter_samples.h"
#include "schemas/trace_reader.h"

namespace perfscope {

// The most of a role that a GPU can do per ns, by its data sheet; empty = not known.
using RoleLimit = std::function<std::optional<double>(int64_t device_id, CounterRole role)>;

// A value is absurd beyond so many times the data sheet, or so many times the median of its metric's non-zero
// values.
inline constexpr double kAbsurdTimesLimit = 20, kAbsurdTimesMedian = 1e6;

struct LoadedSamples {
  std::map<int64_t, std::vector<SampleSet>>
      by_device;  // device row id -> sets in order of their first sample
  // What went wrong, one sentence each; the rest is good.
  std::vector<std::string> problems;
};

// Samples of a set come in order of time; its very first one is left out (it spans the set-up), so are those
// without a duration. Errors: those of SQLite; a damaged block is a problem, not an error.
Result<LoadedSamples> loadSamples(const TraceReader& reader, const RoleLimit& limit);

}  // namespace perfscope
