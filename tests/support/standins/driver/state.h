// The stand-in driver's one state: streams as a simulated timeline, correlation ids, the attached sink.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "tests/support/standins/sink.h"

namespace perfscope::standin {

struct StreamTimeline {
  uint64_t free_at_ns = 0;  // end of the last work queued
  uint32_t device = 0;
};

class Driver {
 public:
  static Driver& get();  // leaked on purpose: exit handlers of the target may still call

  // 0, or 3 in the child of a process that had initialised the driver.
  int initialize();
  [[nodiscard]] const Sink* sink() const { return m_sink.load(std::memory_order_acquire); }
  void attach(const Sink* sink) { m_sink.store(sink, std::memory_order_release); }

  uint32_t nextCorrelation() { return m_correlation.fetch_add(1) + 1; }
  uint32_t createStream(uint32_t device);
  // Queues `duration_ns` of work on a stream: it starts when the stream is free, and not before the launch
  // latency.
  struct Span {
    uint64_t start_ns, end_ns;
    uint32_t device;
  };
  Span queue(uint32_t stream, uint64_t duration_ns, uint32_t device);
  [[nodiscard]] uint64_t freeAt(uint32_t stream);
  [[nodiscard]] uint64_t freeAt();
  [[nodiscard]] uint32_t deviceCount() const { return m_device_count; }
  [[nodiscard]] uint32_t contextCount() const { return m_contexts.load(); }
  void useContext(uint32_t device);  // primary contexts come into being at the first use of a device

 private:
  Driver();
  void inject();

  std::once_flag m_once;
  std::atomic<const Sink*> m_sink{nullptr};
  std::atomic<uint32_t> m_correlation{0};
  std::atomic<uint32_t> m_contexts{0};
  std::mutex m_mutex;
  std::vector<StreamTimeline> m_streams;
  uint32_t m_device_count = 1;
  std::atomic<pid_t> m_owner{0};
};

uint32_t& currentDevice();
int& currentApi();

// One API call: runtime with the driver call nested in it, or the driver call alone, as this thread chose. 0
// for an id = that interface has no such call.
class ApiScope {
 public:
  ApiScope(const char* name, uint32_t runtime_id, uint32_t driver_id, const char* symbol = nullptr);
  ~ApiScope();
  ApiScope(const ApiScope&) = delete;
  ApiScope& operator=(const ApiScope&) = delete;
  [[nodiscard]] uint32_t correlation() const { return m_correlation; }
  [[nodiscard]] bool ready() const { return m_ready; }

 private:
  void enter(ApiCall& call, bool driver, uint32_t id);
  void leave(ApiCall& call);

  const char* m_name;
  const char* m_symbol;
  uint32_t m_correlation = 0;
  bool m_ready = false;
  ApiCall m_runtime, m_driver;
};

}  // namespace perfscope::standin
