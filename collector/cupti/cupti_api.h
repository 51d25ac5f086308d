// The CUPTI functions the collector calls, as one table: bound at run time in production, filled with fakes
// in tests.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <string>

#include "schemas/result.h"

namespace perfscope::collector {

// Versions as cuptiGetVersion returns them: up to CUDA 12.9 a running number, from 13.0 the form xxyyzz.
inline constexpr uint32_t kCuptiApiOldest = 18;  // 11.8 and 12.0: the first with the kernel record we read
inline constexpr uint32_t kCuptiApi12_3 = 21;    // per-thread buffers
inline constexpr uint32_t kCuptiApi12_9 = 27;    // may be refused a buffer
inline constexpr uint32_t kCuptiApi13_0 = 130000;

// Fields may be null where the library lacks the function; `bindCupti` guarantees the required ones. The
// table never changes once a session uses it.
struct CuptiApi {
  uint32_t version = 0;
  std::string path;  // of the library

  // Required.
  CUptiResult (*get_version)(uint32_t*) = nullptr;
  CUptiResult (*subscribe)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*) = nullptr;
  CUptiResult (*unsubscribe)(CUpti_SubscriberHandle) = nullptr;
  CUptiResult (*enable_callback)(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                 CUpti_CallbackId) = nullptr;
  CUptiResult (*enable_domain)(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain) = nullptr;
  CUptiResult (*activity_register_callbacks)(CUpti_BuffersCallbackRequestFunc,
                                             CUpti_BuffersCallbackCompleteFunc) = nullptr;
  CUptiResult (*activity_enable)(CUpti_ActivityKind) = nullptr;
  CUptiResult (*activity_disable)(CUpti_ActivityKind) = nullptr;
  CUptiResult (*activity_flush_all)(uint32_t) = nullptr;
  CUptiResult (*activity_get_next_record)(uint8_t*, size_t, CUpti_Activity**) = nullptr;
  CUptiResult (*activity_get_num_dropped_records)(CUcontext, uint32_t, size_t*) = nullptr;
  CUptiResult (*activity_set_attribute)(CUpti_ActivityAttribute, size_t*, void*) = nullptr;
  CUptiResult (*get_timestamp)(uint64_t*) = nullptr;
  // Optional.
  CUptiResult (*subscribe_v2)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*, void* params) = nullptr;
  CUptiResult (*activity_enable_runtime_api)(CUpti_CallbackId, uint8_t) = nullptr;
  CUptiResult (*activity_enable_driver_api)(CUpti_CallbackId, uint8_t) = nullptr;
  CUptiResult (*get_graph_node_id)(CUgraphNode, uint64_t*) = nullptr;
  CUptiResult (*get_graph_id)(CUgraph, uint32_t*) = nullptr;
  CUptiResult (*set_thread_id_type)(CUpti_ActivityThreadIdType) = nullptr;
  CUptiResult (*get_result_string)(CUptiResult, const char**) = nullptr;
};

// Fills the table from a library opened with dlopen. Errors (Unavailable) name the first missing function.
Result<CuptiApi> bindCupti(void* library, std::string path);

// The layout of CUpti_SubscriberParams (13.0): private, because older headers lack it.
struct SubscriberParams {
  size_t struct_size;
  const char* subscriber_name;
  char* old_subscriber_name;
  size_t old_subscriber_bytes;
};

}  // namespace perfscope::collector
