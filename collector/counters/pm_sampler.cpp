// CUPTI's PM sampling calls in their order: host object -> config image -> enable -> config -> image ->
// start.
#include "collector/counters/pm_sampler.h"

#include <utility>

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

}  // namespace

PmSampler::~PmSampler() {
  if (m_running) stop();
  disable();
}

CounterFailure PmSampler::prepare(const std::string& wanted) {
  auto initialize = PERFSCOPE_PARAMS(CUpti_Profiler_Initialize_Params);
  if (const auto code = m_api->initialize(&initialize); code != CUPTI_SUCCESS)
    return {"cuptiProfilerInitialize", code};
  auto chip = PERFSCOPE_PARAMS(CUpti_Device_GetChipName_Params);
  chip.deviceIndex = m_device;
  if (const auto code = m_api->chip_name(&chip); code != CUPTI_SUCCESS)
    return {"cuptiDeviceGetChipName", code};
  std::vector<uint8_t> availability;
  if (const auto failure = readAvailability(availability); failure.failed()) return failure;
  m_host.describe(chip.pChipName != nullptr ? chip.pChipName : "", std::move(availability));
  m_choice = chooseMetrics(
      wanted, [this](const std::vector<std::string>& metrics) { return m_host.passes(metrics); });
  if (m_choice.metrics.empty()) return {"choice of metrics", CUPTI_ERROR_INVALID_METRIC_NAME};
  std::vector<std::string> names;
  for (const auto& metric : m_choice.metrics) names.push_back(metric.name);
  return m_host.select(names);
}

CounterFailure PmSampler::readAvailability(std::vector<uint8_t>& image) {
  auto ask = PERFSCOPE_PARAMS(CUpti_PmSampling_GetCounterAvailability_Params);
  ask.deviceIndex = m_device;
  if (const auto code = m_api->pm_availability(&ask); code != CUPTI_SUCCESS)
    return {"cuptiPmSamplingGetCounterAvailability", code};
  image.resize(ask.counterAvailabilityImageSize);
  ask.pCounterAvailabilityImage = image.data();
  if (const auto code = m_api->pm_availability(&ask); code != CUPTI_SUCCESS)
    return {"cuptiPmSamplingGetCounterAvailability", code};
  return {};
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
  set.configSize = m_host.config().size();
  set.pConfig = m_host.config().data();
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
  size.pMetricNames = m_host.names().data();
  size.numMetrics = m_host.names().size();
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
  for (; m_evaluated < samples; ++m_evaluated) {
    info.sampleIndex = m_evaluated;
    if (const auto code = m_api->pm_sample_info(&info); code != CUPTI_SUCCESS) {
      result.failure = {"cuptiPmSamplingCounterDataGetSampleInfo", code};
      return;
    }
    if (const auto code = m_host.evaluate(m_image, m_evaluated, m_values); code != CUPTI_SUCCESS) {
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

#endif
}  // namespace perfscope::collector
