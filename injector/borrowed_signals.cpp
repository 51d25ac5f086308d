// The handler, what it may see, and the dispositions to give back.
#include "injector/borrowed_signals.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

namespace perfscope {
namespace {

constexpr std::array kBorrowed = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT};
constexpr std::array kEnding = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

// What a signal handler may see. It has no other way to reach it.
struct Forwarding {
  std::atomic<pid_t> child{0};
  std::atomic<bool> child_seen{false};
  std::atomic<bool> to_child_always{false};
  std::atomic<int> interrupted_by{0};
  std::array<struct sigaction, kBorrowed.size()> before{};
  int borrowers = 0;
};

Forwarding& forwarding() {
  static Forwarding state;
  return state;
}

void onSignal(int number, siginfo_t* info, void*) {
  const int saved = errno;
  auto& state = forwarding();
  const pid_t child = state.child.load(std::memory_order_relaxed);
  if (child > 0) {
    // The kernel sends a terminal's signals to the whole foreground group: the child has them already.
    const bool sent_to_us = info != nullptr && info->si_code <= 0 && info->si_pid != child;
    if (sent_to_us || state.to_child_always.load(std::memory_order_relaxed)) ::kill(child, number);
  } else if (!state.child_seen.load(std::memory_order_relaxed) &&
             std::find(kEnding.begin(), kEnding.end(), number) != kEnding.end()) {
    int none = 0;
    state.interrupted_by.compare_exchange_strong(none, number);
  }
  errno = saved;
}

}  // namespace

BorrowedSignals::BorrowedSignals() {
  auto& state = forwarding();
  if (state.borrowers++ > 0) return;
  state.child.store(0);
  state.child_seen.store(false);
  state.interrupted_by.store(0);
  for (size_t i = 0; i < kBorrowed.size(); ++i) {
    struct sigaction action {};
    action.sa_sigaction = onSignal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(kBorrowed[i], nullptr, &state.before[i]);
    // Ignored stays ignored (nohup), for us and for the child, which inherits it.
    if ((state.before[i].sa_flags & SA_SIGINFO) == 0 && state.before[i].sa_handler == SIG_IGN) continue;
    ::sigaction(kBorrowed[i], &action, nullptr);
  }
}

BorrowedSignals::~BorrowedSignals() {
  auto& state = forwarding();
  if (--state.borrowers > 0) return;
  state.child.store(0);
  for (size_t i = 0; i < kBorrowed.size(); ++i) ::sigaction(kBorrowed[i], &state.before[i], nullptr);
}

int BorrowedSignals::interruptedBy() {
  return forwarding().interrupted_by.load();
}

void passSignalsTo(pid_t child) {
  if (child > 0) forwarding().child_seen.store(true);
  forwarding().child.store(child);
}

void unblockSignalsForChild(const void* mask) {
  forwarding().to_child_always.store(true);
  ::pthread_sigmask(SIG_SETMASK, static_cast<const sigset_t*>(mask), nullptr);
  forwarding().to_child_always.store(false);
}

}  // namespace perfscope
