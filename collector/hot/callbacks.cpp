// The C functions that CUPTI calls. No allocation, lock, I/O, exception; the one call back into CUPTI is
// cuptiGetGraphNodeId, which its documentation makes for this place.
#include "collector/hot/callbacks.h"

#include <cstring>

#include "collector/cupti/record_types.h"
#include "collector/process/clock.h"
#include "schemas/spool_format.h"

namespace perfscope::collector {
namespace {

std::atomic<HotState*>& slot() noexcept {
  static constinit std::atomic<HotState*> pointer{nullptr};
  return pointer;
}

void graphNode(HotState& hot, CUpti_CallbackId id, const CUpti_GraphData& graph) noexcept {
  spool::GraphNode record{};
  record.head.kind = spool::Kind::GraphNode;
  record.time_ns = realtimeNs();
  if (hot.api->get_graph_node_id(graph.node, &record.node_id) != CUPTI_SUCCESS) return;
  if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) {
    record.head.flags = 1;
    hot.api->get_graph_node_id(graph.originalNode, &record.original_node_id);
  }
  if (hot.api->get_graph_id != nullptr) hot.api->get_graph_id(graph.graph, &record.graph_id);
  record.node_type = static_cast<uint32_t>(graph.nodeType);
  hot.lanes->push(record);
}

void contextMade(HotState& hot, CUcontext context) noexcept {
  // Contexts are made one at a time under the driver's lock.
  const size_t at = hot.contexts_made.load(std::memory_order_relaxed);
  if (at >= hot.contexts.size()) return;
  hot.contexts[at].store(context, std::memory_order_release);
  hot.contexts_made.store(at + 1, std::memory_order_release);
}

void resource(HotState& hot, CUpti_CallbackId id, const CUpti_ResourceData& data) noexcept {
  if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) return contextMade(hot, data.context);
  if (id != CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED && id != CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) return;
  if (data.resourceDescriptor == nullptr || hot.api->get_graph_node_id == nullptr) return;
  graphNode(hot, id, *static_cast<const CUpti_GraphData*>(data.resourceDescriptor));
}

void backgroundError(HotState& hot, CUpti_CallbackId id, const layout::StateData& data) noexcept {
  if (id == layout::kStateWarning) return;
  hot.losses->count(Loss::BackgroundError);
  uint32_t none = 0;
  if (!hot.background_error.state.compare_exchange_strong(none, 1)) return;
  hot.background_error.code = data.result;
  if (data.message != nullptr)
    std::strncpy(hot.background_error.message, data.message, sizeof(hot.background_error.message) - 1);
  hot.background_error.state.store(2, std::memory_order_release);
}

void profilerApi(HotState& hot, CUpti_CallbackId id, const CUpti_CallbackData& data) noexcept {
  if (data.callbackSite != CUPTI_API_ENTER) return;
  hot.profiler_api_on.store(id == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, std::memory_order_relaxed);
  hot.profiler_api_ns.store(realtimeNs(), std::memory_order_release);
  if (hot.wake != nullptr) hot.wake(hot.wake_self);
}

}  // namespace

void setHotState(HotState* state) noexcept {
  slot().store(state, std::memory_order_release);
}
HotState* hotState() noexcept {
  return slot().load(std::memory_order_acquire);
}

void CUPTIAPI bufferRequested(uint8_t** buffer, size_t* bytes, size_t* max_records) noexcept {
  *buffer = nullptr;
  *bytes = 0;
  *max_records = 0;  // as many as fit
  HotState* hot = hotState();
  if (hot == nullptr) return;
  if (!hot->closing.load(std::memory_order_relaxed)) {
    if (uint8_t* fresh = hot->pool->take()) {
      *buffer = fresh;
      *bytes = hot->pool->bufferBytes();
      hot->buffers_handed_out->fetch_add(1, std::memory_order_relaxed);
      return;
    }
    hot->losses->count(Loss::BuffersDenied);
  }
  if (hot->may_refuse) return;
  size_t spare_bytes = 0;
  *buffer = hot->pool->takeThrowAway(spare_bytes);
  if (*buffer != nullptr) *bytes = spare_bytes;
}

void CUPTIAPI bufferCompleted(CUcontext context, uint32_t stream, uint8_t* buffer, size_t bytes,
                              size_t valid_bytes) noexcept {
  HotState* hot = hotState();
  if (hot == nullptr || buffer == nullptr) return;
  // The queue holds as many entries as there can be buffers; a full one means a foreign pointer, which is
  // dropped.
  if (!hot->ready->tryPush(ReadyBuffer{buffer, bytes, valid_bytes, context, stream}))
    hot->losses->count(Loss::BuffersDenied);
}

void CUPTIAPI eventCallback(void* /*user*/, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                            const void* data) noexcept {
  HotState* hot = hotState();
  if (hot == nullptr || data == nullptr) return;
  switch (domain) {
    case CUPTI_CB_DOMAIN_RESOURCE:
      resource(*hot, id, *static_cast<const CUpti_ResourceData*>(data));
      break;
    case layout::kStateDomain:
      backgroundError(*hot, id, *static_cast<const layout::StateData*>(data));
      break;
    case CUPTI_CB_DOMAIN_DRIVER_API:
      if (id == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart || id == CUPTI_DRIVER_TRACE_CBID_cuProfilerStop)
        profilerApi(*hot, id, *static_cast<const CUpti_CallbackData*>(data));
      else if (hot->launch != nullptr)
        hot->launch(hot->launch_self, id, *static_cast<const CUpti_CallbackData*>(data));
      break;
    default:
      break;
  }
}

}  // namespace perfscope::collector
