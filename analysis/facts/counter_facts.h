// What hardware counters tell of a profile: exact counts of replayed launches where there are any, else what
// attribution gives of the samples.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/counters/attribution.h"
#include "analysis/counters/columns.h"
#include "analysis/facts/replay_facts.h"
#include "analysis/report/measured.h"
#include "analysis/trace/trace.h"

namespace perfscope {

// An amount over all launches of a kernel name, in the unit of the role, with its 95 % interval (sampled) or
// the range of the launches that were counted (replay).
struct CounterValue {
  Measured<double> total;
  double low = 0, high = 0;  // only with a total
};

struct DeviceCounters {
  std::vector<SampleSet> sets;
  CounterColumns columns;  // its input is emptied once the attribution is done
  Attribution attribution;
  // By name: time by launch shape, for the average of replayed launches.
  struct ShapeCount {
    uint32_t shape = 0;
    int64_t launches = 0;
  };
  std::vector<std::vector<ShapeCount>> shapes;  // only where launches were replayed

  [[nodiscard]] const RoleAttribution* role(CounterRole role) const;
};

struct CounterOptions {
  int threads = 0;  // see AttributionOptions
  // Memory bandwidth of the device by its data sheet, bytes/s, by device index; empty = not known.
  std::vector<std::optional<double>> bandwidth;
};

// Owns the samples; immutable once gathered.
struct CounterFacts {
  std::vector<DeviceCounters> devices;  // by device index; empty when the profile has no counters at all
  ReplayFacts replay;
  std::vector<std::string> problems;  // damaged blocks

  [[nodiscard]] bool empty() const { return devices.empty(); }
  // Of all launches of a kernel name on a device. Exact counts win when every shape of it was counted.
  [[nodiscard]] CounterValue of(size_t device, uint32_t name, CounterRole role) const;
  // What a kernel's replayed launches multiplied on the tensor cores, summed over all its launches; all 0
  // without.
  [[nodiscard]] ReplayFacts::TensorMix tensorMix(size_t device, uint32_t name) const;
  // Sum of the samples within the time, of the whole GPU whoever used it; absent where samples miss more than
  // a tenth of it.
  [[nodiscard]] Measured<double> sampledWithin(size_t device, CounterRole role, Interval time) const;
};

// Errors: those of SQLite.
Result<CounterFacts> gatherCounters(const Trace& trace, const std::vector<KernelClass>& classes,
                                    const CounterOptions& options);

// The sentences for the trust ledger: (id, text).
std::vector<std::pair<std::string, std::string>> counterNotes(const CounterFacts& facts, const Trace& trace);

}  // namespace perfscope
