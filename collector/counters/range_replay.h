// Exact counts by replay: chosen launches are run once a pass by CUPTI's range profiler, which saves and
// restores the memory they write. Opt-in, because the launching thread waits meanwhile (27 ms to 400 ms a
// launch on an H200): the timeline around a replayed launch is not the program's.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "collector/counters/counter_inbox.h"
#include "collector/counters/metric_choice.h"
#include "collector/counters/profiler_host.h"
#include "collector/counters/replay_choice.h"
#include "schemas/collector_config.h"

namespace perfscope::collector {
#if PERFSCOPE_PM_SAMPLING

// Driver calls whose callback brings a launch here.
inline constexpr CUpti_CallbackId kReplayCalls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz};

// Made with the session, never destroyed. launch() runs in CUPTI's callback on application threads, one
// replay at a time: a launch that meets another thread's replay is simply not chosen.
class RangeReplay {
 public:
  using Note = std::function<void(spool::NoteId, std::string, int64_t)>;

  RangeReplay(const CollectorConfig& config, ProfilerApi api, CounterInbox& inbox, Note note);

  void launch(CUpti_CallbackId id, const CUpti_CallbackData& data) noexcept;
  // What it came to, for the ledger. Drain thread, at the end.
  void tell();

 private:
  struct Shape {
    unsigned grid[3], block[3];
    CUstream stream;
  };
  static Shape shapeOf(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void enter(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void leave(const CUpti_CallbackData& data);
  bool capturing(CUstream stream) const;
  CounterFailure prepare(CUcontext context);
  CounterFailure makeImage();
  CounterFailure setConfig();
  CounterFailure collect(const CUpti_CallbackData& data);
  void store(const CUpti_CallbackData& data, uint64_t duration_ns);
  void giveUp(const CounterFailure& failure);

  CollectorConfig m_config;
  ProfilerApi m_api;
  CounterInbox& m_inbox;
  Note m_note;
  ReplayChoice m_choice;
  ProfilerHost m_host;
  MetricChoice m_metrics;
  CUcontext m_context = nullptr;  // the first that launched; others are not replayed
  uint32_t m_device = 0;
  CUpti_RangeProfiler_Object* m_profiler = nullptr;
  std::vector<uint8_t> m_image, m_empty_image;
  std::vector<double> m_values;
  int (*m_is_capturing)(CUstream, int*) = nullptr;  // cuStreamIsCapturing
  std::atomic<bool> m_busy{false}, m_over{false};
  uint64_t m_thread = 0;  // that holds m_busy, while a launch is being replayed
  uint64_t m_signature = 0, m_start_ns = 0, m_spent_ns = 0;
  uint32_t m_replays = 0, m_mixed = 0;  // mixed: another thread's kernels fell into the range
};

#endif
}  // namespace perfscope::collector
