// Block by block, in order of time; then the check of every value.
#include "analysis/counters/load_samples.h"

#include <algorithm>
#include <numeric>

#include "schemas/sample_block.h"
#include "schemas/tables_counters.h"

namespace perfscope {
namespace {

struct OpenSet {
  int64_t device_id = 0;
  SampleSet set;
};
using OpenSets = std::map<int64_t, OpenSet>;  // by row id

// Longest set that fits in memory whatever a forged profile says.
constexpr size_t kMostSamples = size_t{1} << 28;

Result<OpenSets> readSets(const TraceReader& reader) {
  OpenSets sets;
  auto status = reader.forEach<CounterSetRow>("", [&](const CounterSetRow& row) {
    sets[row.id] = {row.device_id, {row.chip, row.interval_ns, {}, {}, {}}};
  });
  if (!status) return tl::unexpected(status.error());
  status = reader.forEach<CounterMetricRow>("ORDER BY set_id, position", [&](const CounterMetricRow& row) {
    const auto found = sets.find(row.set_id);
    if (found == sets.end()) return;
    found->second.set.metrics.push_back({counterRoleNamed(row.role), row.metric, {}, 0});
  });
  if (!status) return tl::unexpected(status.error());
  return sets;
}

// Empty = good.
std::string append(const CounterBlockRow& row, const std::string& where, SampleSet& set) {
  const auto block = unpackSamples(row.data.bytes, where);
  if (!block) return block.error().sentence();
  if (block->values.size() != set.metrics.size())
    return where + ": " + std::to_string(block->values.size()) + " metrics where its set has " +
           std::to_string(set.metrics.size());
  if (set.size() + block->count() > kMostSamples) return where + ": more samples than can be";
  if (block->empty()) return {};
  // The row says when the block began; the times inside may be of the clock they came with.
  int64_t shift = 0;
  if (__builtin_sub_overflow(row.start_ns, block->start_ns[0], &shift)) return where + ": impossible time";
  for (size_t i = 0; i < block->count(); ++i) {
    int64_t start = 0, end = 0;
    if (__builtin_add_overflow(block->start_ns[i], shift, &start) ||
        __builtin_add_overflow(start, block->duration_ns[i], &end))
      return where + ": impossible time";
    if (block->duration_ns[i] <= 0) continue;
    set.start_ns.push_back(start);
    set.duration_ns.push_back(block->duration_ns[i]);
    for (size_t m = 0; m < set.metrics.size(); ++m)
      set.metrics[m].values.push_back(static_cast<float>(block->values[m][i]));
  }
  return {};
}

template <class T>
void permute(const std::vector<size_t>& order, std::vector<T>& values) {
  std::vector<T> sorted(order.size());
  for (size_t i = 0; i < order.size(); ++i) sorted[i] = values[order[i]];
  values = std::move(sorted);
}

// In order of time, and without the first sample.
void settle(SampleSet& set) {
  if (set.size() == 0) return;
  std::vector<size_t> order(set.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (!std::is_sorted(set.start_ns.begin(), set.start_ns.end()))
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return set.start_ns[a] < set.start_ns[b]; });
  order.erase(order.begin());
  permute(order, set.start_ns);
  permute(order, set.duration_ns);
  for (SampleMetric& metric : set.metrics) permute(order, metric.values);
}

double medianOfPositive(const std::vector<float>& values) {
  std::vector<float> positive;
  for (const float v : values)
    if (v > 0 && std::isfinite(v)) positive.push_back(v);
  if (positive.empty()) return 0;
  const auto middle = positive.begin() + static_cast<std::ptrdiff_t>(positive.size() / 2);
  std::nth_element(positive.begin(), middle, positive.end());
  return *middle;
}

void markImpossible(const SampleSet& set, std::optional<double> limit_per_ns, SampleMetric& metric) {
  const double most = kAbsurdTimesMedian * medianOfPositive(metric.values);
  for (size_t i = 0; i < metric.values.size(); ++i) {
    const auto value = static_cast<double>(metric.values[i]);
    bool good = std::isfinite(value) && value >= 0 && value <= most;
    if (good && limit_per_ns)
      good = value <= kAbsurdTimesLimit * *limit_per_ns * static_cast<double>(set.duration_ns[i]);
    if (good) continue;
    metric.values[i] = kNoSample;
    ++metric.dropped;
  }
}

}  // namespace

Result<LoadedSamples> loadSamples(const TraceReader& reader, const RoleLimit& limit) {
  auto sets = readSets(reader);
  if (!sets) return tl::unexpected(sets.error());
  LoadedSamples loaded;
  const auto status = reader.forEach<CounterBlockRow>("ORDER BY set_id, start_ns, id", [&](const auto& row) {
    const std::string where = reader.path() + ", counter_block " + std::to_string(row.id);
    const auto found = sets->find(row.set_id);
    std::string problem =
        found == sets->end() ? where + ": its counter_set is missing" : append(row, where, found->second.set);
    if (!problem.empty()) loaded.problems.push_back(std::move(problem));
  });
  if (!status) return tl::unexpected(status.error());
  for (auto& [id, open] : *sets) {
    settle(open.set);
    if (open.set.size() == 0) continue;
    for (SampleMetric& metric : open.set.metrics)
      markImpossible(open.set, limit ? limit(open.device_id, metric.role) : std::nullopt, metric);
    loaded.by_device[open.device_id].push_back(std::move(open.set));
  }
  for (auto& [device, of_device] : loaded.by_device) {
    std::stable_sort(of_device.begin(), of_device.end(), [](const SampleSet& a, const SampleSet& b) {
      return a.start_ns.front() < b.start_ns.front();
    });
  }
  return loaded;
}

}  // namespace perfscope
