// Hardware counters: sets, metrics, replayed launches -> rows. Samples go to CounterBlocks.
#include "injector/recorder/record_mapper.h"
#include "injector/recorder/spool_bytes.h"
#include "schemas/counter_roles.h"
#include "schemas/tables.h"

namespace perfscope {
namespace {

// Row ids out of the collector's ids, as in CounterBlocks: the same rows again after a resumed recording.
constexpr int64_t kReplaysAtMost = int64_t{1} << 24;

}  // namespace

void RecordMapper::counterSet(MappedProcess& process, const spool::Record& raw) {
  const auto record = as<spool::CounterSet>(raw);
  process.counters->define(record);
  if (lacksText(process, record.chip_name_id, raw)) return;
  if (process.devices.count(record.device) == 0 && lacks(process, Missing::Device, record.device, raw))
    return;
  process.counters->addSet(record, deviceId(process, record.device),
                           textOf(process, record.chip_name_id).text);
}

void RecordMapper::counterMetric(MappedProcess& process, const spool::Record& raw) {
  const auto record = as<spool::CounterMetric>(raw);
  if (lacksText(process, record.metric_name_id, raw)) return;
  process.counters->addMetric(record, textOf(process, record.metric_name_id).text);
}

void RecordMapper::replay(MappedProcess& process, const spool::Replay& record) {
  ReplayRow row;
  row.id = process.registered->row.id * kReplaysAtMost + record.replay_id;
  row.process_id = process.registered->row.id;
  row.device_id = deviceId(process, record.device);
  row.correlation = record.correlation;
  row.passes = record.passes;
  row.start_ns = relative(record.start_ns);
  row.duration_ns = static_cast<int64_t>(record.duration_ns);
  m_batch->put(row);
  process.replays[record.correlation] = row;
  if (const auto found = process.timeless.find(record.correlation); found != process.timeless.end())
    replayedKernel(process, process.timeless.extract(found).mapped());
}

// The kernel record of a replayed launch has no times; its correlation tells whose it is.
void RecordMapper::replayedKernel(MappedProcess& process, const spool::Kernel& kernel) {
  const auto found = process.replays.find(kernel.correlation);
  if (found == process.replays.end()) {
    process.timeless[kernel.correlation] = kernel;
    return;
  }
  ReplayRow row = found->second;
  process.replays.erase(found);
  row.name_id = kernelNameId(process, kernel.name_id);
  row.shape_id = shapeId(process, kernel.shape_id);
  m_batch->put(row);
  ++process.registered->own_loss[static_cast<size_t>(Loss::ReplayedKernel)];
}

void RecordMapper::replayValue(MappedProcess& process, const spool::Record& raw) {
  const auto record = as<spool::ReplayValue>(raw);
  if (lacksText(process, record.metric_name_id, raw)) return;
  const auto role =
      record.role < kCounterRoleCount ? static_cast<CounterRole>(record.role) : CounterRole::None;
  ReplayValueRow row;
  row.id = m_batch->nextId<ReplayValueRow>();
  row.replay_id = process.registered->row.id * kReplaysAtMost + record.replay_id;
  row.role = infoOf(role).name;
  row.metric = textOf(process, record.metric_name_id).text;
  row.value = record.value;
  m_batch->put(row);
}

}  // namespace perfscope
