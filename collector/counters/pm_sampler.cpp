// CUPTI's PM sampling calls in their order: host object -> config image -> enable -> config -> image ->
// start.
#include "collector/counters/pm_sampler.h"

#include <cmath>
#include <cstring>

#include "collector/process/clock.h"

namespace perfscope::collector {
#if PERFSCOPE_PM_SAMPLING
namespace {

// What the hardware may hold before it is decoded. A record is 3 to 12 kB (H200), so this is 200 ms and more
// at 50 us; setting it up took 90 ms for 64 MiB and 330 to 830 ms for 512 MiB.
constexpr size_t kHardwareBufferBytes = size_t{128} << 20;
// Samples an image holds (30 kB each with ten metrics). One decoding call appends what the hardware has
// gathered since the last and drops what finds no place, so there must be room for much more than a round
// brings.
constexpr uint32_t kSamplesPerImage = 2048;
constexpr size_t kRoomAtLeast = kSamplesPerImage / 2;

template <class T>
T params(size_t size) {
  T value;
  std::memset(&value, 0, sizeof value);
  value.structSize = size;
  return value;
}

}  // namespace

#define PERFSCOPE_PARAMS(T) params<T>(T##_STRUCT_SIZE)  // the size macro's name is made of the type's

PmSampler::~PmSampler() {
  if (m_running) stop();
  disable();
  if (m_host != nullptr) {
    auto off = PERFSCOPE_PARAMS(CUpti_Profiler_Host_Deinitialize_Params);
    off.pHostObject = m_host;
    m_api->host_close(&off);
  }
}

CounterFailure PmSampler::prepare(const std::string& wanted) {
  auto initialize = PERFSCOPE_PARAMS(CUpti_Profiler_Initialize_Params);
  if (const auto code = m_api->initialize(&initialize); code != CUPTI_SUCCESS)
    return {"cuptiProfilerInitialize", code};
  auto chip = PERFSCOPE_PARAMS(CUpti_Device_GetChipName_Params);
  chip.deviceIndex = m_device;
  if (const auto code = m_api->chip_name(&chip); code != CUPTI_SUCCESS)
    return {"cuptiDeviceGetChipName", code};
  m_chip = chip.pChipName != nullptr ? chip.pChipName : "";
  if (const auto failure = readAvailability(); failure.failed()) return failure;
  m_choice =
      chooseMetrics(wanted, [this](const std::vector<std::string>& metrics) { return passes(metrics); });
  if (m_choice.metrics.empty()) return {"choice of metrics", CUPTI_ERROR_INVALID_METRIC_NAME};
  std::vector<std::string> names;
  for (const auto& metric : m_choice.metrics) {
    names.push_back(metric.name);
    m_names.push_back(metric.name.c_str());
  }
  m_values.resize(m_names.size());
  CounterFailure failure;
  m_host = openHost(names, failure);
  if (m_host != nullptr) configImage(m_host, m_config, failure);
  return failure;
}

CounterFailure PmSampler::readAvailability() {
  auto ask = PERFSCOPE_PARAMS(CUpti_PmSampling_GetCounterAvailability_Params);
  ask.deviceIndex = m_device;
  if (const auto code = m_api->pm_availability(&ask); code != CUPTI_SUCCESS)
    return {"cuptiPmSamplingGetCounterAvailability", code};
  m_availability.resize(ask.counterAvailabilityImageSize);
  ask.pCounterAvailabilityImage = m_availability.data();
  if (const auto code = m_api->pm_availability(&ask); code != CUPTI_SUCCESS)
    return {"cuptiPmSamplingGetCounterAvailability", code};
  return {};
}

// Null when the metrics are not offered. CUPTI keeps a host object's state after a refused metric, hence a
// new one for each question.
CUpti_Profiler_Host_Object* PmSampler::openHost(const std::vector<std::string>& metrics,
                                                CounterFailure& failure) {
  auto open = PERFSCOPE_PARAMS(CUpti_Profiler_Host_Initialize_Params);
  open.profilerType = CUPTI_PROFILER_TYPE_PM_SAMPLING;
  open.pChipName = m_chip.c_str();
  open.pCounterAvailabilityImage = m_availability.data();
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
  auto off = PERFSCOPE_PARAMS(CUpti_Profiler_Host_Deinitialize_Params);
  off.pHostObject = open.pHostObject;
  m_api->host_close(&off);
  return nullptr;
}

bool PmSampler::configImage(CUpti_Profiler_Host_Object* host, std::vector<uint8_t>& image,
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

size_t PmSampler::passes(const std::vector<std::string>& metrics) {
  CounterFailure failure;
  CUpti_Profiler_Host_Object* const host = openHost(metrics, failure);
  if (host == nullptr) return 0;
  std::vector<uint8_t> image;
  size_t count = 0;
  if (configImage(host, image, failure)) {
    auto ask = PERFSCOPE_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params);
    ask.configImageSize = image.size();
    ask.pConfigImage = image.data();
    if (m_api->host_passes(&ask) == CUPTI_SUCCESS) count = ask.numOfPasses;
  }
  auto off = PERFSCOPE_PARAMS(CUpti_Profiler_Host_Deinitialize_Params);
  off.pHostObject = host;
  m_api->host_close(&off);
  return count;
}

CounterFailure PmSampler::disable() {
  if (m_sampling == nullptr) return {};
  auto off = PERFSCOPE_PARAMS(CUpti_PmSampling_Disable_Params);
  off.pPmSamplingObject = m_sampling;
  m_sampling = nullptr;
  if (const auto code = m_api->pm_disable(&off); code != CUPTI_SUCCESS)
    return {"cuptiPmSamplingDisable", code};
  return {};
}

// A second configuration of the same sampling object is accepted, but the interval stays the first one
// (CUPTI 13.0, H200): hence a new object each time.
CounterFailure PmSampler::configure(uint64_t interval_ns) {
  if (const auto failure = disable(); failure.failed()) return failure;
  auto enable = PERFSCOPE_PARAMS(CUpti_PmSampling_Enable_Params);
  enable.deviceIndex = m_device;
  if (const auto code = m_api->pm_enable(&enable); code != CUPTI_SUCCESS)
    return {"cuptiPmSamplingEnable", code};
  m_sampling = enable.pPmSamplingObject;
  m_interval_ns = interval_ns;
  auto set = PERFSCOPE_PARAMS(CUpti_PmSampling_SetConfig_Params);
  set.pPmSamplingObject = m_sampling;
  set.configSize = m_config.size();
  set.pConfig = m_config.data();
  set.hardwareBufferSize = kHardwareBufferBytes;
  set.samplingInterval = interval_ns;
  set.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
  set.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
  auto code = m_api->pm_set_config(&set);
  if (code == CUPTI_ERROR_NOT_SUPPORTED || code == CUPTI_ERROR_INVALID_PARAMETER) {
    // Turing and GA100 know the system clock's cycles only; it runs at 1 GHz and more.
    set.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL;
    code = m_api->pm_set_config(&set);
  }
  if (code != CUPTI_SUCCESS) return {"cuptiPmSamplingSetConfig", code};
  return makeImage();
}

CounterFailure PmSampler::makeImage() {
  auto size = PERFSCOPE_PARAMS(CUpti_PmSampling_GetCounterDataSize_Params);
  size.pPmSamplingObject = m_sampling;
  size.pMetricNames = m_names.data();
  size.numMetrics = m_names.size();
  size.maxSamples = kSamplesPerImage;
  if (const auto code = m_api->pm_image_size(&size); code != CUPTI_SUCCESS)
    return {"cuptiPmSamplingGetCounterDataSize", code};
  m_empty_image.assign(size.counterDataSize, 0);
  auto init = PERFSCOPE_PARAMS(CUpti_PmSampling_CounterDataImage_Initialize_Params);
  init.pPmSamplingObject = m_sampling;
  init.counterDataSize = m_empty_image.size();
  init.pCounterData = m_empty_image.data();
  if (const auto code = m_api->pm_image_init(&init); code != CUPTI_SUCCESS)
    return {"cuptiPmSamplingCounterDataImageInitialize", code};
  clearImage();
  return {};
}

// CUPTI's own initialisation takes longer than a copy of its result.
void PmSampler::clearImage() {
  m_image = m_empty_image;
  m_evaluated = 0;
}

CounterFailure PmSampler::start() {
  auto start = PERFSCOPE_PARAMS(CUpti_PmSampling_Start_Params);
  start.pPmSamplingObject = m_sampling;
  if (const auto code = m_api->pm_start(&start); code != CUPTI_SUCCESS) return {"cuptiPmSamplingStart", code};
  m_running = true;
  m_last_end_ns = 0;
  return {};
}

CounterFailure PmSampler::stop() {
  auto stop = PERFSCOPE_PARAMS(CUpti_PmSampling_Stop_Params);
  stop.pPmSamplingObject = m_sampling;
  m_running = false;
  if (const auto code = m_api->pm_stop(&stop); code != CUPTI_SUCCESS) return {"cuptiPmSamplingStop", code};
  return {};
}

SamplerRound PmSampler::round(const Take& take, uint64_t most_ns) {
  SamplerRound result;
  const uint64_t begin = monotonicNs();
  // CUPTI may report the end of the records while more are there: it is over when a call brings nothing.
  while (true) {
    auto decode = PERFSCOPE_PARAMS(CUpti_PmSampling_DecodeData_Params);
    decode.pPmSamplingObject = m_sampling;
    decode.pCounterDataImage = m_image.data();
    decode.counterDataImageSize = m_image.size();
    const auto code = m_api->pm_decode(&decode);
    result.overflow = result.overflow || decode.overflow != 0 || code == CUPTI_ERROR_OUT_OF_MEMORY;
    if (code != CUPTI_SUCCESS && code != CUPTI_ERROR_OUT_OF_MEMORY) {
      result.failure = {"cuptiPmSamplingDecodeData", code};
      break;
    }
    auto info = PERFSCOPE_PARAMS(CUpti_PmSampling_GetCounterDataInfo_Params);
    info.pCounterDataImage = m_image.data();
    info.counterDataImageSize = m_image.size();
    if (const auto told = m_api->pm_image_info(&info); told != CUPTI_SUCCESS) {
      result.failure = {"cuptiPmSamplingGetCounterDataInfo", told};
      break;
    }
    if (info.numCompletedSamples <= m_evaluated) break;
    evaluate(info.numCompletedSamples, take, result);
    if (m_evaluated + kRoomAtLeast > kSamplesPerImage) clearImage();
    const bool more = decode.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
    if (!more || result.failure.failed() || monotonicNs() - begin > most_ns) break;
  }
  result.busy_ns = monotonicNs() - begin;
  return result;
}

// From the first sample that was not handed out yet to `samples`, exclusive.
void PmSampler::evaluate(size_t samples, const Take& take, SamplerRound& result) {
  auto info = PERFSCOPE_PARAMS(CUpti_PmSampling_CounterData_GetSampleInfo_Params);
  info.pPmSamplingObject = m_sampling;
  info.pCounterDataImage = m_image.data();
  info.counterDataImageSize = m_image.size();
  auto value = PERFSCOPE_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  value.pHostObject = m_host;
  value.pCounterDataImage = m_image.data();
  value.counterDataImageSize = m_image.size();
  value.ppMetricNames = m_names.data();
  value.numMetrics = m_names.size();
  value.pMetricValues = m_values.data();
  for (; m_evaluated < samples; ++m_evaluated) {
    info.sampleIndex = value.rangeIndex = m_evaluated;
    if (const auto code = m_api->pm_sample_info(&info); code != CUPTI_SUCCESS) {
      result.failure = {"cuptiPmSamplingCounterDataGetSampleInfo", code};
      return;
    }
    if (const auto code = m_api->host_evaluate(&value); code != CUPTI_SUCCESS) {
      result.failure = {"cuptiProfilerHostEvaluateToGpuValues", code};
      return;
    }
    // Starts and ends are rounded: a hole is what half a sample would have filled.
    const uint64_t hole_ns = info.startTimestamp > m_last_end_ns ? info.startTimestamp - m_last_end_ns : 0;
    if (m_last_end_ns != 0 && hole_ns > m_interval_ns / 2) result.lost_ns += hole_ns;
    m_last_end_ns = info.endTimestamp;
    take(info.startTimestamp, info.endTimestamp, m_values);
    ++result.samples;
  }
}

#undef PERFSCOPE_PARAMS
#endif
}  // namespace perfscope::collector
