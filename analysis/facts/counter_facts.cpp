// Loads, attributes device by device, and answers by kernel name.
#include "analysis/facts/counter_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/counters/load_samples.h"

namespace perfscope {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kMostUnsampled = 0.1;
constexpr const char* kNoCounters = "no hardware counters were collected";
constexpr const char* kSampled = "measured:sampled";
constexpr const char* kReplayed = "measured:replay";

// Times when a process that used the device was there and its work was not recorded.
IntervalSet unrecordedOn(const Trace& trace, size_t device) {
  constexpr int64_t kEndOfTime = std::numeric_limits<int64_t>::max() / 4;
  std::vector<uint8_t> used(trace.processes.size(), 0);
  const IndexRange range = trace.device_kernels[device];
  for (size_t i = range.begin; i < range.end; ++i) used[trace.kernels.process[i]] = 1;
  std::vector<Interval> off;
  for (size_t p = 0; p < trace.unrecorded.size(); ++p) {
    if (used[p] == 0) continue;
    const ProcessRow& row = trace.processes[p];
    const Interval life{row.start_ns, row.end_ns.value_or(kEndOfTime)};
    for (const Interval& hole : trace.unrecorded[p].intervals()) off.push_back(intersection(hole, life));
  }
  return IntervalSet(std::move(off));
}

std::vector<std::vector<DeviceCounters::ShapeCount>> shapeCounts(const Trace& trace, size_t device) {
  std::vector<std::vector<DeviceCounters::ShapeCount>> result(trace.names.size());
  std::map<std::pair<uint32_t, uint32_t>, int64_t> counts;
  const IndexRange range = trace.device_kernels[device];
  for (size_t i = range.begin; i < range.end; ++i) ++counts[{trace.kernels.name[i], trace.kernels.shape[i]}];
  for (const auto& [signature, launches] : counts)
    result[signature.first].push_back({signature.second, launches});
  return result;
}

std::string timeText(double ns) {
  return ns < 1e3 ? fmt::format("{:.0f} ns", ns) : fmt::format("{:.1f} us", ns / 1e3);
}

std::string withheldText(const DeviceCounters& counters, const RoleAttribution& role, size_t subject) {
  const Estimate& estimate = role.subjects[subject];
  switch (estimate.withheld) {
    case Withheld::No:
      return {};
    case Withheld::NotSampled:
      return "no counter sample was taken while it ran";
    case Withheld::TooFewSamples:
      return fmt::format("it ran for less than {:.0f} sampling intervals in all", kLeastIntervals);
    case Withheld::TooLittleWeight:
      return fmt::format("its launches are so short that they fill less than {:.0f} % of a sample",
                         kLeastWeight * 100);
    case Withheld::TooWide:
      return fmt::format("the samples leave it open: {:.3g} to {:.3g} {}", estimate.low, estimate.high,
                         infoOf(role.role).unit);
    case Withheld::NotSeparable:
      break;
  }
  const SubjectGroup& group = role.groups[static_cast<size_t>(estimate.group)];
  constexpr size_t kMostNames = 3;
  std::string names;
  size_t others = 0;
  for (const uint32_t member : group.members) {
    if (member == subject) continue;
    if (++others <= kMostNames) names += (names.empty() ? "" : ", ") + counters.columns.labels[member];
  }
  if (others > kMostNames) names += fmt::format(" and {} more", others - kMostNames);
  if (group.with_idle) names += names.empty() ? "idle time" : ", idle time";
  return fmt::format("not separable from {}; together {:.4g} {} ({:.4g} to {:.4g})", names, group.total,
                     infoOf(role.role).unit, group.low, group.high);
}

CounterValue sampledValue(const DeviceCounters& counters, uint32_t name, CounterRole wanted) {
  const RoleAttribution* role = counters.role(wanted);
  if (role == nullptr) {
    const std::string why =
        counters.sets.empty() ? "no counters were sampled on this GPU" : "this counter was not sampled";
    return {Measured<double>::absent(why)};
  }
  const int32_t subject = counters.columns.subject_of_name[name];
  if (subject == kNoSubject) return {Measured<double>::absent("it did not run on this GPU")};
  const auto at = static_cast<size_t>(subject);
  if (counters.columns.is_pooled[name] != 0) {
    return {Measured<double>::absent("too little of the time to be told apart: sampled together as \"" +
                                     counters.columns.labels[at] + "\"")};
  }
  const Estimate& estimate = role->subjects[at];
  if (!estimate.has()) return {Measured<double>::absent(withheldText(counters, *role, at))};
  return {Measured<double>::of(estimate.total, kSampled), estimate.low, estimate.high};
}

// Average of the replayed launches of each shape x launches of that shape. Empty unless all shapes were
// counted: what was not counted is not made up.
std::optional<CounterValue> replayedValue(const ReplayFacts& replay, const DeviceCounters& counters,
                                          size_t device, uint32_t name, CounterRole role) {
  if (replay.empty() || counters.shapes.empty() || counters.shapes[name].empty()) return std::nullopt;
  double total = 0, low = 0, high = 0;
  for (const auto& [shape, launches] : counters.shapes[name]) {
    const ReplayedValue* value = replay.find(device, name, shape, role);
    if (value == nullptr) return std::nullopt;
    const auto count = static_cast<double>(launches);
    total += value->mean() * count;
    low += value->least * count;
    high += value->most * count;
  }
  return CounterValue{Measured<double>::of(total, kReplayed), low, high};
}

void attributeDevice(const Trace& trace, const std::vector<KernelClass>& classes, size_t device, int threads,
                     DeviceCounters& counters) {
  counters.columns = counterColumns(trace, classes, device);
  AttributionInput& input = counters.columns.input;
  input.sets = std::move(counters.sets);
  input.excluded = unrecordedOn(trace, device);
  AttributionOptions options;
  options.threads = threads;
  counters.attribution = attribute(input, options);
  counters.sets = std::move(input.sets);
  std::vector<Activity>().swap(input.activities);
}

}  // namespace

const RoleAttribution* DeviceCounters::role(CounterRole wanted) const {
  for (const RoleAttribution& entry : attribution.roles)
    if (entry.role == wanted && entry.samples > 0) return &entry;
  return nullptr;
}

CounterValue CounterFacts::of(size_t device, uint32_t name, CounterRole role) const {
  if (empty()) return {Measured<double>::absent(kNoCounters)};
  const DeviceCounters& counters = devices[device];
  if (auto exact = replayedValue(replay, counters, device, name, role)) return std::move(*exact);
  return sampledValue(counters, name, role);
}

ReplayFacts::TensorMix CounterFacts::tensorMix(size_t device, uint32_t name) const {
  ReplayFacts::TensorMix total{};
  if (empty() || devices[device].shapes.empty()) return total;
  for (const auto& [shape, launches] : devices[device].shapes[name]) {
    const ReplayFacts::TensorMix one = replay.tensorMix(device, name, shape);
    for (size_t p = 0; p < total.size(); ++p) total[p] += one[p] * static_cast<double>(launches);
  }
  return total;
}

Measured<double> CounterFacts::sampledWithin(size_t device, CounterRole role, Interval time) const {
  if (empty()) return Measured<double>::absent(kNoCounters);
  if (time.length() <= 0) return Measured<double>::absent("nothing ran on this GPU");
  const int64_t skew = devices[device].attribution.skew_ns;
  double sum = 0, covered = 0;
  for (const SampleSet& set : devices[device].sets) {
    const SampleMetric* metric = set.find(role);
    if (metric == nullptr) continue;
    for (size_t i = 0; i < set.size(); ++i) {
      if (std::isnan(metric->values[i])) continue;
      const int64_t start = set.start_ns[i] + skew;
      const auto shared =
          static_cast<double>(intersection({start, start + set.duration_ns[i]}, time).length());
      if (shared <= 0) continue;
      covered += shared;
      sum += static_cast<double>(metric->values[i]) * shared / static_cast<double>(set.duration_ns[i]);
    }
  }
  const auto length = static_cast<double>(time.length());
  if (covered <= 0) return Measured<double>::absent("this counter was not sampled then");
  if (covered < (1 - kMostUnsampled) * length)
    return Measured<double>::absent(
        fmt::format("samples cover only {:.0f} % of that time", covered / length * 100));
  return Measured<double>::of(sum, kSampled);
}

Result<CounterFacts> gatherCounters(const Trace& trace, const std::vector<KernelClass>& classes,
                                    const CounterOptions& options) {
  const auto reader = TraceReader::open(trace.path);
  if (!reader) return tl::unexpected(reader.error());
  const auto limit = [&](int64_t device_id, CounterRole role) -> std::optional<double> {
    const auto device = trace.device_index.find(device_id);
    if (device == trace.device_index.end() || !options.bandwidth[device->second]) return std::nullopt;
    if (role != CounterRole::DramReadBytes && role != CounterRole::DramWriteBytes) return std::nullopt;
    return *options.bandwidth[device->second] / kNsPerSecond;
  };
  auto samples = loadSamples(*reader, limit);
  if (!samples) return tl::unexpected(samples.error());
  auto replay = ReplayFacts::load(*reader, trace);
  if (!replay) return tl::unexpected(replay.error());
  CounterFacts facts;
  facts.problems = std::move(samples->problems);
  facts.replay = std::move(*replay);
  if (samples->by_device.empty() && facts.replay.empty()) return facts;
  facts.devices.resize(trace.devices.size());
  for (size_t device = 0; device < trace.devices.size(); ++device) {
    DeviceCounters& counters = facts.devices[device];
    if (!facts.replay.empty()) counters.shapes = shapeCounts(trace, device);
    const auto sets = samples->by_device.find(trace.devices[device].id);
    if (sets == samples->by_device.end()) continue;
    counters.sets = std::move(sets->second);
    attributeDevice(trace, classes, device, options.threads, counters);
  }
  return facts;
}

namespace {

std::string samplingNote(const DeviceCounters& counters, int64_t device_id) {
  int64_t samples = 0, shortest = 0, longest = 0;
  for (const SampleSet& set : counters.sets) {
    samples += static_cast<int64_t>(set.size());
    shortest = shortest == 0 ? set.interval_ns : std::min(shortest, set.interval_ns);
    longest = std::max(longest, set.interval_ns);
  }
  std::string text = fmt::format("hardware counters of GPU {}: {} samples every {}", device_id, samples,
                                 shortest == longest ? timeText(static_cast<double>(shortest))
                                                     : timeText(static_cast<double>(shortest)) + " to " +
                                                           timeText(static_cast<double>(longest)));
  text += counters.attribution.skew_found
              ? fmt::format(", their clock shifted by {:+.2f} us",
                            static_cast<double>(counters.attribution.skew_ns) / 1e3)
              : ", no shift of their clock found that fits better than none";
  const RoleAttribution* role = counters.role(CounterRole::DramReadBytes);
  if (role != nullptr && role->sampled > 0) {
    text += fmt::format(
        "; of the DRAM bytes read {:.1f} % are explained by kernels and copies, {:.1f} % by idle time",
        role->attributed / role->sampled * 100, role->idle / role->sampled * 100);
  }
  const RoleAttribution* writes = counters.role(CounterRole::DramWriteBytes);
  if (writes != nullptr && writes->lag_ns > 0)
    text += fmt::format("; writes reach the memory up to {} after their kernel",
                        timeText(static_cast<double>(writes->lag_ns)));
  return text;
}

// A list for the ledger, which names a few and counts the rest.
class ShortList {
 public:
  void add(const std::string& item) {
    if (++m_count <= kShown) m_text += (m_text.empty() ? "" : "; ") + item;
  }
  [[nodiscard]] std::string text() const {
    return m_count <= kShown ? m_text : fmt::format("{}; and {} more", m_text, m_count - kShown);
  }

 private:
  static constexpr size_t kShown = 3;
  std::string m_text;
  size_t m_count = 0;
};

// Groups of the DRAM bytes: those of the other counters are much the same, and each kernel says why it has no
// value.
std::string inseparable(const DeviceCounters& counters) {
  ShortList list;
  for (const RoleAttribution& role : counters.attribution.roles) {
    if (role.role != CounterRole::DramReadBytes) continue;
    for (const SubjectGroup& group : role.groups) {
      std::string names;
      for (const uint32_t member : group.members)
        names += (names.empty() ? "" : " + ") + counters.columns.labels[member];
      if (group.with_idle) names += " + idle time";
      list.add(names);
    }
  }
  return list.text();
}

std::string drifting(const DeviceCounters& counters) {
  ShortList list;
  for (const CounterRole wanted : {CounterRole::DramReadBytes, CounterRole::DramWriteBytes}) {
    const RoleAttribution* role = counters.role(wanted);
    for (size_t i = 0; role != nullptr && i < role->subjects.size(); ++i) {
      const Estimate& estimate = role->subjects[i];
      if (!estimate.has() || !estimate.drifts) continue;
      list.add(fmt::format("{} ({}: {:.3g} by the first half of the samples, {:.3g} by the second)",
                           counters.columns.labels[i], infoOf(wanted).name, estimate.first_half,
                           estimate.second_half));
    }
  }
  return list.text();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> counterNotes(const CounterFacts& facts, const Trace& trace) {
  std::vector<std::pair<std::string, std::string>> notes;
  for (size_t device = 0; device < facts.devices.size(); ++device) {
    const DeviceCounters& counters = facts.devices[device];
    if (counters.sets.empty()) continue;
    notes.emplace_back("counter_sampling", samplingNote(counters, trace.devices[device].id));
    int64_t dropped = 0;
    for (const RoleAttribution& role : counters.attribution.roles) dropped += role.dropped;
    if (dropped > 0)
      notes.emplace_back("counter_values_dropped",
                         fmt::format("{} impossible counter values were left out of all sums", dropped));
    if (std::string text = inseparable(counters); !text.empty())
      notes.emplace_back(
          "counters_not_separable",
          "these run so closely together that samples cannot tell their DRAM reads apart: " + text);
    if (std::string text = drifting(counters); !text.empty())
      notes.emplace_back("counters_drift", "amounts that changed during the run: " + text);
  }
  if (!facts.replay.empty())
    notes.emplace_back(
        "counter_replay",
        fmt::format("{} launches of {} kinds were run several times and counted exactly; other "
                    "launches of a kind are taken to do the same",
                    facts.replay.launches(), facts.replay.signatures()));
  return notes;
}

}  // namespace perfscope
