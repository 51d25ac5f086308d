// The activity calls of the stand-in libcupti, with the error codes of the real ones.
#include <cstring>

#include "tests/support/standins/cupti/misfortune.h"
#include "tests/support/standins/cupti/state.h"

using perfscope::standin::Cupti;
using perfscope::standin::insideCallback;
using perfscope::standin::kCallbackIds;
using perfscope::standin::kKinds;
using perfscope::standin::logCall;
using perfscope::standin::Misfortune;
using perfscope::standin::recordBytes;
using perfscope::standin::violation;

namespace {

bool fails(const char* call) {
  if (insideCallback()) violation(call);  // CUPTI holds its lock while it calls: no call back is allowed
  return logCall(call);
}

// CUPTI hands out what exists at the time the kind is enabled: devices, and contexts made before.
void writeDevices() {
  const bool old = Misfortune::get().version < 130000;
  for (uint32_t id = 0; id < standinDeviceCount(); ++id) {
    CUpti_ActivityDevice5 record{};
    record.kind = CUPTI_ACTIVITY_KIND_DEVICE;
    record.globalMemoryBandwidth = 4'916'000'000;  // kB/s; these are values of an H200 SXM
    record.globalMemorySize = 150'121'545'728;
    record.l2CacheSize = 62'914'560;
    record.numThreadsPerWarp = 32;
    record.coreClockRate = 1'980'000;
    record.numMemcpyEngines = 3;
    record.numMultiprocessors = 132;
    record.maxWarpsPerMultiprocessor = 64;
    record.maxBlocksPerMultiprocessor = 32;
    record.maxSharedMemoryPerMultiprocessor = 233'472;
    record.maxRegistersPerMultiprocessor = 65'536;
    record.maxRegistersPerBlock = 65'536;
    record.maxSharedMemoryPerBlock = 49'152;
    record.maxThreadsPerBlock = 1024;
    record.computeCapabilityMajor = 9;
    record.id = id;
    record.eccEnabled = 1;
    std::memset(record.uuid.bytes, 0x40 + static_cast<int>(id), sizeof record.uuid.bytes);
    record.name = "NVIDIA H200";
    Cupti::get().add(&record, old ? sizeof(CUpti_ActivityDevice4) : sizeof record);
  }
}

void setAll(bool driver, bool value) {
  for (auto& flag : Cupti::get().api_records[driver ? 1 : 0]) flag.store(value);
}

CUptiResult setKind(CUpti_ActivityKind kind, bool on) {
  if (static_cast<size_t>(kind) >= kKinds || kind == CUPTI_ACTIVITY_KIND_INVALID)
    return CUPTI_ERROR_INVALID_KIND;
  const bool legacy = kind == CUPTI_ACTIVITY_KIND_EVENT || kind == CUPTI_ACTIVITY_KIND_METRIC;
  if (legacy) return CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED;
  if (kind == CUPTI_ACTIVITY_KIND_MODULE) return CUPTI_ERROR_INVALID_KIND;  // so said CUPTI 13.0 on an H200
  if (on && Misfortune::get().refused_kinds.contains(kind)) return CUPTI_ERROR_NOT_COMPATIBLE;
  Cupti& cupti = Cupti::get();
  cupti.kinds[kind].store(on);
  if (kind == CUPTI_ACTIVITY_KIND_RUNTIME || kind == CUPTI_ACTIVITY_KIND_DRIVER) {
    const bool driver = kind == CUPTI_ACTIVITY_KIND_DRIVER;
    setAll(driver, on);  // resets the selection made call by call
    cupti.api_whole_kind[driver ? 1 : 0].store(on);
  }
  if (on && kind == CUPTI_ACTIVITY_KIND_DEVICE) writeDevices();
  return CUPTI_SUCCESS;
}

[[maybe_unused]] CUptiResult selectApi(bool driver, CUpti_CallbackId id, uint8_t on) {
  if (id == 0 || id >= kCallbackIds) return CUPTI_ERROR_INVALID_PARAMETER;
  Cupti::get().api_records[driver ? 1 : 0][id].store(on != 0);
  return CUPTI_SUCCESS;
}

size_t attributeBytes(CUpti_ActivityAttribute attribute) {
  switch (attribute) {
    case CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER:
    case CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED:
    case CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER:
      return sizeof(uint8_t);
    default:
      return sizeof(size_t);
  }
}

}  // namespace

extern "C" {

CUptiResult cuptiGetVersion(uint32_t* version) {
  if (version == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *version = Misfortune::get().version;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(uint64_t* timestamp) {
  if (timestamp == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *timestamp = standinNow();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  if (fails("cuptiActivityRegisterCallbacks")) return CUPTI_ERROR_UNKNOWN;
  if (request == nullptr || complete == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  Cupti::get().registerBuffers(request, complete);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  return fails("cuptiActivityEnable") ? CUPTI_ERROR_UNKNOWN : setKind(kind, true);
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  return fails("cuptiActivityDisable") ? CUPTI_ERROR_UNKNOWN : setKind(kind, false);
}

#ifndef STANDIN_CUPTI_12_0  // in CUDA 12.5 and later only
CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId id, uint8_t enable) {
  return fails("cuptiActivityEnableRuntimeApi") ? CUPTI_ERROR_UNKNOWN : selectApi(false, id, enable);
}

CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId id, uint8_t enable) {
  return fails("cuptiActivityEnableDriverApi") ? CUPTI_ERROR_UNKNOWN : selectApi(true, id, enable);
}
#endif

CUptiResult cuptiActivityFlushAll(uint32_t flag) {
  if (fails("cuptiActivityFlushAll")) return CUPTI_ERROR_UNKNOWN;
  return Cupti::get().flush((flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0);
}

CUptiResult cuptiActivityFlushPeriod(uint32_t) {
  return fails("cuptiActivityFlushPeriod") ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid_bytes, CUpti_Activity** record) {
  if (buffer == nullptr || record == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  auto* next = reinterpret_cast<uint8_t*>(*record);
  next = next == nullptr ? buffer : next + recordBytes((*record)->kind);
  const auto used = static_cast<size_t>(next - buffer);
  if (used >= valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  uint32_t kind = 0;
  std::memcpy(&kind, next, sizeof kind);
  if (recordBytes(kind) == 0 || used + recordBytes(kind) > valid_bytes) return CUPTI_ERROR_INVALID_KIND;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  if (dropped == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *dropped = Cupti::get().takeDropped();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, size_t* bytes, void* value) {
  if (fails("cuptiActivitySetAttribute")) return CUPTI_ERROR_UNKNOWN;
  if (bytes == nullptr || value == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  if (*bytes < attributeBytes(attribute)) return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
  if (attribute == CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER) {
    Cupti::get().zeroed_buffers.store(*static_cast<uint8_t*>(value) != 0);
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  if (fails("cuptiSetThreadIdType")) return CUPTI_ERROR_UNKNOWN;
  Cupti::get().thread_id_type.store(type);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableLaunchAttributes(uint8_t) {
  return fails("cuptiActivityEnableLaunchAttributes") ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
}

CUptiResult cuptiFinalize() {
  return fails("cuptiFinalize") ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
}

}  // extern "C"
