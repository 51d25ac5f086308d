// Samples gather column by column and are packed when there are enough of them, or at a commit.
#include "injector/recorder/counter_blocks.h"

#include "injector/recorder/spool_bytes.h"
#include "schemas/counter_roles.h"
#include "schemas/tables.h"

namespace perfscope {
namespace {

constexpr size_t kSamplesPerBlock = 4096;
constexpr int64_t kMetricsAtMost = 256;

template <typename T>
spool::Record rawOf(const T& record) {
  static_assert(sizeof(T) == sizeof(spool::Record));
  spool::Record raw;
  std::memcpy(&raw, &record, sizeof raw);
  return raw;
}

}  // namespace

void CounterBlocks::define(const spool::CounterSet& set) {
  Set& known = m_sets[set.set_id];
  known.metrics = set.metric_count;
  known.block.values.resize(known.metrics);
}

void CounterBlocks::addSet(const spool::CounterSet& set, int64_t device_id, const std::string& chip) {
  m_batch->put(
      CounterSetRow{rowOf(set.set_id), m_process_id, device_id, chip, static_cast<int64_t>(set.interval_ns)});
}

void CounterBlocks::addMetric(const spool::CounterMetric& metric, const std::string& name) {
  const auto role =
      metric.role < kCounterRoleCount ? static_cast<CounterRole>(metric.role) : CounterRole::None;
  const int64_t set_row = rowOf(metric.set_id);
  m_batch->put(CounterMetricRow{set_row * kMetricsAtMost + metric.position, set_row, metric.position,
                                std::string(infoOf(role).name), name});
}

bool CounterBlocks::addSample(const spool::CounterSample& record) {
  const auto found = m_sets.find(record.head.thread);
  if (found == m_sets.end() || record.value_count == 0 || record.value_count > spool::kCounterValues)
    return false;
  Set& set = found->second;
  if (record.head.flags == 0) {  // the first of a sample; an unfinished one before it will not be finished
    set.partial.clear();
    set.partial_values = 0;
  }
  if (record.head.flags != set.partial_values || set.partial_values + record.value_count > set.metrics)
    return false;
  set.partial.push_back(record);
  set.partial_values += record.value_count;
  if (set.partial_values == set.metrics) complete(record.head.thread, set);
  return true;
}

void CounterBlocks::complete(uint32_t set_id, Set& set) {
  const spool::CounterSample& first = set.partial.front();
  set.block.start_ns.push_back(static_cast<int64_t>(first.start_ns - static_cast<uint64_t>(m_time_base_ns)));
  set.block.duration_ns.push_back(first.duration_ns);
  for (const auto& record : set.partial) {
    for (uint32_t i = 0; i < record.value_count; ++i)
      set.block.values[record.head.flags + i].push_back(record.values[i]);
  }
  set.partial.clear();
  set.partial_values = 0;
  if (set.block.count() >= kSamplesPerBlock) flush(set_id, set);
}

void CounterBlocks::flush() {
  for (auto& [id, set] : m_sets) flush(id, set);
}

void CounterBlocks::flush(uint32_t set_id, Set& set) {
  if (set.block.empty()) return;
  CounterBlockRow row;
  row.id = m_batch->nextId<CounterBlockRow>();
  row.set_id = rowOf(set_id);
  row.start_ns = set.block.start_ns.front();
  row.end_ns = set.block.start_ns.back() + set.block.duration_ns.back();
  row.sample_count = static_cast<int64_t>(set.block.count());
  row.data.bytes = packSamples(set.block);
  m_batch->put(row);
  set.block = {};
  set.block.values.resize(set.metrics);
}

void CounterBlocks::collectWaiting(std::vector<spool::Record>& records) const {
  for (const auto& [id, set] : m_sets) {
    for (const auto& record : set.partial) records.push_back(rawOf(record));
  }
}

}  // namespace perfscope
