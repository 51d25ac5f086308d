// The other end of the seam to the stand-in driver: turns its events into records and callbacks.
#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

#include "tests/support/standins/cupti/misfortune.h"
#include "tests/support/standins/cupti/playback.h"
#include "tests/support/standins/cupti/state.h"

namespace perfscope::standin {
namespace {

bool wants(CUpti_ActivityKind kind) {
  return Cupti::get().kinds[kind].load();
}
CUcontext contextHandle(uint32_t context) {
  return reinterpret_cast<CUcontext>(static_cast<uintptr_t>(context));
}

void apiCallback(const ApiCall& call, CUpti_ApiCallbackSite site) {
  thread_local uint64_t scratch = 0;
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.functionName = call.name;
  data.symbolName = call.symbol;
  data.contextUid = 1;
  data.correlationData = &scratch;
  data.correlationId = call.correlation;
  Cupti::get().notify(call.driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API,
                      call.callback_id, &data);
}

void apiEnter(const ApiCall& call) {
  apiCallback(call, CUPTI_API_ENTER);
}

void apiExit(const ApiCall& call) {
  apiCallback(call, CUPTI_API_EXIT);
  Cupti::get().addApi(call);
}

void reportBackgroundError() {
  static std::atomic<bool> done{false};
  if (!Misfortune::get().background_error || done.exchange(true)) return;
  CUpti_StateData data{};
  data.notification.result = CUPTI_ERROR_HARDWARE;
  data.notification.message = "an error of a background thread";
  Cupti::get().notify(CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_ERROR, &data);
}

void gpuWork(const GpuWork& work) {
  static constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                                  CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
                                                  CUPTI_ACTIVITY_KIND_MEMCPY2};
  reportBackgroundError();
  if (wants(kKinds[static_cast<size_t>(work.work)])) Cupti::get().addWork(work);
}

bool wantsGraphRuns() {
  return wants(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
}

// A graph run is written at once, with the end it will have: its kernels are not reported.
void graphRun(const GraphRun& run) {
  CUpti_ActivityGraphTrace2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  record.correlationId = run.correlation;
  record.start = run.start_ns;
  record.end = run.end_ns;
  record.deviceId = run.device;
  record.graphId = run.graph_id;
  record.contextId = run.context;
  record.streamId = run.stream;
  Cupti::get().add(&record, recordBytes(record.kind));
}

void wait(const Wait& event) {
  if (!wants(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)) return;
  CUpti_ActivitySynchronization2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  record.type = static_cast<CUpti_ActivitySynchronizationType>(event.type);
  record.start = event.start_ns;
  record.end = event.end_ns;
  record.correlationId = event.correlation;
  record.contextId = event.context;
  record.streamId = event.stream;
  record.cudaEventId = static_cast<uint32_t>(CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  Cupti::get().add(&record, recordBytes(record.kind));
}

void memory(const MemoryEvent& event) {
  if (!wants(CUPTI_ACTIVITY_KIND_MEMORY2)) return;
  CUpti_ActivityMemory4 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  record.memoryOperationType = event.release ? CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE
                                             : CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  record.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  record.correlationId = event.correlation;
  record.address = event.address;
  record.bytes = event.bytes;
  record.timestamp = event.time_ns;
  record.processId = static_cast<uint32_t>(::getpid());
  record.deviceId = event.device;
  record.contextId = event.context;
  record.streamId = event.stream;
  Cupti::get().add(&record, recordBytes(record.kind));
}

void writeContext(uint32_t context, uint32_t device) {
  CUpti_ActivityContext3 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
  record.contextId = context;
  record.deviceId = device;
  record.computeApiKind = CUPTI_ACTIVITY_COMPUTE_API_CUDA;
  record.nullStreamId = 0;
  Cupti::get().add(&record, recordBytes(record.kind));
}

void contextCreated(uint32_t context, uint32_t device) {
  Cupti::get().contextMade();
  if (wants(CUPTI_ACTIVITY_KIND_CONTEXT)) writeContext(context, device);
  const CUpti_ResourceData data{contextHandle(context), {}, nullptr};
  Cupti::get().notify(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, &data);
}

void streamCreated(uint32_t context, uint32_t stream) {
  if (!wants(CUPTI_ACTIVITY_KIND_STREAM)) return;
  CUpti_ActivityStream record{};
  record.kind = CUPTI_ACTIVITY_KIND_STREAM;
  record.contextId = context;
  record.streamId = stream;
  record.flag = CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT;
  Cupti::get().add(&record, sizeof record);
}

// Every module is compiled from PTX in 2 ms and then stored.
void playJit(uint32_t module) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const uint64_t end = static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
  CUpti_ActivityJit2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_JIT;
  record.jitEntryType = CUPTI_ACTIVITY_JIT_ENTRY_PTX_TO_CUBIN;
  record.processId = static_cast<uint32_t>(::getpid());
  record.threadId = static_cast<uint32_t>(::gettid());
  record.jitOperationCorrelationId = module;
  record.cacheSize = 1 << 20;
  for (const auto operation :
       {CUPTI_ACTIVITY_JIT_OPERATION_COMPILE, CUPTI_ACTIVITY_JIT_OPERATION_CACHE_STORE}) {
    record.jitOperationType = operation;
    record.start = operation == CUPTI_ACTIVITY_JIT_OPERATION_COMPILE ? end - 3'000'000 : end - 1'000'000;
    record.end = record.start + (operation == CUPTI_ACTIVITY_JIT_OPERATION_COMPILE ? 2'000'000 : 500'000);
    Cupti::get().add(&record, sizeof record);
  }
}

void moduleLoaded(uint32_t context, uint32_t module, uint64_t cubin_bytes) {
  CUpti_ModuleResourceData module_data{module, cubin_bytes, nullptr};
  const CUpti_ResourceData data{contextHandle(context), {}, &module_data};
  Cupti::get().notify(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &data);
  if (wants(CUPTI_ACTIVITY_KIND_JIT)) playJit(module);
  if (!wants(CUPTI_ACTIVITY_KIND_MODULE)) return;
  CUpti_ActivityModule record{};
  record.kind = CUPTI_ACTIVITY_KIND_MODULE;
  record.contextId = context;
  record.id = module;
  record.cubinSize = static_cast<uint32_t>(cubin_bytes);
  Cupti::get().add(&record, sizeof record);
}

void graphNode(const GraphNodeEvent& event) {
  CUpti_GraphData graph{};
  graph.graph = static_cast<CUgraph>(const_cast<void*>(event.graph));
  graph.originalGraph = static_cast<CUgraph>(const_cast<void*>(event.original_graph));
  graph.node = static_cast<CUgraphNode>(const_cast<void*>(event.node));
  graph.originalNode = static_cast<CUgraphNode>(const_cast<void*>(event.original_node));
  graph.nodeType = CU_GRAPH_NODE_TYPE_KERNEL;
  const CUpti_ResourceData data{contextHandle(1), {}, &graph};
  const auto id = event.original_node != nullptr ? CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED
                                                 : CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED;
  Cupti::get().notify(CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

constexpr Sink kSink = {apiEnter, apiExit,        gpuWork,       wantsGraphRuns, graphRun,  wait,
                        memory,   contextCreated, streamCreated, moduleLoaded,   graphNode, playBack};

// Attaches to the driver that is in the process, as the real library does when it is loaded.
[[maybe_unused]] const bool kAttached = [] {
  standinAttachSink(&kSink);
  return true;
}();

}  // namespace
}  // namespace perfscope::standin
