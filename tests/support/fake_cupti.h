// A CUPTI of our own making for unit tests: a function table, and hand-made records in buffers as CUPTI lays
// them out.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "collector/cupti/cupti_api.h"

namespace perfscope::test {

// Records one after the other, as in a CUPTI buffer. Record types are those of the headers; the walk below
// knows their sizes by kind.
class BufferBuilder {
 public:
  // A zeroed record of that kind at the end; the reference is good until the next add.
  template <class T>
  T& add(CUpti_ActivityKind kind) {
    const size_t at = m_bytes.size();
    m_bytes.resize(at + sizeof(T));
    T record{};
    record.kind = kind;
    std::memcpy(m_bytes.data() + at, &record, sizeof(record));
    return *reinterpret_cast<T*>(m_bytes.data() + at);
  }
  CUpti_ActivityKernel10& addKernel(const char* name, uint64_t start_ns, uint64_t end_ns,
                                    uint32_t correlation = 1);
  CUpti_ActivityAPI& addApi(bool driver, uint32_t callback_id, uint32_t correlation, uint64_t start_ns,
                            uint64_t end_ns, uint32_t thread = 7);

  [[nodiscard]] uint8_t* data() { return m_bytes.data(); }
  [[nodiscard]] size_t size() const { return m_bytes.size(); }

 private:
  std::vector<uint8_t> m_bytes;
};

// What the fake was told and shall answer. One per process (CUPTI's functions carry no object): reset()
// before use. Its functions may run on any thread; tests read a snapshot(), and change answers with set().
struct FakeCupti {
  // answers
  uint32_t version = 130001;
  CUptiResult subscribe_result = CUPTI_SUCCESS;
  std::string slot_holder;
  CUpti_ActivityKind refused_kind = CUPTI_ACTIVITY_KIND_INVALID;
  size_t dropped = 0;           // told once by GetNumDroppedRecords
  uint32_t flush_delay_ms = 0;  // how long FlushAll hangs
  // what happened
  std::vector<CUpti_ActivityKind> enabled, disabled;
  std::vector<uint32_t> runtime_calls, driver_calls;  // enabled one by one
  std::vector<uint32_t> runtime_calls_off, driver_calls_off;
  std::vector<std::string> order;  // names of the calls in order
  uint32_t flushes = 0, forced_flushes = 0, unsubscribes = 0;
  CUpti_BuffersCallbackRequestFunc requested = nullptr;
  CUpti_BuffersCallbackCompleteFunc completed = nullptr;
  CUpti_CallbackFunc callback = nullptr;

  // Hands the records to the collector through the registered callbacks, as CUPTI does when a buffer is
  // complete. False when the collector refused the buffer.
  static bool deliver(BufferBuilder& buffer);

  static FakeCupti snapshot();
  template <class Change>
  static void set(Change&& change) {
    const std::lock_guard<std::mutex> guard(lock());
    change(instance());
  }
  static void reset();
  // The table, bound to this fake.
  static collector::CuptiApi table();

  static std::mutex& lock();
  static FakeCupti& instance();  // under the lock
};

// The walk over a buffer by kind, for tests without a whole fake.
CUptiResult fakeGetNextRecord(uint8_t* buffer, size_t valid_bytes, CUpti_Activity** record);

}  // namespace perfscope::test
