// The recorder's beginning, end and public face.
#include "injector/recorder/recorder.h"

#include <algorithm>
#include <array>
#include <thread>

#include "injector/recorder/process_alive.h"
#include "injector/recorder/recorder_state.h"

namespace perfscope {
namespace {

constexpr auto kGrace = std::chrono::seconds(1);  // for processes that end at the same time as the target
constexpr auto kGraceStep = std::chrono::milliseconds(20);
constexpr std::array<const char*, 4> kSeverityNames = {"info", "notice", "data_loss", "error"};

}  // namespace

void Recorder::Impl::ledger(Severity severity, const std::string& name, const std::string& text,
                            const std::string& detail) {
  LedgerRow row;
  row.id = batch.nextId<LedgerRow>();
  row.severity = kSeverityNames[static_cast<size_t>(severity)];
  row.name = name;
  row.text = text;
  if (!detail.empty()) row.detail = detail;
  batch.put(row);
}

void Recorder::Impl::begin() {
  registry.addHost(readHostFacts());
  for (const auto& [key, value] : options.meta) batch.setMeta(key, value);
  for (const auto& note : options.notes) ledger(note.severity, note.name, note.text, note.detail);
}

void Recorder::Impl::updateTotals() {
  totals.gpu_records = mapper.gpuRecords();
  totals.processes = static_cast<int>(registry.processes().size());
  totals.losses = registry.severeLosses();
  totals.no_room = registry.lossCount(Loss::SpoolFull);
}

void Recorder::Impl::setExitStatus(const EndOfTarget& target) {
  batch.setMeta("target_exit_status", std::to_string(target.status));
  batch.setMeta("target_wall_ns", std::to_string(target.wall_ns));
  // The last session of that pid is the one that ended so.
  RegisteredProcess* last = nullptr;
  for (auto& process : processes) {
    if (process.registered != nullptr && process.registered->row.pid == target.pid) last = process.registered;
  }
  if (last != nullptr) registry.setExitStatus(*last, target.status);
}

// Processes that live on when the session ends, and folders whose control file never became readable.
void Recorder::Impl::endSurvivors() {
  for (auto& process : processes) {
    if (process.ended || process.mapped == nullptr) continue;
    const auto& folder = process.spool->folder();
    if (!options.live || !isProcessAlive(folder.pid, folder.start_ns)) {
      endProcess(process, "killed");
      continue;
    }
    endProcess(process, "running");
    const std::string who = "process " + std::to_string(process.registered->row.pid);
    ledger(Severity::DataLoss, "process_outlived_session",
           "a process was still running when the target had ended; its later work is not recorded", who);
    ++totals.outlived;
  }
}

Recorder::Recorder(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
Recorder::~Recorder() = default;

Result<std::unique_ptr<Recorder>> Recorder::create(const RecorderOptions& options) {
  auto writer = options.resume ? TraceWriter::append(options.output)
                               : TraceWriter::create(options.output, options.time_base_ns);
  if (!writer) return tl::unexpected(writer.error());
  auto impl = std::make_unique<Impl>(options, std::move(*writer));
  if (options.resume) {
    if (auto status = impl->resume(); !status) return tl::unexpected(status.error());
  } else {
    impl->begin();
  }
  if (auto status = impl->commitIfDue(true); !status) return tl::unexpected(status.error());
  return std::unique_ptr<Recorder>(new Recorder(std::move(impl)));
}

Result<bool> Recorder::poll() {
  const bool more = m_impl->round(false);
  m_impl->updateTotals();
  if (auto status = m_impl->commitIfDue(false); !status) return tl::unexpected(status.error());
  return more;
}

void Recorder::stopCollectors() {
  m_impl->adopt();
  for (auto& process : m_impl->processes) {
    if (!process.ended) process.spool->requestStop();
  }
}

Status Recorder::finish(const std::optional<EndOfTarget>& target) {
  Impl& impl = *m_impl;
  const auto deadline = Impl::Clock::now() + kGrace;
  for (;;) {
    const bool more = impl.round(false);
    if (auto status = impl.commitIfDue(false); !status) return status;
    if (more) continue;
    impl.endThoseGone(true);
    if (impl.batch.error() || impl.allEnded() || !impl.options.live || Impl::Clock::now() >= deadline) break;
    std::this_thread::sleep_for(kGraceStep);
  }
  while (impl.round(true)) {
    if (auto status = impl.commitIfDue(false); !status) return status;
  }
  impl.endSurvivors();
  impl.awaitFirstSample();
  if (target) impl.setExitStatus(*target);
  if (auto status = impl.commitIfDue(true); !status) return status;
  impl.updateTotals();
  impl.nvml.reset();
  return impl.batch.close();
}

const RecorderTotals& Recorder::totals() const {
  return m_impl->totals;
}
const std::vector<std::string>& Recorder::warnings() const {
  return m_impl->warnings;
}
const std::vector<std::string>& Recorder::collectorErrors() const {
  return m_impl->mapper.collectorErrors();
}

}  // namespace perfscope
