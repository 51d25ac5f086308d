// A thread of ours in the target, which works at an interval and on request: the drain, and the sampling of
// counters where that is on.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <functional>

#include "collector/spool/doorbell.h"
#include "schemas/result.h"

namespace perfscope::collector {

enum class DrainRequest : uint32_t {
  Flush = 1,   // everything complete
  Forced = 2,  // also what is still running
  Close = 4,   // flush forced, write the last records, end the thread
};

// All signals are blocked in the thread, so the target's handlers never run on it. `ask` and `wake` are
// async-signal-safe and may be called from any thread.
class DrainThread {
 public:
  static constexpr uint64_t kRoundNs = 25'000'000;

  // `name` (at most 15 characters, a literal) is what the system's tools show.
  explicit DrainThread(uint64_t round_ns = kRoundNs, const char* name = "perfscope")
      : m_round_ns(round_ns), m_name(name) {}

  // `round` is called on the thread with the requests of that round (0 = none); returning false ends the
  // thread. Must outlive the process (the thread is never joined: the process may end while it works).
  Status start(std::function<bool(uint32_t requests)> round);

  // Waits until the request was served. False after `timeout_ns`: the target goes on without us. With
  // `progress`, a counter that the thread moves while it works, the time starts again as long as the counter
  // moves, kMostWaits times.
  bool ask(uint32_t requests, uint64_t timeout_ns, const std::atomic<uint64_t>* progress = nullptr) noexcept;
  static constexpr int kMostWaits = 5;
  void wake() noexcept { m_bell.ring(); }
  [[nodiscard]] bool ended() const noexcept { return m_ended.load(std::memory_order_acquire); }

 private:
  static void* main(void* self);
  void run();
  bool waitUntilServed(uint64_t ticket, uint64_t timeout_ns) noexcept;

  const uint64_t m_round_ns;
  const char* const m_name;
  std::function<bool(uint32_t)> m_round;
  Doorbell m_bell, m_done;
  std::atomic<uint32_t> m_requests{0};
  std::atomic<uint64_t> m_asked{0}, m_served{0};
  std::atomic<bool> m_ended{false};
};

}  // namespace perfscope::collector
