// The stand-in driver's state: initialisation with the injection door, and the simulated timeline of its
// streams.
#include "tests/support/standins/driver/state.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace perfscope::standin {
namespace {

// Time between a launch call and the earliest start of its kernel; about what an idle H200 shows.
constexpr uint64_t kLaunchLatencyNs = 2000;
constexpr int kNotInitialized = 3;  // CUDA_ERROR_NOT_INITIALIZED

uint32_t deviceCountFromEnvironment() {
  const char* text = std::getenv("STANDIN_CUDA_DEVICES");
  return text != nullptr ? static_cast<uint32_t>(std::max(1, std::atoi(text))) : 1;
}

}  // namespace

Driver& Driver::get() {
  static auto* driver = new Driver;
  return *driver;
}

Driver::Driver() : m_device_count(deviceCountFromEnvironment()) {
  m_streams.resize(1);
}

// As the real driver: at the first cuInit of a process, before it returns, and never in a child that was
// forked from an initialised process (there cuInit fails).
int Driver::initialize() {
  const pid_t owner = m_owner.load();
  if (owner != 0) return owner == ::getpid() ? 0 : kNotInitialized;
  std::call_once(m_once, [this] {
    m_owner.store(::getpid());
    inject();
  });
  return 0;
}

void Driver::inject() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr || *path == '\0' || std::strcmp(path, "none") == 0) return;
  void* library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  using Door = int (*)();
  if (auto door = reinterpret_cast<Door>(::dlsym(library, "InitializeInjection"))) door();
}

uint32_t Driver::createStream(uint32_t device) {
  const std::lock_guard lock(m_mutex);
  m_streams.push_back({0, device});
  return static_cast<uint32_t>(m_streams.size() - 1);
}

Driver::Span Driver::queue(uint32_t stream, uint64_t duration_ns, uint32_t device) {
  const uint64_t now = standinNow();
  const std::lock_guard lock(m_mutex);
  if (stream >= m_streams.size()) m_streams.resize(stream + 1);
  StreamTimeline& timeline = m_streams[stream];
  const uint64_t start = std::max(now + kLaunchLatencyNs, timeline.free_at_ns);
  timeline.free_at_ns = start + duration_ns;
  return {start, timeline.free_at_ns, stream == 0 ? device : timeline.device};
}

uint64_t Driver::freeAt(uint32_t stream) {
  const std::lock_guard lock(m_mutex);
  return stream < m_streams.size() ? m_streams[stream].free_at_ns : 0;
}

uint64_t Driver::freeAt() {
  const std::lock_guard lock(m_mutex);
  uint64_t latest = 0;
  for (const StreamTimeline& timeline : m_streams) latest = std::max(latest, timeline.free_at_ns);
  return latest;
}

void Driver::useContext(uint32_t device) {
  uint32_t existing = m_contexts.load();
  while (existing <= device) {
    if (!m_contexts.compare_exchange_weak(existing, existing + 1)) continue;
    if (const Sink* to = sink()) to->context_created(existing + 1, existing);
    existing = m_contexts.load();
  }
}

uint32_t& currentDevice() {
  thread_local uint32_t device = 0;
  return device;
}

int& currentApi() {
  thread_local int api = STANDIN_RUNTIME;
  return api;
}

}  // namespace perfscope::standin

extern "C" {

uint64_t standinNow() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000ULL + static_cast<uint64_t>(time.tv_nsec);
}

void standinAttachSink(const perfscope::standin::Sink* sink) {
  perfscope::standin::Driver::get().attach(sink);
}
uint32_t standinDeviceCount() {
  return perfscope::standin::Driver::get().deviceCount();
}
uint32_t standinContextCount() {
  return perfscope::standin::Driver::get().contextCount();
}

}  // extern "C"
