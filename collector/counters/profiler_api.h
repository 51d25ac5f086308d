// CUPTI's profiler functions (host evaluation, PM sampling) as one table, bound at run time. The only room
// that knows their headers' versions; they exist since CUDA 12.6.
#pragma once

#if __has_include( \
    <cupti_pmsampling.h>) && __has_include(<cupti_profiler_host.h>) && __has_include(<cupti_range_profiler.h>)
#define PERFSCOPE_PM_SAMPLING 1
#include <cupti.h>
// (above: the profiler headers name its types)
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#else
#define PERFSCOPE_PM_SAMPLING 0
#include <cupti.h>
#endif

#include "schemas/result.h"

namespace perfscope::collector {

#if PERFSCOPE_PM_SAMPLING
struct ProfilerApi {
  decltype(&cuptiProfilerInitialize) initialize = nullptr;
  decltype(&cuptiDeviceGetChipName) chip_name = nullptr;
  decltype(&cuptiGetDeviceId) device_of_context = nullptr;
  decltype(&cuptiProfilerHostInitialize) host_open = nullptr;
  decltype(&cuptiProfilerHostDeinitialize) host_close = nullptr;
  decltype(&cuptiProfilerHostConfigAddMetrics) host_add_metrics = nullptr;
  decltype(&cuptiProfilerHostGetConfigImageSize) host_config_size = nullptr;
  decltype(&cuptiProfilerHostGetConfigImage) host_config = nullptr;
  decltype(&cuptiProfilerHostGetNumOfPasses) host_passes = nullptr;
  decltype(&cuptiProfilerHostEvaluateToGpuValues) host_evaluate = nullptr;
  decltype(&cuptiPmSamplingGetCounterAvailability) pm_availability = nullptr;
  decltype(&cuptiPmSamplingEnable) pm_enable = nullptr;
  decltype(&cuptiPmSamplingDisable) pm_disable = nullptr;
  decltype(&cuptiPmSamplingSetConfig) pm_set_config = nullptr;
  decltype(&cuptiPmSamplingStart) pm_start = nullptr;
  decltype(&cuptiPmSamplingStop) pm_stop = nullptr;
  decltype(&cuptiPmSamplingDecodeData) pm_decode = nullptr;
  decltype(&cuptiPmSamplingGetCounterDataSize) pm_image_size = nullptr;
  decltype(&cuptiPmSamplingCounterDataImageInitialize) pm_image_init = nullptr;
  decltype(&cuptiPmSamplingGetCounterDataInfo) pm_image_info = nullptr;
  decltype(&cuptiPmSamplingCounterDataGetSampleInfo) pm_sample_info = nullptr;
  decltype(&cuptiProfilerGetCounterAvailability) rp_availability = nullptr;
  decltype(&cuptiRangeProfilerEnable) rp_enable = nullptr;
  decltype(&cuptiRangeProfilerSetConfig) rp_set_config = nullptr;
  decltype(&cuptiRangeProfilerStart) rp_start = nullptr;
  decltype(&cuptiRangeProfilerStop) rp_stop = nullptr;
  decltype(&cuptiRangeProfilerDecodeData) rp_decode = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataSize) rp_image_size = nullptr;
  decltype(&cuptiRangeProfilerCounterDataImageInitialize) rp_image_init = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataInfo) rp_image_info = nullptr;
};

// From a library that is mapped. Unavailable, naming the first function that is missing.
Result<ProfilerApi> bindProfiler(void* library, const std::string& path);
#endif

}  // namespace perfscope::collector
