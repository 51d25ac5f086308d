// PM sampling of the stand-in libcupti, with what a real one did on an H200 (CUPTI 13.0): samples at the
// interval on the clock of the activity records, the first one since the configuration; decoding appends to
// the image and drops what finds no room; a second configuration of one object keeps its first interval;
// NVLink is refused where there is no link. Values: metric number k of the list counts 1000 * (k + 1) in
// every sample.
#ifndef STANDIN_CUPTI_12_0  // in CUDA 12.6 and later only
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "tests/support/standins/cupti/misfortune.h"
#include "tests/support/standins/cupti/state.h"

struct CUpti_Profiler_Host_Object {
  std::vector<std::string> metrics;
};
struct CUpti_PmSampling_Object {
  uint64_t interval_ns = 0, next_ns = 0;  // next_ns 0: not started
  bool running = false;
};

namespace {

using perfscope::standin::logCall;

constexpr uint64_t kImageMagic = 0x4547414d49;  // "IMAGE"
struct ImageHead {
  uint64_t magic, capacity, count;
};
struct ImageSample {
  uint64_t start_ns, end_ns;
};

// Refusals come as the real library gives them: no permission, or another holder of the hardware.
CUptiResult outcome(const char* call) {
  if (!logCall(call)) return CUPTI_SUCCESS;
  const char* code = std::getenv("STANDIN_CUPTI_FAIL_CODE");
  return code != nullptr ? static_cast<CUptiResult>(std::atoi(code)) : CUPTI_ERROR_UNKNOWN;
}

bool offered(const std::string& metric) {
  static constexpr const char* kOffered[] = {"dram__bytes_read.sum",
                                             "dram__bytes_write.sum",
                                             "lts__t_bytes.sum",
                                             "TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime.sum",
                                             "TPC.TriageCompute.sm__inst_executed_pipe_fma_realtime.sum",
                                             "TPC.TriageCompute.sm__cycles_active.sum",
                                             "FE_B.TriageCompute.gr__cycles_active.avg",
                                             "PCI.TriageCompute.pcie__read_bytes.sum",
                                             "PCI.TriageCompute.pcie__write_bytes.sum",
                                             "smsp__thread_inst_executed_pred_on.sum"};
  for (const char* name : kOffered)
    if (metric == name) return true;
  return false;
}

std::mutex& lock() {
  static std::mutex mutex;
  return mutex;
}

ImageHead headOf(const uint8_t* image) {
  ImageHead head;
  std::memcpy(&head, image, sizeof head);
  return head;
}

// What the hardware gathered until now, into the image as far as there is room.
void append(CUpti_PmSampling_Object& object, uint8_t* image) {
  ImageHead head = headOf(image);
  const uint64_t now = standinNow();
  while (object.running && object.next_ns + object.interval_ns <= now) {
    const ImageSample sample{object.next_ns, object.next_ns + object.interval_ns};
    object.next_ns = sample.end_ns;
    if (head.count == head.capacity) continue;
    std::memcpy(image + sizeof head + head.count * sizeof sample, &sample, sizeof sample);
    ++head.count;
  }
  std::memcpy(image, &head, sizeof head);
}

}  // namespace

extern "C" {

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) {
  return outcome("cuptiProfilerInitialize");
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params) {
  params->pChipName = "GH100";
  return outcome("cuptiDeviceGetChipName");
}

CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t* device) {
  *device = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(context)) - 1;
  return *device < standinDeviceCount() ? outcome("cuptiGetDeviceId") : CUPTI_ERROR_INVALID_CONTEXT;
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* params) {
  params->pHostObject = new CUpti_Profiler_Host_Object;
  return outcome("cuptiProfilerHostInitialize");
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* params) {
  delete params->pHostObject;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* params) {
  for (size_t i = 0; i < params->numMetrics; ++i) {
    if (!offered(params->ppMetricNames[i])) return CUPTI_ERROR_INVALID_PARAMETER;
    params->pHostObject->metrics.emplace_back(params->ppMetricNames[i]);
  }
  return outcome("cuptiProfilerHostConfigAddMetrics");
}

// The image is the number of passes.
CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* params) {
  params->configImageSize = sizeof(uint64_t);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* params) {
  uint64_t passes = 1;
  for (const auto& metric : params->pHostObject->metrics)
    if (metric == "smsp__thread_inst_executed_pred_on.sum") passes = 2;
  std::memcpy(params->pConfigImage, &passes, sizeof passes);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* params) {
  uint64_t passes = 0;
  std::memcpy(&passes, params->pConfigImage, sizeof passes);
  params->numOfPasses = passes;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* params) {
  if (params->rangeIndex >= headOf(params->pCounterDataImage).count) return CUPTI_ERROR_INVALID_PARAMETER;
  for (size_t i = 0; i < params->numMetrics; ++i)
    params->pMetricValues[i] = 1000.0 * static_cast<double>(i + 1);
  return outcome("cuptiProfilerHostEvaluateToGpuValues");
}

CUptiResult cuptiPmSamplingGetCounterAvailability(CUpti_PmSampling_GetCounterAvailability_Params* params) {
  params->counterAvailabilityImageSize = 16;
  return outcome("cuptiPmSamplingGetCounterAvailability");
}

CUptiResult cuptiPmSamplingEnable(CUpti_PmSampling_Enable_Params* params) {
  params->pPmSamplingObject = new CUpti_PmSampling_Object;
  return outcome("cuptiPmSamplingEnable");
}

CUptiResult cuptiPmSamplingDisable(CUpti_PmSampling_Disable_Params* params) {
  const std::lock_guard guard(lock());
  delete params->pPmSamplingObject;
  return outcome("cuptiPmSamplingDisable");
}

CUptiResult cuptiPmSamplingSetConfig(CUpti_PmSampling_SetConfig_Params* params) {
  const std::lock_guard guard(lock());
  CUpti_PmSampling_Object& object = *params->pPmSamplingObject;
  if (object.interval_ns == 0) object.interval_ns = params->samplingInterval;
  return outcome("cuptiPmSamplingSetConfig");
}

CUptiResult cuptiPmSamplingStart(CUpti_PmSampling_Start_Params* params) {
  const std::lock_guard guard(lock());
  params->pPmSamplingObject->running = true;
  params->pPmSamplingObject->next_ns = standinNow();
  return outcome("cuptiPmSamplingStart");
}

CUptiResult cuptiPmSamplingStop(CUpti_PmSampling_Stop_Params* params) {
  const std::lock_guard guard(lock());
  params->pPmSamplingObject->running = false;
  return outcome("cuptiPmSamplingStop");
}

CUptiResult cuptiPmSamplingDecodeData(CUpti_PmSampling_DecodeData_Params* params) {
  const std::lock_guard guard(lock());
  append(*params->pPmSamplingObject, params->pCounterDataImage);
  params->decodeStopReason = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
  params->overflow = 0;
  return outcome("cuptiPmSamplingDecodeData");
}

CUptiResult cuptiPmSamplingGetCounterDataSize(CUpti_PmSampling_GetCounterDataSize_Params* params) {
  params->counterDataSize = sizeof(ImageHead) + params->maxSamples * sizeof(ImageSample);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingCounterDataImageInitialize(
    CUpti_PmSampling_CounterDataImage_Initialize_Params* params) {
  const ImageHead head{kImageMagic, (params->counterDataSize - sizeof(ImageHead)) / sizeof(ImageSample), 0};
  std::memcpy(params->pCounterData, &head, sizeof head);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingGetCounterDataInfo(CUpti_PmSampling_GetCounterDataInfo_Params* params) {
  const ImageHead head = headOf(params->pCounterDataImage);
  if (head.magic != kImageMagic) return CUPTI_ERROR_INVALID_PARAMETER;
  params->numTotalSamples = head.capacity;
  params->numPopulatedSamples = params->numCompletedSamples = head.count;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingCounterDataGetSampleInfo(
    CUpti_PmSampling_CounterData_GetSampleInfo_Params* params) {
  if (params->sampleIndex >= headOf(params->pCounterDataImage).count) return CUPTI_ERROR_INVALID_PARAMETER;
  ImageSample sample;
  std::memcpy(&sample, params->pCounterDataImage + sizeof(ImageHead) + params->sampleIndex * sizeof sample,
              sizeof sample);
  params->startTimestamp = sample.start_ns;
  params->endTimestamp = sample.end_ns;
  return CUPTI_SUCCESS;
}

// The range profiler is there to be bound; the stand-in driver's launches carry no parameters, so nothing is
// replayed.
CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params*) {
  return outcome("cuptiProfilerGetCounterAvailability");
}
CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params*) {
  return outcome("cuptiRangeProfilerEnable");
}
CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params*) {
  return outcome("cuptiRangeProfilerSetConfig");
}
CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*) {
  return outcome("cuptiRangeProfilerStart");
}
CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params*) {
  return outcome("cuptiRangeProfilerStop");
}
CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params*) {
  return outcome("cuptiRangeProfilerDecodeData");
}
CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params*) {
  return outcome("cuptiRangeProfilerGetCounterDataSize");
}
CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params*) {
  return outcome("cuptiRangeProfilerCounterDataImageInitialize");
}
CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params*) {
  return outcome("cuptiRangeProfilerGetCounterDataInfo");
}

}  // extern "C"
#endif
