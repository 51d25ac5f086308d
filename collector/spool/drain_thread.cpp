// A thread of ours in the target.
#include "collector/spool/drain_thread.h"

#include <pthread.h>

#include <csignal>
#include <cstring>
#include <utility>

#include "collector/process/clock.h"

namespace perfscope::collector {

Status DrainThread::start(std::function<bool(uint32_t)> round) {
  m_round = std::move(round);
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // Threads inherit the mask of their creator: block first, so that no signal can slip in between.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const int result = ::pthread_create(&thread, &attributes, &DrainThread::main, this);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_attr_destroy(&attributes);
  if (result == 0) return {};
  return failure(ErrorKind::Unavailable, "collector thread", std::strerror(result),
                 "raise the limit on processes (ulimit -u)");
}

void* DrainThread::main(void* self) {
  auto* const thread = static_cast<DrainThread*>(self);
  ::pthread_setname_np(::pthread_self(), thread->m_name);
  thread->run();
  return nullptr;
}

void DrainThread::run() {
  bool go_on = true;
  while (go_on) {
    const uint32_t seen = m_bell.value();
    const uint64_t ticket = m_asked.load(std::memory_order_acquire);
    const uint32_t requests = m_requests.exchange(0, std::memory_order_acq_rel);
    try {
      go_on = m_round(requests);
    } catch (...) {  // out of memory: this round is lost, the next may do better
      go_on = (requests & static_cast<uint32_t>(DrainRequest::Close)) == 0;
    }
    if (!go_on) m_ended.store(true, std::memory_order_release);
    m_served.store(ticket, std::memory_order_release);
    m_done.ring();
    if (go_on) m_bell.wait(seen, m_round_ns);
  }
}

bool DrainThread::ask(uint32_t requests, uint64_t timeout_ns,
                      const std::atomic<uint64_t>* progress) noexcept {
  m_requests.fetch_or(requests, std::memory_order_acq_rel);
  const uint64_t ticket = m_asked.fetch_add(1, std::memory_order_acq_rel) + 1;
  m_bell.ring();
  for (int wait = 0; wait < kMostWaits; ++wait) {
    const uint64_t before = progress != nullptr ? progress->load(std::memory_order_relaxed) : 0;
    if (waitUntilServed(ticket, timeout_ns)) return true;
    if (ended() || progress == nullptr || progress->load(std::memory_order_relaxed) == before) return false;
  }
  return false;
}

bool DrainThread::waitUntilServed(uint64_t ticket, uint64_t timeout_ns) noexcept {
  const uint64_t deadline = monotonicNs() + timeout_ns;
  while (true) {
    const uint32_t seen = m_done.value();
    if (m_served.load(std::memory_order_acquire) >= ticket) return true;
    const uint64_t now = monotonicNs();
    if (now >= deadline || ended()) return false;
    m_done.wait(seen, deadline - now);
  }
}

}  // namespace perfscope::collector
