// Counters of one process: waits for its GPUs, wins their election, samples them on a thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collector/counters/counter_inbox.h"
#include "collector/counters/gpu_election.h"
#include "collector/counters/pm_sampler.h"
#include "collector/counters/sampling_plan.h"
#include "collector/hot/callbacks.h"
#include "collector/spool/drain_thread.h"
#include "schemas/collector_config.h"

namespace perfscope::collector {

#if PERFSCOPE_PM_SAMPLING

// Made with the session, never destroyed. The thread starts with the first context of the process, so a
// process without GPU work has none. `note` may be called from the sampling thread.
class CounterSession {
 public:
  using Note = std::function<void(spool::NoteId, std::string, int64_t)>;

  CounterSession(const CollectorConfig& config, HotState& hot, ProfilerApi api, Note note,
                 std::function<void()> at_exit);

  Status start();
  // Stops sampling and hands over what is left. Async-signal-safe; false after the deadline.
  bool close(uint64_t timeout_ns) noexcept;
  [[nodiscard]] CounterInbox& inbox() noexcept { return m_inbox; }

 private:
  struct Gpu {
    Gpu(const ProfilerApi& api, uint32_t cuda_ordinal, uint64_t interval_ns)
        : ordinal(cuda_ordinal), sampler(api, cuda_ordinal), plan(interval_ns) {}
    uint32_t ordinal;
    std::string name;
    GpuElection election;
    PmSampler sampler;
    SamplingPlan plan;
    enum class State { Waiting, Ready, Given } state = State::Waiting;
    uint32_t set_id = 0;
    uint64_t retry_ns = 0;
    int64_t overflows = 0;
    uint64_t lost_ns = 0, busy_ns = 0, samples = 0;
  };

  bool round(uint32_t requests);
  void findGpus();
  void work(Gpu& gpu, bool last);
  void begin(Gpu& gpu);
  bool configure(Gpu& gpu);
  void takeSamples(Gpu& gpu, uint64_t most_ns);
  void tellIfTooShort();
  void closingNotes(const Gpu& gpu);
  void giveUp(Gpu& gpu, const CounterFailure& failure);

  CollectorConfig m_config;
  HotState& m_hot;
  ProfilerApi m_api;
  Note m_note;
  std::function<void()> m_at_exit;
  CounterInbox m_inbox;
  DrainThread m_thread;
  std::vector<std::unique_ptr<Gpu>> m_gpus;
  std::vector<spool::CounterSample> m_batch;
  size_t m_contexts_seen = 0;
  uint32_t m_last_set = 0;
  bool m_exit_hooked = false;
};

#endif

}  // namespace perfscope::collector
