// The host library's calls. CUPTI keeps a host object's state after a refused metric, hence a new one a
// question.
#include "collector/counters/profiler_host.h"

#include <utility>

namespace perfscope::collector {
#if PERFSCOPE_PM_SAMPLING

ProfilerHost::~ProfilerHost() {
  close(m_host);
}

void ProfilerHost::describe(std::string chip, std::vector<uint8_t> availability) {
  m_chip = std::move(chip);
  m_availability = std::move(availability);
}

void ProfilerHost::close(CUpti_Profiler_Host_Object* host) {
  if (host == nullptr) return;
  auto off = PERFSCOPE_PARAMS(CUpti_Profiler_Host_Deinitialize_Params);
  off.pHostObject = host;
  m_api->host_close(&off);
}

CUpti_Profiler_Host_Object* ProfilerHost::open(const std::vector<std::string>& metrics,
                                               CounterFailure& failure) {
  auto open = PERFSCOPE_PARAMS(CUpti_Profiler_Host_Initialize_Params);
  open.profilerType = m_type;
  open.pChipName = m_chip.c_str();
  open.pCounterAvailabilityImage = m_availability.empty() ? nullptr : m_availability.data();
  if (const auto code = m_api->host_open(&open); code != CUPTI_SUCCESS) {
    failure = {"cuptiProfilerHostInitialize", code};
    return nullptr;
  }
  std::vector<const char*> names;
  for (const auto& metric : metrics) names.push_back(metric.c_str());
  auto add = PERFSCOPE_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params);
  add.pHostObject = open.pHostObject;
  add.ppMetricNames = names.data();
  add.numMetrics = names.size();
  const auto code = m_api->host_add_metrics(&add);
  if (code == CUPTI_SUCCESS) return open.pHostObject;
  failure = {"cuptiProfilerHostConfigAddMetrics", code};
  close(open.pHostObject);
  return nullptr;
}

bool ProfilerHost::configImage(CUpti_Profiler_Host_Object* host, std::vector<uint8_t>& image,
                               CounterFailure& failure) {
  auto size = PERFSCOPE_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params);
  size.pHostObject = host;
  if (const auto code = m_api->host_config_size(&size); code != CUPTI_SUCCESS) {
    failure = {"cuptiProfilerHostGetConfigImageSize", code};
    return false;
  }
  image.resize(size.configImageSize);
  auto get = PERFSCOPE_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params);
  get.pHostObject = host;
  get.configImageSize = image.size();
  get.pConfigImage = image.data();
  if (const auto code = m_api->host_config(&get); code != CUPTI_SUCCESS) {
    failure = {"cuptiProfilerHostGetConfigImage", code};
    return false;
  }
  return true;
}

size_t ProfilerHost::passesOf(std::vector<uint8_t>& image) {
  auto ask = PERFSCOPE_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params);
  ask.configImageSize = image.size();
  ask.pConfigImage = image.data();
  return m_api->host_passes(&ask) == CUPTI_SUCCESS ? ask.numOfPasses : 0;
}

size_t ProfilerHost::passes(const std::vector<std::string>& metrics) {
  CounterFailure failure;
  CUpti_Profiler_Host_Object* const host = open(metrics, failure);
  if (host == nullptr) return 0;
  std::vector<uint8_t> image;
  const size_t count = configImage(host, image, failure) ? passesOf(image) : 0;
  close(host);
  return count;
}

CounterFailure ProfilerHost::select(const std::vector<std::string>& metrics) {
  CounterFailure failure;
  m_names = metrics;
  m_pointers.clear();
  for (const auto& name : m_names) m_pointers.push_back(name.c_str());
  close(std::exchange(m_host, nullptr));
  m_host = open(m_names, failure);
  if (m_host != nullptr && configImage(m_host, m_config, failure)) m_passes = passesOf(m_config);
  return failure;
}

CUptiResult ProfilerHost::evaluate(const std::vector<uint8_t>& image, size_t index,
                                   std::vector<double>& values) {
  values.resize(m_pointers.size());
  auto value = PERFSCOPE_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  value.pHostObject = m_host;
  value.pCounterDataImage = image.data();
  value.counterDataImageSize = image.size();
  value.rangeIndex = index;
  value.ppMetricNames = m_pointers.data();
  value.numMetrics = m_pointers.size();
  value.pMetricValues = values.data();
  return m_api->host_evaluate(&value);
}

#endif
}  // namespace perfscope::collector
