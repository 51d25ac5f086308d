// The seam between the stand-in driver and the stand-in CUPTI: what happened on the host and on the device,
// as plain values. In reality it is a private table between libcuda and libcupti.
#pragma once

#include <cstdint>

#include "tests/support/standins/standin_cuda.h"

namespace perfscope::standin {

// Times are CLOCK_REALTIME ns, as CUPTI's default clock on Linux.
struct ApiCall {
  bool driver = false;
  uint32_t callback_id = 0, correlation = 0;
  uint64_t start_ns = 0, end_ns = 0;
  const char* name = "";
  const char* symbol = nullptr;  // kernel name of a launch call
};

enum class Work : uint8_t { Kernel, Memcpy, Memset, PeerCopy };
struct GpuWork {
  Work work = Work::Kernel;
  StandinKernel kernel{};
  uint64_t bytes = 0, start_ns = 0, end_ns = 0, graph_node_id = 0;
  uint32_t device = 0, context = 1, stream = 0, correlation = 0, graph_id = 0, value = 0, peer_device = 0;
  uint8_t copy_kind = 0, src_kind = 0, dst_kind = 0;
  bool asynchronous = true;
};

struct GraphRun {
  uint64_t start_ns = 0, end_ns = 0;
  uint32_t correlation = 0, graph_id = 0, device = 0, context = 1, stream = 0;
};

struct Wait {
  uint32_t type = 0, correlation = 0, context = 1, stream = 0;  // type as CUpti_ActivitySynchronizationType
  uint64_t start_ns = 0, end_ns = 0;
};

struct MemoryEvent {
  bool release = false;
  uint64_t address = 0, bytes = 0, time_ns = 0;
  uint32_t correlation = 0, device = 0, context = 1, stream = 0;
};

// handle and original are the opaque node handles; ids are what cuptiGetGraphNodeId answers for them.
struct GraphNodeEvent {
  const void *graph = nullptr, *original_graph = nullptr;
  const void *node = nullptr, *original_node = nullptr;
};

struct Sink {
  void (*api_enter)(const ApiCall&);
  void (*api_exit)(const ApiCall&);
  void (*gpu_work)(const GpuWork&);
  bool (*wants_graph_runs)();  // graph-level tracing: one GraphRun replaces the nodes' records
  void (*graph_run)(const GraphRun&);
  void (*wait)(const Wait&);
  void (*memory)(const MemoryEvent&);
  void (*context_created)(uint32_t context, uint32_t device);
  void (*stream_created)(uint32_t context, uint32_t stream);
  void (*module_loaded)(uint32_t context, uint32_t module, uint64_t cubin_bytes);
  void (*graph_node)(const GraphNodeEvent&);  // original_node set = cloned by instantiation
  int64_t (*play_back)(const char* path);
};

}  // namespace perfscope::standin

extern "C" {
// Called by the stand-in CUPTI when it is loaded; the sink lives for ever.
void standinAttachSink(const perfscope::standin::Sink* sink);
uint32_t standinDeviceCount(void);
uint32_t standinContextCount(void);  // contexts that exist: ids 1..n, on device id - 1
uint64_t standinGraphNodeId(const void* node);
uint32_t standinGraphId(const void* graph);
// Launches made without an API call of their own: from inside a library stand-in (cuBLAS, NCCL) the runtime
// call is made by the library, so they use standinLaunch too.
uint64_t standinNow(void);
}
