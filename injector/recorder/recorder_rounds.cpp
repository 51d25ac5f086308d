// A round of the recorder: discover, read, map, commit; and the end of single processes.
#include <unistd.h>

#include <algorithm>
#include <map>
#include <thread>

#include "injector/recorder/process_alive.h"
#include "injector/recorder/recorder_state.h"
#include "injector/recorder/spool_bytes.h"
#include "injector/recorder/window_filter.h"

namespace perfscope {
namespace {

constexpr size_t kRecordsPerTurn = 100'000;   // of one process: no process waits long for the others
constexpr uint64_t kRowsPerCommit = 200'000;  // bounds the write-ahead log
constexpr auto kAliveEvery = std::chrono::milliseconds(500);

}  // namespace

// Folders that appeared get a place in the list; they are registered when their control file can be read.
void Recorder::Impl::adopt() {
  reader.discover();
  for (size_t i = processes.size(); i < reader.processes().size(); ++i) {
    processes.emplace_back();
    processes.back().spool = reader.processes()[i].get();
  }
}

bool Recorder::Impl::registerProcess(Process& process, bool final) {
  if (process.registered != nullptr) return true;
  ControlSnapshot control = process.spool->control();
  if (!process.spool->hasControl()) {
    // At the end a folder without a readable control file still may hold segments: its name is known.
    if (!final || process.spool->controlRefused() || !process.spool->hasSegments()) return false;
    control.pid = process.spool->folder().pid;
    control.start_ns = process.spool->folder().start_ns;
  }
  process.registered = &registry.add(control);
  process.mapped = mapper.addProcess(*process.registered);
  if (!options.live) {
    // Segments that a live recorder had consumed are gone; what later records refer to was kept.
    for (const auto& record : readDefinitions(process.spool->path())) mapper.map(*process.mapped, record);
  }
  return true;
}

void Recorder::Impl::tellRefusals(Process& process) {
  const auto& refusals = process.spool->refusals();
  for (; process.refusals_told < refusals.size(); ++process.refusals_told) {
    const auto& text = refusals[process.refusals_told];
    ledger(Severity::Error, "spool_refused", "a spool file could not be used; its records are missing", text);
    if (warned.insert(text).second) warnings.push_back(text);
  }
}

// True when the turn's limit was reached: there may be more.
bool Recorder::Impl::readProcess(Process& process, bool final) {
  process.spool->refreshControl();
  if (!registerProcess(process, final)) {
    tellRefusals(process);
    return false;
  }
  const size_t count =
      process.spool->read(kRecordsPerTurn, final, [&](std::span<const spool::Record> records) {
        for (const auto& record : records) {
          mapper.map(*process.mapped, record);
          if (options.live && isDefinition(kindOf(record))) process.definitions.push_back(record);
        }
      });
  totals.spool_records += static_cast<int64_t>(count);
  if (process.spool->hasControl()) process.registered->loss = process.spool->control().loss;
  tellRefusals(process);
  return count >= kRecordsPerTurn;
}

// False when the database failed meanwhile.
bool Recorder::Impl::readToEnd(Process& process) {
  while (readProcess(process, true)) {
    if (!commitIfDue(false)) return false;
  }
  return !batch.error();
}

bool Recorder::Impl::round(bool final) {
  adopt();
  bool more = false;
  for (auto& process : processes) {
    if (process.ended) continue;
    more |= readProcess(process, final);
    if (process.mapped == nullptr) continue;
    process.mapped->joiner->tick();
    const auto state = process.spool->control().state;
    if (state == SpoolProcessState::Running) continue;
    // The state was read before the records: all that was published until then can be read now.
    if (!readToEnd(process)) return false;
    endProcess(process, state == SpoolProcessState::Closed ? "closed" : "execed");
  }
  watchWithNvml();
  if (Clock::now() - last_alive >= kAliveEvery) endThoseGone(false);
  return more;
}

void Recorder::Impl::refreshLosses(Process& process) {
  auto& own = process.registered->own_loss;
  own[static_cast<size_t>(Loss::TornRecord)] += process.spool->torn() - process.torn_told;
  process.torn_told = process.spool->torn();
  if (process.mapped)
    own[static_cast<size_t>(Loss::UnmatchedLaunch)] =
        process.unmatched_before + process.mapped->joiner->unmatchedKernels();
}

void Recorder::Impl::endProcess(Process& process, const std::string& state) {
  mapper.finish(*process.mapped);
  refreshLosses(process);
  cutWindows(process);
  ControlSnapshot control = process.spool->control();
  if (!process.spool->hasControl()) {
    control.pid = process.spool->folder().pid;
    control.start_ns = process.spool->folder().start_ns;
  }
  registry.end(*process.registered, control, state, std::nullopt);
  process.mapped.reset();  // its maps may be large
  process.ended = true;
}

void Recorder::Impl::cutWindows(Process& process) {
  const Database* const db = batch.databaseInTransaction();
  if (db == nullptr) return;
  const auto dropped = dropOutsideWindows(*db, process.registered->row.id, options.windows_configured);
  if (!dropped) return batch.fail(dropped.error());
  mapper.forgetGpuRecords(dropped->gpu_records);
  auto& unmatched = process.registered->own_loss[static_cast<size_t>(Loss::UnmatchedLaunch)];
  unmatched -= std::min(unmatched, static_cast<uint64_t>(dropped->unmatched_kernels));
}

// A later session of the same pid: the process called exec without our knowing.
bool Recorder::Impl::wasReplaced(const Process& process) const {
  return std::any_of(processes.begin(), processes.end(), [&](const Process& other) {
    return other.registered != nullptr && other.spool->folder().pid == process.spool->folder().pid &&
           other.spool->folder().start_ns > process.spool->folder().start_ns;
  });
}

void Recorder::Impl::endThoseGone(bool now) {
  if (!now) last_alive = Clock::now();
  for (auto& process : processes) {
    if (process.ended || process.mapped == nullptr) continue;
    const auto& folder = process.spool->folder();
    const bool replaced = wasReplaced(process);
    if (!replaced && options.live && isProcessAlive(folder.pid, folder.start_ns)) continue;
    if (!readToEnd(process)) return;
    // Its last word may have been written after our last look.
    const auto state = process.spool->control().state;
    const bool execed = replaced || state == SpoolProcessState::Execed;
    endProcess(process, state == SpoolProcessState::Closed ? "closed" : execed ? "execed" : "killed");
  }
}

bool Recorder::Impl::allEnded() const {
  return std::all_of(processes.begin(), processes.end(), [](const Process& p) { return p.ended; });
}

void Recorder::Impl::nvmlUnavailable(const std::string& why) {
  ledger(Severity::Notice, "nvml_unavailable",
         "clocks, power and throttling were not sampled: ceilings at the running clock are unknown", why);
}

// With the first process that uses CUDA: a run without one pays nothing, and the target, started before,
// inherits none of NVML's files.
void Recorder::Impl::watchWithNvml() {
  if (!nvml_tried && options.live && options.nvml_hz > 0 && !registry.processes().empty()) {
    nvml_tried = true;
    std::string why;
    nvml = NvmlSampler::start(options.nvml_hz, why);
    if (!nvml) nvmlUnavailable(why);
  }
  if (!nvml) return;
  for (const auto& [id, row] : devices.rows()) {
    if (row.uuid) nvml->watch(*row.uuid);
  }
}

void Recorder::Impl::nvmlRows() {
  if (!nvml) return;
  if (const auto host = nvml->takeHostFacts())
    registry.setDriver(host->driver_version, host->cuda_driver_api);
  if (const auto why = nvml->takeFailure()) nvmlUnavailable(*why);
  std::map<std::string, int64_t> by_uuid;
  for (const auto& [id, row] : devices.rows()) {
    if (row.uuid) by_uuid[*row.uuid] = id;
  }
  for (const auto& facts : nvml->takeFacts()) {
    const auto known = by_uuid.find(facts.uuid);
    DeviceRow* const row = known != by_uuid.end() ? devices.find(known->second) : nullptr;
    if (row == nullptr) continue;
    row->power_limit_w = facts.power_limit_w;
    row->max_sm_clock_mhz = facts.max_sm_clock_mhz;
    devices.save(*row);
  }
  auto samples = std::move(early_samples);
  early_samples.clear();
  for (auto& sample : nvml->takeSamples()) samples.push_back(std::move(sample));
  if (by_uuid.empty()) {
    early_samples = std::move(samples);
    return;
  }
  for (const auto& sample : samples) {
    const auto device = by_uuid.find(sample.uuid);
    if (device == by_uuid.end()) continue;  // a GPU of the machine that the target does not use
    MachineSampleRow row;
    row.id = batch.nextId<MachineSampleRow>();
    row.device_id = device->second;
    row.time_ns = static_cast<int64_t>(sample.time_ns) - options.time_base_ns;
    row.sm_clock_mhz = sample.sm_clock_mhz;
    row.memory_clock_mhz = sample.memory_clock_mhz;
    row.power_mw = sample.power_mw;
    row.temperature_c = sample.temperature_c;
    row.throttle_reasons = sample.throttle_reasons;
    row.energy_mj = sample.energy_mj;
    row.utilization_percent = sample.utilization_percent;
    row.memory_used_bytes = sample.memory_used_bytes;
    row.pcie_tx_kb_per_s = sample.pcie_tx_kb_per_s;
    row.pcie_rx_kb_per_s = sample.pcie_rx_kb_per_s;
    batch.put(row);
  }
}

// A program of 50 ms is over before NVML has started: the sample then tells the state right after it.
void Recorder::Impl::awaitFirstSample() {
  constexpr auto kAtMost = std::chrono::milliseconds(1000);
  constexpr auto kStep = std::chrono::milliseconds(2);
  watchWithNvml();
  const bool used = std::any_of(devices.rows().begin(), devices.rows().end(),
                                [](const auto& device) { return device.second.uuid.has_value(); });
  if (!nvml || !used) return;
  const auto deadline = Clock::now() + kAtMost;
  while (!nvml->settled() && Clock::now() < deadline) std::this_thread::sleep_for(kStep);
}

Status Recorder::Impl::commitIfDue(bool now) {
  const auto interval = std::chrono::milliseconds(options.commit_every_ms);
  const bool due = Clock::now() - last_commit >= interval || batch.rows() - rows_committed >= kRowsPerCommit;
  if (!now && !due && !batch.error()) return {};
  // Recovering writes no checkpoints, so its rows come all together at the end: an interrupted `recover` leaves the
  // profile as it was, and the next one does not write rows twice.
  if (!options.live && !now && !batch.error()) return {};
  last_commit = Clock::now();
  for (auto& process : processes) {
    if (process.registered == nullptr || process.ended) continue;
    refreshLosses(process);
    registry.writeLosses(*process.registered);
    if (process.mapped) process.mapped->counters->flush();
  }
  nvmlRows();
  const bool idle = batch.rows() == rows_committed && totals.spool_records == records_committed;
  if (idle && !batch.error()) return {};
  // With the checkpoint this commit is a point to go on from, and what lies before it may go.
  if (options.live) {
    if (auto status = checkpoint(); !status) batch.fail(status.error());
  }
  if (auto status = batch.commit(); !status) return status;
  rows_committed = batch.rows();
  records_committed = totals.spool_records;
  totals.committed = mapper.gpuRecords();
  if (options.live) {
    ::unlink(checkpointPath(options.session_dir, checkpoint_number - 1).c_str());
    for (auto& process : processes) process.spool->removeConsumed();
  }
  return {};
}

}  // namespace perfscope
