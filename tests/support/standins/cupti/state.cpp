// Buffers of the stand-in CUPTI: requested when needed, completed when full or flushed, always under the one
// lock.
#include "tests/support/standins/cupti/state.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tests/support/standins/cupti/misfortune.h"

namespace perfscope::standin {
namespace {

// Below this CUPTI_API_VERSION the real library crashed when a client refused a buffer (fixed in CUDA 12.9).
constexpr uint32_t kFirstVersionThatTakesNo = 27;
constexpr size_t kRetireEvery = 256;

struct CallbackMark {
  CallbackMark() { insideCallback() = true; }
  ~CallbackMark() { insideCallback() = false; }
};

}  // namespace

bool& insideCallback() {
  thread_local bool inside = false;
  return inside;
}

Cupti& Cupti::get() {
  static auto* cupti = new Cupti;
  return *cupti;
}

Cupti::Cupti() : m_owner(::getpid()) {}

CUptiResult Cupti::subscribe(CUpti_CallbackFunc callback, void* user_data, char* holder,
                             size_t holder_bytes) {
  const Misfortune& wish = Misfortune::get();
  const bool taken = wish.slot_taken != nullptr || m_callback.load() != nullptr;
  if (taken) {
    if (holder != nullptr)
      std::snprintf(holder, holder_bytes, "%s", wish.slot_taken != nullptr ? wish.slot_taken : "CUPTI");
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  m_user_data = user_data;
  m_callback.store(callback);
  return CUPTI_SUCCESS;
}

void Cupti::registerBuffers(CUpti_BuffersCallbackRequestFunc request,
                            CUpti_BuffersCallbackCompleteFunc done) {
  const std::lock_guard lock(m_mutex);
  m_request = request;
  m_complete = done;
}

void Cupti::notify(CUpti_CallbackDomain domain, uint32_t id, const void* data) const {
  CUpti_CallbackFunc callback = m_callback.load();
  if (callback == nullptr || id >= kCallbackIds || !callbacks[domain][id].load()) return;
  const CallbackMark mark;
  callback(m_user_data, domain, id, data);
}

Buffer& Cupti::threadBuffer() {
  thread_local Buffer* buffer = nullptr;
  if (buffer == nullptr) {
    buffer = new Buffer;
    m_thread_buffers.push_back(buffer);
  }
  return *buffer;
}

uint8_t* Cupti::reserve(Buffer& buffer, size_t bytes) {
  const bool full =
      buffer.used + bytes > buffer.size || (buffer.max_records != 0 && buffer.records >= buffer.max_records);
  if (buffer.data != nullptr && full) complete(buffer);
  if (buffer.data == nullptr) {
    if (m_request == nullptr) return nullptr;
    buffer = {};
    {
      const CallbackMark mark;
      m_request(&buffer.data, &buffer.size, &buffer.max_records);
    }
    if (buffer.data == nullptr || buffer.size < bytes) {
      if (Misfortune::get().version < kFirstVersionThatTakesNo)
        violation("this version crashes when no buffer is given");
      buffer = {};
      m_dropped.fetch_add(1);
      return nullptr;
    }
    if (reinterpret_cast<uintptr_t>(buffer.data) % ACTIVITY_RECORD_ALIGNMENT != 0)
      violation("buffer is not aligned");
    const bool dirty =
        std::any_of(buffer.data, buffer.data + buffer.size, [](uint8_t byte) { return byte != 0; });
    if (zeroed_buffers && dirty) violation("a buffer promised as zeroed is not");
    if (dirty) std::memset(buffer.data, 0, buffer.size);
  }
  uint8_t* place = buffer.data + buffer.used;
  buffer.used += bytes;
  ++buffer.records;
  return place;
}

void Cupti::complete(Buffer& buffer) {
  if (buffer.data == nullptr) return;
  const Buffer done = buffer;
  buffer = {};
  const CallbackMark mark;
  m_complete(nullptr, 0, done.data, done.size, done.used);
}

void Cupti::add(const void* record, size_t bytes) {
  const std::lock_guard lock(m_mutex);
  if (uint8_t* place = reserve(threadBuffer(), bytes)) std::memcpy(place, record, bytes);
}

void Cupti::contextMade() {
  for (size_t side = 0; side < 2; ++side) {
    const auto chosen = [](const std::atomic<bool>& flag) { return flag.load(); };
    api_hooked[side].store(std::any_of(api_records[side].begin(), api_records[side].end(), chosen));
  }
}

void Cupti::addApi(const ApiCall& call) {
  const size_t side = call.driver ? 1 : 0;
  if (call.callback_id >= kCallbackIds || !api_records[side][call.callback_id].load()) return;
  if (!api_hooked[side].load() && !api_whole_kind[side].load()) return;
  CUpti_ActivityAPI record{};
  record.kind = call.driver ? CUPTI_ACTIVITY_KIND_DRIVER : CUPTI_ACTIVITY_KIND_RUNTIME;
  record.cbid = call.callback_id;
  record.start = call.start_ns;
  record.end = call.end_ns;
  record.processId = static_cast<uint32_t>(::getpid());
  // The default id type is the low half of pthread_self; a client asks for the system's id.
  static thread_local const auto kTid = static_cast<uint32_t>(::syscall(SYS_gettid));
  record.threadId = thread_id_type.load() == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM
                        ? kTid
                        : static_cast<uint32_t>(::pthread_self());
  record.correlationId = call.correlation;
  add(&record, sizeof record);
}

void Cupti::addWork(const GpuWork& work) {
  const std::lock_guard lock(m_mutex);
  m_running.push(work);
  if (m_running.size() % kRetireEvery == 0) retire(standinNow());
}

// Work that has ended becomes records; with GPU-side order, or latest first when the test wants that.
void Cupti::retire(uint64_t until_ns) {
  m_finished.clear();
  while (!m_running.empty() && m_running.top().end_ns <= until_ns) {
    m_finished.push_back(m_running.top());
    m_running.pop();
  }
  if (Misfortune::get().reverse_order) std::reverse(m_finished.begin(), m_finished.end());
  for (const GpuWork& work : m_finished) writeWork(work);
}

void Cupti::writeWork(GpuWork work) {
  const Misfortune& wish = Misfortune::get();
  const auto due = [&](uint64_t every) { return every != 0 && m_work_count % every == 0; };
  ++m_work_count;
  if (due(wish.drop_every)) {
    m_dropped.fetch_add(1);
    return;
  }
  if (due(wish.zero_every)) work.start_ns = work.end_ns = 0;
  if (due(wish.invert_every)) std::swap(work.start_ns, work.end_ns);
  RecordBytes record{};
  const size_t bytes = buildWork(work, record);
  if (uint8_t* place = reserve(m_device_buffer, bytes)) std::memcpy(place, record.data(), bytes);
  if (due(wish.unknown_every)) {
    CUpti_ActivityMemDecompress odd{};
    odd.kind = CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS;
    if (uint8_t* place = reserve(m_device_buffer, sizeof odd)) std::memcpy(place, &odd, sizeof odd);
  }
}

// Not forced: everything that is complete. Forced: also what still runs, with end = 0 and never again.
CUptiResult Cupti::flush(bool forced) {
  if (insideCallback()) violation("cuptiActivityFlushAll from inside a callback");
  // A real flush in a forked child waits for ever on a semaphore of the parent (hpctoolkit #195).
  while (::getpid() != m_owner) ::pause();
  const std::lock_guard lock(m_mutex);
  retire(standinNow());
  if (forced) {
    for (; !m_running.empty(); m_running.pop()) {
      GpuWork cut = m_running.top();
      cut.end_ns = 0;
      writeWork(cut);
    }
  }
  complete(m_device_buffer);
  for (Buffer* buffer : m_thread_buffers) complete(*buffer);
  return CUPTI_SUCCESS;
}

}  // namespace perfscope::standin
