// The CUPTI record layouts the decoder reads. The only place that knows how they, and the headers, grew.
//
// CUPTI appends fields to its records, so the decoder reads the oldest prefix that has what it needs and
// reads later fields only when the library at run time (not the header at compile time) has them. Types with
// a number are declared by the headers of CUDA 12.0 up to 13.x alike (from 13.0 in
// cupti_activity_deprecated.h).
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>

namespace perfscope::collector::layout {

using Kernel = CUpti_ActivityKernel9;          // 12.0 and newer
using Memcpy = CUpti_ActivityMemcpy5;          // 11.6 and newer
using MemcpyPeer = CUpti_ActivityMemcpyPtoP4;  // 11.6 and newer
using Memset = CUpti_ActivityMemset4;          // 11.6 and newer
using Synchronization = CUpti_ActivitySynchronization;
using Api = CUpti_ActivityAPI;
using Memory = CUpti_ActivityMemory3;  // 11.6 and newer
using Overhead = CUpti_ActivityOverhead;
using Context = CUpti_ActivityContext;
using Stream = CUpti_ActivityStream;
using Device = CUpti_ActivityDevice4;  // 11.6 and newer
using Module = CUpti_ActivityModule;
// CUpti_ActivityJit2 (CUDA 12.8), which the headers of CUDA 12.0 lack.
inline constexpr auto kJitKind = static_cast<CUpti_ActivityKind>(52);
inline constexpr uint32_t kJitSince = 26;
struct Jit {
  CUpti_ActivityKind kind;
  uint32_t entry_type, operation_type, device;
  uint64_t start, end;
  uint32_t correlation, padding;
  uint64_t jit_correlation, cache_bytes;
  const char* cache_path;
  uint32_t process_id, thread_id;
};
using GraphTrace = CUpti_ActivityGraphTrace;  // 11.8 and newer

// Later fields, by offset, with the first CUPTI version that has them.
inline constexpr uint32_t kKernelDeviceLaunchedSince = 130000;
inline constexpr size_t kKernelDeviceLaunchedAt = 208;        // CUpti_ActivityKernel10.isDeviceLaunched
inline constexpr uint32_t kContextMultiprocessorsSince = 26;  // CUDA 12.8: CUpti_ActivityContext2
inline constexpr size_t kContextMultiprocessorsAt = 22;       // .numMultiprocessors
inline constexpr uint32_t kSyncReturnValueSince = 130000;     // CUpti_ActivitySynchronization2
inline constexpr size_t kSyncEventSyncIdAt = 40;
inline constexpr size_t kSyncReturnValueAt = 48;
inline constexpr uint32_t kOverheadCorrelationSince = 20;  // CUDA 12.2: CUpti_ActivityOverhead2
inline constexpr size_t kOverheadCorrelationAt = 40;

static_assert(sizeof(Kernel) == 208 && offsetof(Kernel, correlationId) == 92 &&
              offsetof(Kernel, launchType) == 136 && offsetof(Kernel, graphNodeId) == 144);
static_assert(offsetof(Memcpy, graphNodeId) == 64 && offsetof(Memset, graphNodeId) == 64);
static_assert(sizeof(Api) == 40 && sizeof(Synchronization) == 40 && sizeof(Context) == 16);
#if CUPTI_API_VERSION >= 130000
static_assert(offsetof(CUpti_ActivityKernel10, isDeviceLaunched) == kKernelDeviceLaunchedAt);
static_assert(offsetof(CUpti_ActivityContext3, numMultiprocessors) == kContextMultiprocessorsAt);
static_assert(offsetof(CUpti_ActivitySynchronization2, cudaEventSyncId) == kSyncEventSyncIdAt);
static_assert(offsetof(CUpti_ActivitySynchronization2, returnValue) == kSyncReturnValueAt);
static_assert(offsetof(CUpti_ActivityOverhead3, correlationId) == kOverheadCorrelationAt);
static_assert(kJitKind == CUPTI_ACTIVITY_KIND_JIT && sizeof(Jit) == sizeof(CUpti_ActivityJit2) &&
              offsetof(Jit, jit_correlation) == offsetof(CUpti_ActivityJit2, jitOperationCorrelationId) &&
              offsetof(Jit, cache_bytes) == offsetof(CUpti_ActivityJit2, cacheSize) &&
              offsetof(Jit, thread_id) == offsetof(CUpti_ActivityJit2, threadId));
#endif

// Names that the headers of CUDA 12.0 lack; the values have not changed since they came.
inline constexpr auto kPerThreadBufferAttribute = static_cast<CUpti_ActivityAttribute>(9);  // 12.3
inline constexpr auto kStateDomain = static_cast<CUpti_CallbackDomain>(6);                  // 12.2
inline constexpr CUpti_CallbackId kStateWarning = 3;
struct StateData {  // CUpti_StateData
  CUptiResult result;
  const char* message;
};

#if CUPTI_API_VERSION >= 130000
static_assert(kPerThreadBufferAttribute == CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER &&
              kStateDomain == CUPTI_CB_DOMAIN_STATE && kStateWarning == CUPTI_CBID_STATE_WARNING &&
              sizeof(StateData) == sizeof(CUpti_StateData));
#endif

// A field beyond the prefix, wherever it lies in the buffer.
template <class T>
T fieldAt(const void* record, size_t offset) noexcept {
  T value;
  __builtin_memcpy(&value, static_cast<const unsigned char*>(record) + offset, sizeof(value));
  return value;
}

}  // namespace perfscope::collector::layout
