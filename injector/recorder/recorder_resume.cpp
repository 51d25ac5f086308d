// Checkpoints: what the recorder writes down at each commit, and going on from there.
#include <map>

#include "injector/recorder/recorder_state.h"

namespace perfscope {

Status Recorder::Impl::checkpoint() {
  std::vector<ProcessCheckpoint> all;
  for (auto& process : processes) {
    if (process.registered == nullptr) continue;
    if (auto status = appendDefinitions(process.spool->path(), process.definitions); !status) return status;
    process.definitions.clear();
    ProcessCheckpoint point;
    point.folder = process.spool->folder();
    point.process_id = process.registered->row.id;
    point.ended = process.ended;
    point.segment = process.spool->segment();
    point.index = process.spool->index();
    point.own_loss = process.registered->own_loss;
    if (process.mapped) point.waiting = RecordMapper::waiting(*process.mapped);
    all.push_back(std::move(point));
  }
  ++checkpoint_number;
  batch.setMeta(kCheckpointKey, std::to_string(checkpoint_number));
  return writeCheckpoint(checkpointPath(options.session_dir, checkpoint_number), all);
}

// Puts one process where the checkpoint says it was.
void Recorder::Impl::takeUp(Process& process, const ProcessCheckpoint& from,
                            const std::unordered_map<uint32_t, int64_t>& threads) {
  process.registered->own_loss = from.own_loss;
  process.unmatched_before = from.own_loss[static_cast<size_t>(Loss::UnmatchedLaunch)];
  process.ended = from.ended;
  process.registered->ended = from.ended;
  totals.spool_records += static_cast<int64_t>(from.segment - 1) * spool::kRecordsPerSegment + from.index;
  if (from.ended) return;
  process.mapped = mapper.addProcess(*process.registered);
  process.mapped->threads = threads;
  for (const auto& record : readDefinitions(process.spool->path())) mapper.map(*process.mapped, record);
  for (const auto& record : from.waiting) mapper.map(*process.mapped, record);
  process.spool->startAt(from.segment, from.index);
}

Status Recorder::Impl::resume() {
  const auto profile = TraceReader::open(options.output);
  if (!profile) return tl::unexpected(profile.error());
  const auto number = profile->meta(kCheckpointKey);
  if (!number) return tl::unexpected(number.error());
  const auto points = readCheckpoint(options.session_dir + "/checkpoint-" + number->value_or("0"));
  if (!points) return tl::unexpected(points.error());
  if (auto status = batch.loadIds(); !status) return status;
  if (auto status = mapper.load(*profile); !status) return status;
  std::map<int64_t, RegisteredProcess*> rows;
  std::map<int64_t, std::unordered_map<uint32_t, int64_t>> threads;  // by process
  const std::array<Status, 4> results = {
      profile->forEach<HostRow>({}, [&](const HostRow& row) { registry.loadHost(row); }),
      profile->forEach<DeviceRow>({}, [&](const DeviceRow& row) { devices.load(row); }),
      profile->forEach<ProcessRow>("ORDER BY id",
                                   [&](const ProcessRow& row) { rows[row.id] = &registry.load(row); }),
      profile->forEach<ThreadRow>({}, [&](const ThreadRow& row) {
        threads[row.process_id][static_cast<uint32_t>(row.tid)] = row.id;
      })};
  for (const auto& result : results) {
    if (!result) return result;
  }
  adopt();
  for (const auto& point : *points) {
    const auto row = rows.find(point.process_id);
    for (auto& process : processes) {
      const auto& folder = process.spool->folder();
      if (folder.pid != point.folder.pid || folder.start_ns != point.folder.start_ns || row == rows.end())
        continue;
      process.registered = row->second;
      takeUp(process, point, threads[point.process_id]);
    }
  }
  return {};
}

}  // namespace perfscope
