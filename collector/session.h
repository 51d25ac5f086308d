// The recording of one process that uses CUDA: owns pool, queue, drain and its thread; starts and stops
// CUPTI.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "collector/counters/counter_session.h"
#include "collector/counters/range_replay.h"
#include "collector/cupti/cupti_api.h"
#include "collector/hot/callbacks.h"
#include "collector/process/signal_watch.h"
#include "collector/spool/drain.h"
#include "collector/spool/drain_thread.h"

namespace perfscope::collector {

// Made at the driver's door, never destroyed: CUPTI may call back until the last instruction of the process.
class Session {
 public:
  static constexpr uint64_t kCloseDeadlineNs = 2'000'000'000;
  static constexpr uint64_t kCountersDeadlineNs = 1'000'000'000;  // of that, for the last samples

  // Null when this process is not to be recorded or its folder cannot be made (said on stderr). When CUPTI is
  // missing or taken the session runs all the same, so that the recorder learns why.
  static Session* start(const CollectorConfig& config, LossTally& losses, LaneTable& lanes, NvtxState& nvtx);
  // The same with a given CUPTI, for tests.
  static Session* start(const CollectorConfig& config, LossTally& losses, LaneTable& lanes, NvtxState& nvtx,
                        Result<CuptiApi> api, int driver_version);

  [[nodiscard]] uint32_t pid() const noexcept { return m_pid; }
  [[nodiscard]] const std::string& folder() const noexcept { return m_control.folder(); }

  // Everything so far into the spool. Async-signal-safe; false when it took longer than the deadline.
  bool flush(uint64_t timeout_ns) noexcept;
  // The end of the process: flush, last records, files marked closed. Once; async-signal-safe. The deadline
  // starts again while records are still being written, five times at most; then the process ends without us,
  // and the recorder finds a session that was not closed.
  void close(uint64_t timeout_ns = kCloseDeadlineNs) noexcept;
  // Around exec*: what is there is made safe and the process marked as replaced; undone when exec fails.
  void beforeExec() noexcept;
  void execFailed() noexcept;
  // In a forked child: lets go of the mappings and of signal handlers; the parent's files are not touched.
  void forgetInChild() noexcept;
  // Registers the exit handlers once more: called when libraries were loaded that must outlive our last
  // round.
  void setExitHook(void (*hook)()) noexcept { m_exit_hook.store(hook); }

 private:
  Session(const CollectorConfig& config, ControlFile control, LossTally& losses);
  void useCupti(Result<CuptiApi> api, int driver_version);
  bool subscribe();
  void beginTracing();
  void makeDrain(NvtxState& nvtx);
  void makeCounters();
  void makeReplay();
  bool round(uint32_t requests);
  void note(spool::NoteId id, std::string detail, int64_t value);

  CollectorConfig m_config;
  ControlFile m_control;
  LossTally& m_losses;
  uint32_t m_pid;
  CuptiApi m_api;
  bool m_tracing = false;  // CUPTI is ours
  ActivityPlan m_plan;
  CUpti_SubscriberHandle m_subscriber = nullptr;
  HotState m_hot;
  std::unique_ptr<BufferPool> m_pool;
  std::unique_ptr<BoundedQueue<ReadyBuffer>> m_ready;
  std::unique_ptr<Drain> m_drain;
#if PERFSCOPE_PM_SAMPLING
  std::unique_ptr<CounterSession> m_counters;  // null: nothing is sampled
  std::unique_ptr<CounterInbox> m_replay_inbox;
  std::unique_ptr<RangeReplay> m_replay;  // null: nothing is replayed
#endif
  std::vector<PendingNote> m_early_notes;  // before the drain exists
  DrainThread m_thread;
  std::atomic<void (*)()> m_exit_hook{nullptr};
  std::atomic<bool> m_closed{false};
};

}  // namespace perfscope::collector
