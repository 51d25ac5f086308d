// One round of the drain thread: completed CUPTI buffers and the threads' rings into the spool.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "collector/counters/counter_inbox.h"
#include "collector/cupti/activity_setup.h"
#include "collector/cupti/buffer_capture.h"
#include "collector/cupti/cupti_api.h"
#include "collector/cupti/record_decoder.h"
#include "collector/hot/callbacks.h"
#include "collector/nvtx/nvtx_handler.h"
#include "collector/process/forked_children.h"
#include "collector/spool/control_file.h"
#include "collector/spool/lane_drain.h"
#include "collector/spool/name_table.h"
#include "collector/spool/shape_table.h"
#include "collector/spool/spool_writer.h"
#include "collector/window/gate.h"
#include "collector/window/trigger.h"
#include "schemas/collector_config.h"

namespace perfscope::collector {

// A note that another thread wants in the spool.
struct PendingNote {
  spool::NoteId id;
  std::string detail;
  int64_t value;
};

// Everything the drain thread owns. Its methods run on that thread only (in tests: on the test's thread), but
// for addNote, which locks and is for cold paths.
class Drain {
 public:
  // `hot` is complete but for `wake`; `api` may have no functions when CUPTI is absent (then only rings are
  // drained).
  Drain(const CollectorConfig& config, ControlFile& control, HotState& hot, const NvtxState& nvtx,
        LossTally& losses, ActivityPlan plan);

  // One round: flush CUPTI when it is time, decode, drain rings, move the gate, write clocks, beat the heart.
  void round(uint64_t now_ns);
  // Asks CUPTI for everything complete (and, when `forced`, for what is still running), then does a round.
  // `last`: from then on nothing new is taken, and what is dropped because of it is no loss.
  void flush(bool forced, bool last = false);
  // The last records: open ranges, windows, notes; marks the segment closed.
  void finish();

  // Where samples of counters come from; before the first round.
  void readCounters(CounterInbox* inbox) noexcept { m_counters = inbox; }
  void addNote(spool::NoteId id, std::string detail, int64_t value);
  // Turns CUPTI's kinds on if they are off. Any thread but inside a CUPTI callback.
  void switchOn() noexcept;
  [[nodiscard]] WindowTrigger& trigger() noexcept { return m_trigger; }
  // Whether CUPTI's kinds are on; Session sets it after enabling them.
  void setKindsOn(bool on) noexcept {
    m_kinds_on = on;
    m_hot.collecting.store(on, std::memory_order_relaxed);
  }
  [[nodiscard]] const Gate& gate() const noexcept { return m_gate; }

 private:
  size_t takeBuffers();
  void decode(const ReadyBuffer& buffer);
  void applyGate(uint64_t now_ns, bool begin_pending);
  void switchOff();
  void writePending();
  void watchBacklog(uint64_t now_ns);
  void obeyRecorder();
  void stop(spool::NoteId why);
  void absenceNotes();
  void flushCupti(uint32_t flag);
  void countDropped();

  CollectorConfig m_config;
  ControlFile& m_control;
  HotState& m_hot;
  LossTally& m_losses;
  ActivityPlan m_plan;
  SpoolWriter m_writer;
  NameTable m_names;
  ShapeTable m_shapes;
  RecordDecoder m_decoder;
  Gate m_gate;
  LaneDrain m_lane_drain;
  BufferCapture m_capture;
  CounterInbox* m_counters = nullptr;
  std::mutex m_note_lock;
  std::vector<PendingNote> m_notes;
  bool m_cupti;
  std::mutex m_switch_lock;  // kinds are switched on by application threads, off by the drain thread
  std::atomic<bool> m_kinds_on{false};
  WindowTrigger m_trigger;
  uint64_t m_unwanted_since_ns = 0;  // kinds are on though no window is; 0 = wanted
  bool m_other_profiler_noted = false;
  uint32_t m_forked_before = forkedChildren();
  bool m_runtime_asked = false;
  bool m_flush_failed = false;              // noted once
  std::atomic<bool> m_stopped{false};       // by the watchdog or the recorder
  uint64_t m_flush_ns = 0, m_clock_ns = 0;  // when next
  uint64_t m_open_ranges_ns = 0;
  uint64_t m_behind_since_ns = 0;  // 0 = not behind
  uint64_t m_profiler_api_seen_ns = 0;
};

}  // namespace perfscope::collector
