// Configuration -> what CUPTI shall record.
#include "collector/cupti/activity_setup.h"

#include "collector/cupti/api_families.h"
#include "collector/cupti/record_types.h"

namespace perfscope::collector {
namespace {

const char* kindName(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return "CONCURRENT_KERNEL";
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return "MEMCPY";
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return "MEMCPY2";
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return "MEMSET";
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return "SYNCHRONIZATION";
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return "OVERHEAD";
    case CUPTI_ACTIVITY_KIND_CONTEXT:
      return "CONTEXT";
    case CUPTI_ACTIVITY_KIND_STREAM:
      return "STREAM";
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return "DEVICE";
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return "MEMORY2";
    case CUPTI_ACTIVITY_KIND_MODULE:
      return "MODULE";
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return "GRAPH_TRACE";
    case layout::kJitKind:
      return "JIT";
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return "RUNTIME";
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return "DRIVER";
    default:
      return "activity kind";
  }
}

void setByte(const CuptiApi& api, CUpti_ActivityAttribute attribute, const char* name,
             std::vector<SetupIssue>& issues) {
  uint8_t on = 1;
  size_t bytes = sizeof(on);
  const CUptiResult result = api.activity_set_attribute(attribute, &bytes, &on);
  if (result != CUPTI_SUCCESS) issues.push_back({name, result});
}

using EnableCall = CUptiResult (*)(CUpti_CallbackId, uint8_t);

// Ids newer than the library are refused one by one: expected, hence no issue; none accepted is one.
bool switchCalls(EnableCall enable, std::span<const ApiFamily> families, uint8_t on) {
  bool any = false;
  for (const ApiFamily& family : families) {
    for (const uint16_t id : family.ids)
      if (id != 0 && enable(id, on) == CUPTI_SUCCESS) any = true;
  }
  return any;
}

// Above every callback id of the known headers (801 driver calls in CUDA 13.0); ids that do not exist are
// refused.
constexpr uint32_t kCallbackIdsEnd = 2048;

void switchOthersOff(EnableCall enable, bool (*wanted)(uint32_t)) {
  for (uint32_t id = 1; id < kCallbackIdsEnd; ++id)
    if (!wanted(id)) enable(static_cast<CUpti_CallbackId>(id), 0);
}

void enableKind(const CuptiApi& api, CUpti_ActivityKind kind, std::vector<SetupIssue>& issues) {
  const CUptiResult result = api.activity_enable(kind);
  if (result != CUPTI_SUCCESS) issues.push_back({kindName(kind), result});
}

}  // namespace

ActivityPlan planActivities(const CollectorConfig& config, const CuptiApi& api) {
  ActivityPlan plan;
  plan.kinds = {CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_CONTEXT,
                CUPTI_ACTIVITY_KIND_STREAM, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
                CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_OVERHEAD};
  // Waits come from the API records of the synchronise family. CUPTI's own synchronisation records slow every
  // launch by about 5 us (H200, CUPTI 13.0, eager decode: 2.26 ms a step with them, 1.83 ms without, 1.50 ms
  // bare), and the kind MODULE is refused there (CUPTI_ERROR_INVALID_KIND): module loads are seen as API
  // calls too.
  if (config.api == ApiTracing::All) plan.kinds.push_back(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  if (api.version >= layout::kJitSince) plan.kinds.push_back(layout::kJitKind);
  if (config.memory) plan.kinds.push_back(CUPTI_ACTIVITY_KIND_MEMORY2);
  if (config.graphs == GraphTracing::Graph) plan.kinds.push_back(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  plan.graph_callbacks = config.graphs == GraphTracing::Node && api.get_graph_node_id != nullptr;
  const bool per_call =
      api.activity_enable_runtime_api != nullptr && api.activity_enable_driver_api != nullptr;
  if (config.api == ApiTracing::Launches) plan.api = per_call ? ApiFilter::PerCall : ApiFilter::WholeKinds;
  if (config.api == ApiTracing::All) plan.api = ApiFilter::WholeKinds;
  plan.filter_in_decoder = config.api == ApiTracing::Launches && !per_call;
  return plan;
}

void setAttributes(const CuptiApi& api, std::vector<SetupIssue>& issues) {
  // One buffer for each thread that calls CUDA: without it they all meet at one lock. Default from 13.0.
  if (api.version >= kCuptiApi12_3 && api.version < kCuptiApi13_0)
    setByte(api, layout::kPerThreadBufferAttribute, "PER_THREAD_ACTIVITY_BUFFER", issues);
  // The pool hands out zeroed buffers, so CUPTI need not clear 2 MiB on the application's thread.
  setByte(api, CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, "ZEROED_OUT_ACTIVITY_BUFFER", issues);
}

void enableActivities(const CuptiApi& api, const ActivityPlan& plan, Moment moment,
                      std::vector<SetupIssue>& issues) {
  for (const CUpti_ActivityKind kind : plan.kinds) enableKind(api, kind, issues);
  if (plan.api == ApiFilter::WholeKinds || (plan.api == ApiFilter::PerCall && moment == Moment::Running)) {
    enableKind(api, CUPTI_ACTIVITY_KIND_RUNTIME, issues);
    enableKind(api, CUPTI_ACTIVITY_KIND_DRIVER, issues);
    if (plan.api == ApiFilter::PerCall) {
      switchOthersOff(api.activity_enable_runtime_api, isRecordedRuntimeApi);
      switchOthersOff(api.activity_enable_driver_api, isRecordedDriverApi);
    }
    if (plan.filter_in_decoder) issues.push_back({"single API calls", CUPTI_SUCCESS, true});
  } else if (plan.api == ApiFilter::PerCall) {
    if (!switchCalls(api.activity_enable_runtime_api, runtimeFamilies(), 1))
      issues.push_back({"cuptiActivityEnableRuntimeApi", CUPTI_ERROR_UNKNOWN});
    if (!switchCalls(api.activity_enable_driver_api, driverFamilies(), 1))
      issues.push_back({"cuptiActivityEnableDriverApi", CUPTI_ERROR_UNKNOWN});
  }
}

void disableActivities(const CuptiApi& api, const ActivityPlan& plan) {
  if (plan.api == ApiFilter::PerCall) {
    switchCalls(api.activity_enable_runtime_api, runtimeFamilies(), 0);
    switchCalls(api.activity_enable_driver_api, driverFamilies(), 0);
  }
  if (plan.api != ApiFilter::None) {  // for single calls too: a window switched the whole kinds on
    api.activity_disable(CUPTI_ACTIVITY_KIND_RUNTIME);
    api.activity_disable(CUPTI_ACTIVITY_KIND_DRIVER);
  }
  // Devices, contexts and streams stay on: they cost nothing while nothing is created and describe later
  // windows.
  for (const CUpti_ActivityKind kind : plan.kinds) {
    if (kind != CUPTI_ACTIVITY_KIND_DEVICE && kind != CUPTI_ACTIVITY_KIND_CONTEXT &&
        kind != CUPTI_ACTIVITY_KIND_STREAM)
      api.activity_disable(kind);
  }
}

}  // namespace perfscope::collector
