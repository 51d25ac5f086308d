// One round of the drain thread.
#include "collector/spool/drain.h"

#include <cstdio>
#include <utility>

#include "collector/cupti/clock_sync.h"
#include "collector/process/clock.h"
#include "collector/process/runtime_version.h"
#include "collector/spool/note_writer.h"

namespace perfscope::collector {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kClockEveryNs = 1000 * kMillisecond;
constexpr uint64_t kTellAfterNs = 250 * kMillisecond;       // open so long: told before its end
constexpr uint64_t kRuntimeAfterNs = 250 * kMillisecond;    // cuInit and the runtime's own start are over
constexpr uint64_t kLingerNs = 300 * kMillisecond;          // kinds stay on so long after a window
constexpr uint64_t kBehindLimitNs = 10'000 * kMillisecond;  // so long without free buffers: give up

DecoderOptions decoderOptions(const HotState& hot, const ActivityPlan& plan) {
  return DecoderOptions{hot.api != nullptr ? hot.api->version : 0, hot.launch != nullptr, plan.filter_in_decoder};
}

}  // namespace

Drain::Drain(const CollectorConfig& config, ControlFile& control, HotState& hot, const NvtxState& nvtx,
             LossTally& losses, ActivityPlan plan)
    : m_config(config),
      m_control(control),
      m_hot(hot),
      m_losses(losses),
      m_plan(std::move(plan)),
      m_writer(control.folder(), control.block(), losses),
      m_names(m_writer.sink(), losses),
      m_shapes(m_writer.sink(), losses),
      m_decoder(m_writer.sink(), m_names, m_shapes, losses, decoderOptions(hot, m_plan)),
      m_gate(config, control.startNs()),
      m_lane_drain(*hot.lanes, nvtx, m_writer.sink(), m_names, losses, m_gate),
      m_capture(BufferCapture::fromEnvironment(hot.api != nullptr ? hot.api->version : 0)),
      m_cupti(hot.api != nullptr && hot.api->activity_flush_all != nullptr && hot.pool != nullptr),
      m_trigger(
          config, [](void* self) { static_cast<Drain*>(self)->switchOn(); }, this),
      m_flush_ns(control.startNs() + config.flush_ms * kMillisecond) {}  // cuInit is still at work until then

void Drain::decode(const ReadyBuffer& buffer) {
  if (!m_hot.pool->keeps(buffer.data))
    return;  // a throw-away buffer: its loss was counted when it was handed out
  m_capture.buffer(buffer.data, buffer.valid_bytes, *m_hot.api);
  CUpti_Activity* record = nullptr;
  while (true) {
    const CUptiResult result = m_hot.api->activity_get_next_record(buffer.data, buffer.valid_bytes, &record);
    if (result == CUPTI_SUCCESS) {
      m_decoder.decode(record);
      continue;
    }
    if (result != CUPTI_ERROR_MAX_LIMIT_REACHED)
      m_losses.count(Loss::UnknownRecord);  // the rest is unreadable
    break;
  }
  m_decoder.finishBuffer();
  if (!m_hot.closing.load(std::memory_order_relaxed)) countDropped();
}

// The answer is since the last question, for all threads together.
void Drain::countDropped() {
  size_t dropped = 0;
  if (m_hot.api->activity_get_num_dropped_records(nullptr, 0, &dropped) == CUPTI_SUCCESS && dropped > 0)
    m_losses.count(Loss::CuptiDropped, dropped);
}

size_t Drain::takeBuffers() {
  size_t buffers = 0;
  ReadyBuffer buffer{};
  // Bounded: threads may complete buffers as fast as we decode them, and the rings want their turn too.
  const size_t most = m_hot.pool->totalCount() + BufferPool::kSpares;
  while (buffers < most && m_hot.ready->tryPop(buffer)) {
    if (buffer.valid_bytes > 0) decode(buffer);
    m_hot.pool->giveBack(buffer.data, buffer.bytes);
    ++buffers;
  }
  return buffers;
}

void Drain::flushCupti(uint32_t flag) {
  const CUptiResult result = m_hot.api->activity_flush_all(flag);
  if (result == CUPTI_SUCCESS || m_flush_failed) return;
  m_flush_failed = true;
  writeNote(m_writer.sink(), m_names, spool::NoteId::CuptiCallFailed, "cuptiActivityFlushAll", result);
}

void Drain::round(uint64_t now_ns) {
  if (m_cupti && !m_stopped) {
    if (now_ns >= m_flush_ns && m_kinds_on.load()) {
      flushCupti(0);
      m_flush_ns = now_ns + m_config.flush_ms * kMillisecond;
    }
  }
  if (m_cupti) takeBuffers();
  const uint64_t recorded = m_trigger.recorded();
  m_lane_drain.drain();
  if (m_counters != nullptr) m_counters->drain(m_writer.sink(), m_names);
  if (now_ns >= m_open_ranges_ns) {
    m_lane_drain.tellOpenRanges(now_ns, kTellAfterNs);
    m_open_ranges_ns = now_ns + kTellAfterNs;
  }
  applyGate(now_ns, m_trigger.pending(recorded));
  if (now_ns >= m_clock_ns) {
    m_writer.sink().put(readClocks(m_cupti ? m_hot.api : nullptr));
    m_clock_ns = now_ns + kClockEveryNs;
  }
  if (!m_runtime_asked && now_ns >= m_control.startNs() + kRuntimeAfterNs) {
    m_runtime_asked = true;
    if (const uint32_t version = askRuntimeVersion(); version != 0)
      m_control.block().runtime_version = version;
  }
  writePending();
  watchBacklog(now_ns);
  obeyRecorder();
  m_control.block().heartbeat_ns.store(now_ns, std::memory_order_relaxed);
}

void Drain::flush(bool forced, bool last) {
  if (m_cupti && !m_stopped) {
    flushCupti(0);
    if (forced) flushCupti(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    if (last) {
      countDropped();
      m_hot.closing.store(true, std::memory_order_relaxed);
    }
  }
  round(realtimeNs());
  m_lane_drain.tellOpenRanges(realtimeNs(), 0);  // before an exec or a signal that may be the end
}

void Drain::switchOn() noexcept {
  try {
    const std::lock_guard<std::mutex> guard(m_switch_lock);
    if (!m_cupti || m_stopped || m_kinds_on.load()) return;
    std::vector<SetupIssue> issues;
    enableActivities(*m_hot.api, m_plan, Moment::Running, issues);
    for (const SetupIssue& issue : issues) addNote(spool::NoteId::KindUnavailable, issue.what, issue.code);
    setKindsOn(true);
  } catch (...) {  // out of memory: this window is lost
  }
}

void Drain::switchOff() {
  flushCupti(0);
  takeBuffers();
  const std::lock_guard<std::mutex> guard(m_switch_lock);
  disableActivities(*m_hot.api, m_plan);
  setKindsOn(false);
}

// Kinds go off some time after the window: what was launched in it may still be running, and a short pause
// between two windows is not worth the switch. What is recorded beyond the window is told by the window's
// times.
void Drain::applyGate(uint64_t now_ns, bool begin_pending) {
  if (m_hot.profiler_api_ns.load(std::memory_order_acquire) != m_profiler_api_seen_ns) {
    m_profiler_api_seen_ns = m_hot.profiler_api_ns.load(std::memory_order_acquire);
    m_gate.profilerApi(m_hot.profiler_api_on.load(std::memory_order_relaxed), m_profiler_api_seen_ns);
  }
  m_gate.tick(now_ns);
  while (const auto window = m_gate.nextWindow()) m_writer.sink().put(*window);
  if (!m_cupti || m_stopped) return;
  if (m_gate.kindsWanted() || begin_pending) {
    m_unwanted_since_ns = 0;
    switchOn();
    return;
  }
  if (!m_kinds_on.load()) return;
  if (m_unwanted_since_ns == 0) m_unwanted_since_ns = now_ns;
  if (now_ns - m_unwanted_since_ns >= kLingerNs) switchOff();
}

// Ten seconds on end without a free buffer: the target outruns us for good. Stop collecting rather than slow
// it down.
void Drain::watchBacklog(uint64_t now_ns) {
  if (!m_cupti || m_stopped) return;
  const bool behind = m_hot.pool->freeCount() == 0;
  if (!behind) {
    m_behind_since_ns = 0;
    return;
  }
  if (m_behind_since_ns == 0) m_behind_since_ns = now_ns;
  if (now_ns - m_behind_since_ns < kBehindLimitNs) return;
  m_losses.count(Loss::DrainBehind);
  stop(spool::NoteId::DrainStopped);
}

// A recorder that can store no more says so in the control file: writing on would only fill the disk.
void Drain::obeyRecorder() {
  if (m_stopped || m_control.block().stop_requested.load(std::memory_order_relaxed) == 0) return;
  stop(spool::NoteId::RecorderStopped);
  m_writer.refuse();
}

void Drain::stop(spool::NoteId why) {
  const std::lock_guard<std::mutex> guard(m_switch_lock);
  m_stopped = true;
  if (m_cupti) disableActivities(*m_hot.api, m_plan);
  setKindsOn(false);
  writeNote(m_writer.sink(), m_names, why, "", 0);
}

void Drain::addNote(spool::NoteId id, std::string detail, int64_t value) {
  const std::lock_guard<std::mutex> guard(m_note_lock);
  m_notes.push_back({id, std::move(detail), value});
}

void Drain::writePending() {
  std::vector<PendingNote> notes;
  {
    const std::lock_guard<std::mutex> guard(m_note_lock);
    notes.swap(m_notes);
  }
  for (const PendingNote& note : notes) writeNote(m_writer.sink(), m_names, note.id, note.detail, note.value);
  if (m_hot.background_error.state.load(std::memory_order_acquire) == 2) {
    m_hot.background_error.state.store(3, std::memory_order_relaxed);
    writeNote(m_writer.sink(), m_names, spool::NoteId::CuptiCallFailed, m_hot.background_error.message,
              m_hot.background_error.code);
  }
  if (m_hot.other_profiler.exchange(false, std::memory_order_relaxed) && !m_other_profiler_noted) {
    m_other_profiler_noted = true;
    writeNote(m_writer.sink(), m_names, spool::NoteId::OtherProfilerInside, "", 0);
  }
  if (const auto error = m_writer.takeError())
    std::fprintf(stderr, "perfscope: %s; records are lost, the program runs on\n", error->sentence().c_str());
}

// A hook that saw nothing while the GPU did such work: said once, so that nobody takes "no shapes" for "no
// products".
void Drain::absenceNotes() {
  if (m_config.gemm && m_decoder.sawGemmKernel() && m_lane_drain.gemmRecords() == 0)
    writeNote(m_writer.sink(), m_names, spool::NoteId::GemmHooksAbsent, "", 0);
  if (m_config.nccl && m_decoder.sawNcclKernel() && m_lane_drain.ncclRecords() == 0)
    writeNote(m_writer.sink(), m_names, spool::NoteId::NcclHooksAbsent, "", 0);
  if (const uint32_t children = forkedChildren() - m_forked_before; children > 0)
    writeNote(m_writer.sink(), m_names, spool::NoteId::ForkedChild, "", children);
}

void Drain::finish() {
  absenceNotes();
  m_lane_drain.closeOpenRanges(realtimeNs());
  if (m_gate.open()) {
    spool::Window window{};
    window.head.kind = spool::Kind::Window;
    window.time_ns = realtimeNs();
    window.reason = spool::WindowReason::Exit;
    m_writer.sink().put(window);
  }
  m_writer.sink().put(readClocks(nullptr));
  writePending();
  m_writer.closeSegment();
}

}  // namespace perfscope::collector
