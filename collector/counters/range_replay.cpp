// Start the range profiler at the entry of a chosen launch, stop and evaluate at its exit.
#include "collector/counters/range_replay.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cstring>
#include <utility>

#include "collector/process/clock.h"
#include "collector/spool/name_table.h"

namespace perfscope::collector {
#if PERFSCOPE_PM_SAMPLING
namespace {

// Replaying one rank's communication kernel waits for the others for ever.
bool mustNotBeReplayed(const char* name) {
  return name == nullptr || std::strstr(name, "nccl") != nullptr || std::strstr(name, "nvshmem") != nullptr;
}

bool isExtended(CUpti_CallbackId id) {
  return id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx ||
         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz;
}

// A cooperative launch needs all its blocks resident at once and may wait on other launches.
bool isCooperative(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (!isExtended(id)) return false;
  const auto* const config = static_cast<const cuLaunchKernelEx_params*>(data.functionParams)->config;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && config->attrs[i].value.cooperative != 0)
      return true;
  }
  return false;
}

uint64_t self() {
  return static_cast<uint64_t>(::pthread_self());
}

}  // namespace

RangeReplay::RangeReplay(const CollectorConfig& config, ProfilerApi api, CounterInbox& inbox, Note note)
    : m_config(config),
      m_api(api),
      m_inbox(inbox),
      m_note(std::move(note)),
      m_choice(config.replay_per_kernel),
      m_host(m_api, CUPTI_PROFILER_TYPE_RANGE_PROFILER) {
  if (void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD))
    m_is_capturing = reinterpret_cast<int (*)(CUstream, int*)>(::dlsym(library, "cuStreamIsCapturing"));
}

void RangeReplay::launch(CUpti_CallbackId id, const CUpti_CallbackData& data) noexcept {
  try {
    if (data.callbackSite == CUPTI_API_ENTER) {
      if (m_over.load(std::memory_order_relaxed) || m_busy.exchange(true, std::memory_order_acquire)) return;
      enter(id, data);
      if (m_thread == 0) m_busy.store(false, std::memory_order_release);
    } else if (m_busy.load(std::memory_order_acquire) && m_thread == self()) {
      leave(data);
      m_thread = 0;
      m_busy.store(false, std::memory_order_release);
    }
  } catch (...) {  // out of memory: no more replays
    m_over.store(true);
  }
}

RangeReplay::Shape RangeReplay::shapeOf(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (isExtended(id)) {
    const auto& c = *static_cast<const cuLaunchKernelEx_params*>(data.functionParams)->config;
    return {{c.gridDimX, c.gridDimY, c.gridDimZ}, {c.blockDimX, c.blockDimY, c.blockDimZ}, c.hStream};
  }
  const auto& p = *static_cast<const cuLaunchKernel_params*>(data.functionParams);
  return {{p.gridDimX, p.gridDimY, p.gridDimZ}, {p.blockDimX, p.blockDimY, p.blockDimZ}, p.hStream};
}

bool RangeReplay::capturing(CUstream stream) const {
  int status = 0;
  return m_is_capturing == nullptr || m_is_capturing(stream, &status) != 0 || status != 0;
}

void RangeReplay::enter(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (data.functionParams == nullptr || mustNotBeReplayed(data.symbolName) || isCooperative(id, data)) return;
  if (m_context != nullptr && data.context != m_context) return;
  const Shape shape = shapeOf(id, data);
  const uint64_t signature = hashBytes(data.symbolName, std::strlen(data.symbolName)) ^
                             hashBytes(shape.grid, sizeof shape.grid) * 31 ^
                             hashBytes(shape.block, sizeof shape.block);
  if (!m_choice.due(signature) || capturing(shape.stream)) return;
  if (m_profiler == nullptr) {
    if (const auto failure = prepare(data.context); failure.failed()) return giveUp(failure);
  }
  auto start = PERFSCOPE_PARAMS(CUpti_RangeProfiler_Start_Params);
  start.pRangeProfilerObject = m_profiler;
  m_start_ns = realtimeNs();
  if (const auto code = m_api.rp_start(&start); code != CUPTI_SUCCESS)
    return giveUp({"cuptiRangeProfilerStart", code});
  m_signature = signature;
  m_thread = self();
}

void RangeReplay::leave(const CUpti_CallbackData& data) {
  const auto failure = collect(data);
  const uint64_t duration_ns = realtimeNs() - m_start_ns;
  m_spent_ns += duration_ns;
  if (failure.failed()) return giveUp(failure);
  m_choice.replayed(m_signature);
  if (m_spent_ns >= m_config.replay_budget_ns) m_over.store(true);
}

CounterFailure RangeReplay::collect(const CUpti_CallbackData& data) {
  auto stop = PERFSCOPE_PARAMS(CUpti_RangeProfiler_Stop_Params);
  stop.pRangeProfilerObject = m_profiler;
  if (const auto code = m_api.rp_stop(&stop); code != CUPTI_SUCCESS) return {"cuptiRangeProfilerStop", code};
  auto decode = PERFSCOPE_PARAMS(CUpti_RangeProfiler_DecodeData_Params);
  decode.pRangeProfilerObject = m_profiler;
  if (const auto code = m_api.rp_decode(&decode); code != CUPTI_SUCCESS)
    return {"cuptiRangeProfilerDecodeData", code};
  auto info = PERFSCOPE_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params);
  info.pCounterDataImage = m_image.data();
  info.counterDataImageSize = m_image.size();
  if (const auto code = m_api.rp_image_info(&info); code != CUPTI_SUCCESS)
    return {"cuptiRangeProfilerGetCounterDataInfo", code};
  if (info.numTotalRanges == 1) {
    if (const auto code = m_host.evaluate(m_image, 0, m_values); code != CUPTI_SUCCESS)
      return {"cuptiProfilerHostEvaluateToGpuValues", code};
    store(data, realtimeNs() - m_start_ns);
  } else {
    ++m_mixed;
  }
  m_image = m_empty_image;
  return {};
}

void RangeReplay::store(const CUpti_CallbackData& data, uint64_t duration_ns) {
  PendingReplay pending;
  pending.replay.head.kind = spool::Kind::Replay;
  pending.replay.start_ns = m_start_ns;
  pending.replay.duration_ns = duration_ns;
  pending.replay.replay_id = ++m_replays;
  pending.replay.correlation = data.correlationId;
  pending.replay.device = static_cast<uint16_t>(m_device);
  pending.replay.passes = static_cast<uint16_t>(m_host.passCount());
  pending.metrics = &m_metrics.metrics;
  pending.values = m_values;
  m_inbox.put(std::move(pending));
}

CounterFailure RangeReplay::prepare(CUcontext context) {
  auto initialize = PERFSCOPE_PARAMS(CUpti_Profiler_Initialize_Params);
  if (const auto code = m_api.initialize(&initialize); code != CUPTI_SUCCESS)
    return {"cuptiProfilerInitialize", code};
  if (const auto code = m_api.device_of_context(context, &m_device); code != CUPTI_SUCCESS)
    return {"cuptiGetDeviceId", code};
  auto chip = PERFSCOPE_PARAMS(CUpti_Device_GetChipName_Params);
  chip.deviceIndex = m_device;
  if (const auto code = m_api.chip_name(&chip); code != CUPTI_SUCCESS)
    return {"cuptiDeviceGetChipName", code};
  auto ask = PERFSCOPE_PARAMS(CUpti_Profiler_GetCounterAvailability_Params);
  ask.ctx = context;
  std::vector<uint8_t> availability;
  for (int round = 0; round < 2; ++round) {  // its size, then the image
    if (const auto code = m_api.rp_availability(&ask); code != CUPTI_SUCCESS)
      return {"cuptiProfilerGetCounterAvailability", code};
    availability.resize(ask.counterAvailabilityImageSize);
    ask.pCounterAvailabilityImage = availability.data();
  }
  m_host.describe(chip.pChipName != nullptr ? chip.pChipName : "", std::move(availability));
  m_metrics =
      chooseReplayMetrics([this](const std::vector<std::string>& metrics) { return m_host.passes(metrics); });
  if (m_metrics.metrics.empty()) return {"choice of metrics", CUPTI_ERROR_INVALID_METRIC_NAME};
  std::vector<std::string> names;
  for (const auto& metric : m_metrics.metrics) names.push_back(metric.name);
  if (const auto failure = m_host.select(names); failure.failed()) return failure;
  auto enable = PERFSCOPE_PARAMS(CUpti_RangeProfiler_Enable_Params);
  enable.ctx = context;
  if (const auto code = m_api.rp_enable(&enable); code != CUPTI_SUCCESS)
    return {"cuptiRangeProfilerEnable", code};
  m_profiler = enable.pRangeProfilerObject;
  m_context = context;
  if (const auto failure = makeImage(); failure.failed()) return failure;
  return setConfig();
}

CounterFailure RangeReplay::makeImage() {
  auto size = PERFSCOPE_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params);
  size.pRangeProfilerObject = m_profiler;
  size.pMetricNames = m_host.names().data();
  size.numMetrics = m_host.names().size();
  size.maxNumOfRanges = 4;
  size.maxNumRangeTreeNodes = 4;
  if (const auto code = m_api.rp_image_size(&size); code != CUPTI_SUCCESS)
    return {"cuptiRangeProfilerGetCounterDataSize", code};
  m_empty_image.assign(size.counterDataSize, 0);
  auto init = PERFSCOPE_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
  init.pRangeProfilerObject = m_profiler;
  init.counterDataSize = m_empty_image.size();
  init.pCounterData = m_empty_image.data();
  if (const auto code = m_api.rp_image_init(&init); code != CUPTI_SUCCESS)
    return {"cuptiRangeProfilerCounterDataImageInitialize", code};
  m_image = m_empty_image;
  return {};
}

CounterFailure RangeReplay::setConfig() {
  auto set = PERFSCOPE_PARAMS(CUpti_RangeProfiler_SetConfig_Params);
  set.pRangeProfilerObject = m_profiler;
  set.configSize = m_host.config().size();
  set.pConfig = m_host.config().data();
  set.counterDataImageSize = m_image.size();
  set.pCounterDataImage = m_image.data();
  set.range = CUPTI_AutoRange;
  set.replayMode = CUPTI_KernelReplay;
  set.maxRangesPerPass = 4;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  if (const auto code = m_api.rp_set_config(&set); code != CUPTI_SUCCESS)
    return {"cuptiRangeProfilerSetConfig", code};
  return {};
}

void RangeReplay::giveUp(const CounterFailure& failure) {
  m_over.store(true);
  const auto code = failure.code;
  const auto id = code == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? spool::NoteId::CountersNoPermission
                  : code == CUPTI_ERROR_HARDWARE_BUSY         ? spool::NoteId::CountersBusy
                                                              : spool::NoteId::CountersUnavailable;
  m_note(id, failure.call, code);
}

void RangeReplay::tell() {
  if (m_replays == 0) return;
  m_note(spool::NoteId::ReplayCost,
         "launches replayed: " + std::to_string(m_replays) +
             ", passes each: " + std::to_string(m_host.passCount()) + ", together " +
             std::to_string(m_spent_ns / 1'000'000) + " ms" +
             (m_mixed != 0 ? ", given up because other threads launched meanwhile: " + std::to_string(m_mixed)
                           : ""),
         static_cast<int64_t>(m_spent_ns));
  if (m_spent_ns >= m_config.replay_budget_ns)
    m_note(spool::NoteId::ReplayStopped, "the time allowed by --replay-budget was used up", 0);
}

#endif
}  // namespace perfscope::collector
