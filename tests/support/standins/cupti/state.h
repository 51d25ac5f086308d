// The stand-in CUPTI's one state: subscriber, enabled kinds, buffers of the threads and of the device.
#pragma once

#include <cupti.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <queue>
#include <vector>

#include "tests/support/standins/sink.h"

namespace perfscope::standin {

inline constexpr size_t kKinds = 64;
inline constexpr size_t kCallbackIds = 1024;

// A buffer that the client handed over, filled from the front.
struct Buffer {
  uint8_t* data = nullptr;
  size_t size = 0, used = 0, records = 0, max_records = 0;
};

struct LaterEnd {
  bool operator()(const GpuWork& a, const GpuWork& b) const { return a.end_ns > b.end_ns; }
};

// One lock guards everything but the enable flags, and is held while the client's callbacks run, as in the
// real library: a client that calls back is stopped by `violation`.
class Cupti {
 public:
  static Cupti& get();  // leaked: the target's exit handlers may still call

  std::array<std::atomic<bool>, kKinds> kinds{};
  std::array<std::array<std::atomic<bool>, kCallbackIds>, 2> api_records{};  // [driver][callback id]
  // Calls chosen one by one give records only in contexts that were made while some call was chosen, or while
  // the whole kind is on (seen with CUPTI 13.0 on an H200; every call says CUPTI_SUCCESS all the same).
  std::array<std::atomic<bool>, 2> api_whole_kind{};
  std::array<std::atomic<bool>, 2> api_hooked{};
  void contextMade();
  std::array<std::array<std::atomic<bool>, kCallbackIds>, CUPTI_CB_DOMAIN_SIZE> callbacks{};
  std::atomic<bool> zeroed_buffers{false};
  std::atomic<uint32_t> thread_id_type{0};

  CUptiResult subscribe(CUpti_CallbackFunc callback, void* user_data, char* holder, size_t holder_bytes);
  void unsubscribe() { m_callback.store(nullptr); }
  void registerBuffers(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete);
  void notify(CUpti_CallbackDomain domain, uint32_t id, const void* data) const;

  void addApi(const ApiCall& call);
  void addWork(const GpuWork& work);
  // Any other record, into the buffer of the calling thread.
  void add(const void* record, size_t bytes);
  CUptiResult flush(bool forced);
  size_t takeDropped() { return m_dropped.exchange(0); }
  [[nodiscard]] pid_t owner() const { return m_owner; }

 private:
  Cupti();
  Buffer& threadBuffer();
  uint8_t* reserve(Buffer& buffer, size_t bytes);
  void complete(Buffer& buffer);
  void retire(uint64_t until_ns);
  void writeWork(GpuWork work);

  std::mutex m_mutex;
  std::atomic<CUpti_CallbackFunc> m_callback{nullptr};
  void* m_user_data = nullptr;
  CUpti_BuffersCallbackRequestFunc m_request = nullptr;
  CUpti_BuffersCallbackCompleteFunc m_complete = nullptr;
  std::vector<Buffer*> m_thread_buffers;
  Buffer m_device_buffer;
  std::priority_queue<GpuWork, std::vector<GpuWork>, LaterEnd> m_running;
  std::vector<GpuWork> m_finished;  // scratch of retire
  std::atomic<size_t> m_dropped{0};
  uint64_t m_work_count = 0;
  pid_t m_owner;
};

// True on a thread that is inside a callback of the client.
bool& insideCallback();

// Builders of the records in the layouts of the CUPTI version that is played (records.cpp).
using RecordBytes = std::array<uint8_t, 256>;
size_t buildWork(const GpuWork& work, RecordBytes& out);
size_t recordBytes(uint32_t kind);  // 0 = unknown
const Sink& sink();                 // events.cpp

}  // namespace perfscope::standin
