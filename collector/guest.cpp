// The collector's presence in a process.
#include "collector/guest.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

#include "collector/hot/callbacks.h"
#include "collector/process/forked_children.h"
#include "collector/session.h"

namespace perfscope::collector {
namespace {

std::optional<CollectorConfig> configFromEnvironment() {
  const char* text = std::getenv(kConfigVariable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  auto config = parseConfig(text);
  if (config && !config->session_dir.empty()) return std::move(*config);
  std::fprintf(stderr, "perfscope: this process is not recorded: %s\n",
               config ? "PERFSCOPE_CONFIG names no session folder" : config.error().sentence().c_str());
  return std::nullopt;
}

Guest* makeGuest() noexcept {
  alignas(Guest) static unsigned char storage[sizeof(Guest)];
  std::optional<CollectorConfig> config;
  try {
    config = configFromEnvironment();
  } catch (...) {  // out of memory: this process is not recorded
  }
  auto* guest = new (storage) Guest(std::move(config));
  if (guest->enabled()) {
    setNvtxState(guest->config().nvtx || guest->config().steps_active != 0 ||
                         guest->config().capture == Capture::Nvtx
                     ? &guest->nvtx()
                     : nullptr);
    ::pthread_atfork(nullptr, nullptr, [] { Guest::instance().forgetInChild(); });
  }
  return guest;
}

}  // namespace

Guest::Guest(std::optional<CollectorConfig> config)
    : m_enabled(config.has_value()),
      m_config(config ? std::move(*config) : CollectorConfig{}),
      m_lanes(m_losses, m_config.ring_records) {
  m_nvtx.lanes = &m_lanes;
  m_nvtx.losses = &m_losses;
}

Guest& Guest::instance() noexcept {
  static Guest* const guest = makeGuest();
  return *guest;
}

Session* Guest::session() const noexcept {
  Session* session = m_session.load(std::memory_order_acquire);
  // A vfork child shares our memory but is another process: it must not touch the session.
  return session != nullptr && session->pid() == static_cast<uint32_t>(::getpid()) ? session : nullptr;
}

void Guest::cudaBegins() noexcept {
  if (!m_enabled) return;
  Start expected = Start::NotYet;
  if (!m_start.compare_exchange_strong(expected, Start::Begun)) return;
  try {
    countForkedChildren();
    std::atexit([] { Guest::instance().processEnds(); });
    ::at_quick_exit([] { Guest::instance().processEnds(); });
    Session* const session = Session::start(m_config, m_losses, m_lanes, m_nvtx);
    if (session != nullptr)
      session->setExitHook([] { std::atexit([] { Guest::instance().processEnds(); }); });
    m_session.store(session, std::memory_order_release);
  } catch (...) {
    std::fprintf(stderr, "perfscope: this process is not recorded: out of memory\n");
  }
}

void Guest::processEnds() noexcept {
  if (Session* running = session()) return running->close();
  if (m_start.load() == Start::ForkedAfter && m_pid == static_cast<uint32_t>(::getpid())) forkedChildEnds();
}

void Guest::forgetInChild() noexcept {
  setHotState(nullptr);
  m_nvtx.trigger.store(nullptr);  // it leads to a lock that a thread of the parent may hold
  Session* parents = m_session.exchange(nullptr);
  m_losses.redirect(nullptr);
  m_lanes.forgetInChild();
  m_pid = static_cast<uint32_t>(::getpid());
  if (m_start.load() == Start::Begun) m_start.store(Start::ForkedAfter);
  if (parents != nullptr) parents->forgetInChild();
}

}  // namespace perfscope::collector
