// One round of the drain thread.
#include "collector/spool/drain.h"

#include <cstdio>
#include <utility>

#include "collector/cupti/clock_sync.h"
#include "collector/process/clock.h"
#include "collector/spool/note_writer.h"

namespace perfscope::collector {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kClockEveryNs = 1000 * kMillisecond;
constexpr uint64_t kBehindLimitNs = 10'000 * kMillisecond;  // so long without free buffers: give up

DecoderOptions decoderOptions(const HotState& hot, const ActivityPlan& plan) {
  return DecoderOptions{hot.api != nullptr ? hot.api->version : 0, plan.filter_in_decoder};
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
  size_t dropped = 0;
  if (m_hot.api->activity_get_num_dropped_records(buffer.context, buffer.stream, &dropped) == CUPTI_SUCCESS &&
      dropped > 0)
    m_losses.count(Loss::CuptiDropped, dropped);
}

size_t Drain::takeBuffers() {
  size_t buffers = 0;
  ReadyBuffer buffer{};
  while (m_hot.ready->tryPop(buffer)) {
    if (buffer.valid_bytes > 0) decode(buffer);
    m_hot.pool->giveBack(buffer.data, buffer.bytes);
    ++buffers;
  }
  return buffers;
}

void Drain::round(uint64_t now_ns) {
  if (m_cupti && !m_stopped) {
    if (now_ns >= m_flush_ns && m_kinds_on) {
      flushCupti(0);
      m_flush_ns = now_ns + m_config.flush_ms * kMillisecond;
    }
    m_hot.pool->growIfLow();
  }
  if (m_cupti) takeBuffers();
  m_lane_drain.drain();
  applyGate(now_ns);
  if (now_ns >= m_clock_ns) {
    m_writer.sink().put(readClocks(m_cupti ? m_hot.api : nullptr));
    m_clock_ns = now_ns + kClockEveryNs;
  }
  writePending();
  watchBacklog(now_ns);
  m_control.block().heartbeat_ns.store(now_ns, std::memory_order_relaxed);
}

void Drain::flush(bool forced) {
  if (m_cupti && !m_stopped) {
    flushCupti(0);
    if (forced) flushCupti(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  }
  round(realtimeNs());
}

// A flush that fails keeps every record in CUPTI: that must be told, or an empty profile looks like an idle program.
void Drain::flushCupti(uint32_t flag) {
  const CUptiResult result = m_hot.api->activity_flush_all(flag);
  if (result == CUPTI_SUCCESS || m_flush_failed) return;
  m_flush_failed = true;
  writeNote(m_writer.sink(), m_names, spool::NoteId::CuptiCallFailed, "cuptiActivityFlushAll", result);
}

void Drain::applyGate(uint64_t now_ns) {
  if (m_hot.profiler_api_ns.load(std::memory_order_acquire) != m_profiler_api_seen_ns) {
    m_profiler_api_seen_ns = m_hot.profiler_api_ns.load(std::memory_order_acquire);
    m_gate.profilerApi(m_hot.profiler_api_on.load(std::memory_order_relaxed), m_profiler_api_seen_ns);
  }
  m_gate.tick(now_ns);
  while (const auto window = m_gate.nextWindow()) m_writer.sink().put(*window);
  if (!m_cupti || m_stopped || m_gate.kindsWanted() == m_kinds_on) return;
  if (m_kinds_on) {
    flushCupti(0);
    takeBuffers();
    disableActivities(*m_hot.api, m_plan);
  } else {
    std::vector<SetupIssue> issues;  // the same as at the start, where they were noted
    enableActivities(*m_hot.api, m_plan, issues);
  }
  setKindsOn(!m_kinds_on);
}

// Ten seconds on end without a quarter of the buffers free, although the pool has grown to its limit: the
// target outruns us for good. Stop collecting rather than slow it down.
void Drain::watchBacklog(uint64_t now_ns) {
  if (!m_cupti || m_stopped) return;
  const bool behind = m_hot.pool->freeCount() == 0;
  if (!behind) {
    m_behind_since_ns = 0;
    return;
  }
  if (m_behind_since_ns == 0) m_behind_since_ns = now_ns;
  if (now_ns - m_behind_since_ns < kBehindLimitNs) return;
  m_stopped = true;
  m_losses.count(Loss::DrainBehind);
  disableActivities(*m_hot.api, m_plan);
  writeNote(m_writer.sink(), m_names, spool::NoteId::DrainStopped, "", 0);
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
  if (const auto error = m_writer.takeError())
    std::fprintf(stderr, "perfscope: %s; records are lost, the program runs on\n", error->sentence().c_str());
}

void Drain::finish() {
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
