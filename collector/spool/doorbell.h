// Wakes a thread, also from a signal handler: a counter with a futex.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <ctime>

namespace perfscope::collector {

// `ring` and `wait` are async-signal-safe (one system call, no lock). Any thread.
class Doorbell {
 public:
  [[nodiscard]] uint32_t value() const noexcept { return m_value.load(std::memory_order_acquire); }

  void ring() noexcept {
    m_value.fetch_add(1, std::memory_order_release);
    ::syscall(SYS_futex, address(), FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
  }

  // Returns when the value differs from `seen`, after `timeout_ns`, or early for no reason.
  void wait(uint32_t seen, uint64_t timeout_ns) noexcept {
    timespec timeout{};
    timeout.tv_sec = static_cast<time_t>(timeout_ns / 1'000'000'000ULL);
    timeout.tv_nsec = static_cast<long>(timeout_ns % 1'000'000'000ULL);
    ::syscall(SYS_futex, address(), FUTEX_WAIT_PRIVATE, seen, &timeout, nullptr, 0);
  }

 private:
  uint32_t* address() noexcept { return reinterpret_cast<uint32_t*>(&m_value); }
  static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));
  std::atomic<uint32_t> m_value{0};
};

}  // namespace perfscope::collector
