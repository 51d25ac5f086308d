// Makes the recording safe when the process dies of a signal.
#include "collector/process/signal_watch.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

#include "collector/session.h"

namespace perfscope::collector {
namespace {

constexpr std::array<int, 4> kWatched = {SIGTERM, SIGINT, SIGHUP, SIGABRT};
constexpr uint64_t kSignalDeadlineNs = 1'000'000'000;
constexpr uint64_t kAbortDeadlineNs = 500'000'000;

std::atomic<Session*>& watched() noexcept {
  static constinit std::atomic<Session*> session{nullptr};
  return session;
}

// Async-signal-safe: atomics, futex, getpid, sigaction, kill.
void onSignal(int signal) noexcept {
  const int saved = errno;
  Session* session = watched().load(std::memory_order_acquire);
  if (session != nullptr && session->pid() == static_cast<uint32_t>(::getpid()))
    session->close(signal == SIGABRT ? kAbortDeadlineNs : kSignalDeadlineNs);
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  ::sigaction(signal, &plain, nullptr);
  // Blocked while we are in its handler; it strikes when we return. abort() raises SIGABRT again by itself.
  if (signal != SIGABRT) ::raise(signal);
  errno = saved;
}

bool isOurs(int signal) noexcept {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
         now.sa_handler == onSignal;
}

void watchSignal(int signal) {
  struct sigaction now {};
  if (::sigaction(signal, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) return;
  struct sigaction ours {};
  ours.sa_handler = onSignal;
  ours.sa_flags = SA_RESTART;
  ::sigemptyset(&ours.sa_mask);
  ::sigaction(signal, &ours, nullptr);
}

}  // namespace

void watchSignals(Session* session) {
  watched().store(session, std::memory_order_release);
  for (const int signal : kWatched) watchSignal(signal);
}

void unwatchSignalsInChild() noexcept {
  watched().store(nullptr, std::memory_order_release);
  for (const int signal : kWatched) {
    if (!isOurs(signal)) continue;
    struct sigaction plain {};
    plain.sa_handler = SIG_DFL;
    ::sigaction(signal, &plain, nullptr);
  }
}

}  // namespace perfscope::collector
