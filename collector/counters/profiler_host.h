// CUPTI's host library for one chip: which metrics it offers, how many passes they need, their configuration
// and values. Used by sampling and by replay.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "collector/counters/profiler_api.h"

namespace perfscope::collector {
#if PERFSCOPE_PM_SAMPLING

// Where CUPTI refused: the call and its code.
struct CounterFailure {
  const char* call = nullptr;  // null: all is well
  CUptiResult code = CUPTI_SUCCESS;
  [[nodiscard]] bool failed() const { return call != nullptr; }
};

// CUPTI's parameter structs: zeroed, with their own size.
template <class T>
T zeroedParams(size_t size) {
  T value;
  std::memset(&value, 0, sizeof value);
  value.structSize = size;
  return value;
}
#define PERFSCOPE_PARAMS(T) ::perfscope::collector::zeroedParams<T>(T##_STRUCT_SIZE)

// One thread at a time.
class ProfilerHost {
 public:
  ProfilerHost(const ProfilerApi& api, CUpti_ProfilerType type) : m_api(&api), m_type(type) {}
  ~ProfilerHost();
  ProfilerHost(const ProfilerHost&) = delete;
  ProfilerHost& operator=(const ProfilerHost&) = delete;

  // `availability`: CUPTI's image of what this GPU and driver allow.
  void describe(std::string chip, std::vector<uint8_t> availability);
  // 0 = some metric is not offered, or CUPTI failed.
  size_t passes(const std::vector<std::string>& metrics);
  // The metrics that are evaluated from here on, in this order.
  CounterFailure select(const std::vector<std::string>& metrics);
  // Values of range or sample `index`, one a metric.
  CUptiResult evaluate(const std::vector<uint8_t>& image, size_t index, std::vector<double>& values);

  [[nodiscard]] const std::string& chip() const { return m_chip; }
  [[nodiscard]] const std::vector<uint8_t>& config() const { return m_config; }
  [[nodiscard]] size_t passCount() const { return m_passes; }
  [[nodiscard]] std::vector<const char*>& names() { return m_pointers; }

 private:
  CUpti_Profiler_Host_Object* open(const std::vector<std::string>& metrics, CounterFailure& failure);
  void close(CUpti_Profiler_Host_Object* host);
  bool configImage(CUpti_Profiler_Host_Object* host, std::vector<uint8_t>& image, CounterFailure& failure);
  size_t passesOf(std::vector<uint8_t>& image);

  const ProfilerApi* m_api;
  CUpti_ProfilerType m_type;
  std::string m_chip;
  std::vector<uint8_t> m_availability, m_config;
  std::vector<std::string> m_names;
  std::vector<const char*> m_pointers;  // into m_names
  CUpti_Profiler_Host_Object* m_host = nullptr;
  size_t m_passes = 0;
};

#endif
}  // namespace perfscope::collector
