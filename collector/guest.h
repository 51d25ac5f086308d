// The collector's presence in a process, from the first door on: configuration, losses, rings, NVTX; and the
// session once CUDA is in use.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "collector/hot/lane_table.h"
#include "collector/hot/loss_tally.h"
#include "collector/nvtx/nvtx_handler.h"
#include "schemas/collector_config.h"

namespace perfscope::collector {

class Session;

// One per process, made at first use and never destroyed (threads may be inside a hook while the process
// ends). A process that was not started by `perfscope run` has a guest that is not enabled: every door
// forwards and does nothing.
class Guest {
 public:
  explicit Guest(std::optional<CollectorConfig> config);
  static Guest& instance() noexcept;

  [[nodiscard]] bool enabled() const noexcept { return m_enabled; }
  [[nodiscard]] const CollectorConfig& config() const noexcept { return m_config; }
  [[nodiscard]] LossTally& losses() noexcept { return m_losses; }
  [[nodiscard]] LaneTable& lanes() noexcept { return m_lanes; }
  [[nodiscard]] NvtxState& nvtx() noexcept { return m_nvtx; }
  // The running session of this very process; null before CUDA, after fork, in a vfork child, or when it
  // failed.
  [[nodiscard]] Session* session() const noexcept;

  // CUDA is being initialised on this thread: starts the session, once. Never throws, never fails the target.
  void cudaBegins() noexcept;
  // The process is about to end or to be replaced. Safe to call often, from any thread.
  void processEnds() noexcept;
  // In a forked child, before anything else.
  void forgetInChild() noexcept;

 private:
  enum class Start : uint32_t { NotYet, Begun, ForkedAfter };
  bool m_enabled;
  CollectorConfig m_config;
  LossTally m_losses;
  LaneTable m_lanes;
  NvtxState m_nvtx;
  std::atomic<Session*> m_session{nullptr};
  std::atomic<Start> m_start{Start::NotYet};
  uint32_t m_pid = 0;  // of a forked child: tells it from a vfork child of its own
};

}  // namespace perfscope::collector
