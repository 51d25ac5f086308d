// Tables of what the GPU did: kernels, copies, fills, waits, memory, and the names and shapes they share.
#pragma once

#include "schemas/table.h"

namespace perfscope {

struct KernelNameRow {
  int64_t id = 0;
  std::string mangled;
  std::string demangled;
  std::string short_name;
};
template <>
struct TableOf<KernelNameRow> {
  static constexpr std::string_view kName = "kernel_name";
  static constexpr std::string_view kDoc = "Kernel names";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &KernelNameRow::id, "primary key"),
      column("mangled", &KernelNameRow::mangled, "as CUPTI gave it"),
      column("demangled", &KernelNameRow::demangled, "readable form"),
      column("short_name", &KernelNameRow::short_name, "without template arguments and parameters"));
};

struct LaunchShapeRow {
  int64_t id = 0;
  int64_t grid_x = 0;
  int64_t grid_y = 0;
  int64_t grid_z = 0;
  int64_t block_x = 0;
  int64_t block_y = 0;
  int64_t block_z = 0;
  int64_t registers_per_thread = 0;
  int64_t static_shared_bytes = 0;
  int64_t dynamic_shared_bytes = 0;
  std::optional<int64_t> shared_executed_bytes;
  int64_t local_bytes_per_thread = 0;
  int64_t cluster_x = 0;
  int64_t cluster_y = 0;
  int64_t cluster_z = 0;
  int64_t cache_config = 0;
  int64_t launch_type = 0;
  std::optional<int64_t> carveout_percent;
};
template <>
struct TableOf<LaunchShapeRow> {
  static constexpr std::string_view kName = "launch_shape";
  static constexpr std::string_view kDoc = "Interned launch configurations";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &LaunchShapeRow::id, "primary key"), column("grid_x", &LaunchShapeRow::grid_x, "blocks"),
      column("grid_y", &LaunchShapeRow::grid_y, "blocks"),
      column("grid_z", &LaunchShapeRow::grid_z, "blocks"),
      column("block_x", &LaunchShapeRow::block_x, "threads"),
      column("block_y", &LaunchShapeRow::block_y, "threads"),
      column("block_z", &LaunchShapeRow::block_z, "threads"),
      column("registers_per_thread", &LaunchShapeRow::registers_per_thread, "32-bit registers"),
      column("static_shared_bytes", &LaunchShapeRow::static_shared_bytes, "per block"),
      column("dynamic_shared_bytes", &LaunchShapeRow::dynamic_shared_bytes, "per block"),
      column("shared_executed_bytes", &LaunchShapeRow::shared_executed_bytes,
             "shared memory configured on the SM"),
      column("local_bytes_per_thread", &LaunchShapeRow::local_bytes_per_thread,
             "local memory (spills and arrays)"),
      column("cluster_x", &LaunchShapeRow::cluster_x, "blocks; 0 = no cluster"),
      column("cluster_y", &LaunchShapeRow::cluster_y, "blocks"),
      column("cluster_z", &LaunchShapeRow::cluster_z, "blocks"),
      column("cache_config", &LaunchShapeRow::cache_config, "CUPTI cache configuration"),
      column("launch_type", &LaunchShapeRow::launch_type,
             "CUPTI launch type: 0 regular, 1 cooperative, 2 cooperative multi-device, 3 device-side"),
      column("carveout_percent", &LaunchShapeRow::carveout_percent, "requested shared-memory carve-out"));
};

struct KernelRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t device_id = 0;
  int64_t context = 0;
  int64_t stream = 0;
  int64_t name_id = 0;
  int64_t shape_id = 0;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t correlation_id = 0;
  std::optional<int64_t> launch_start_ns;
  std::optional<int64_t> launch_duration_ns;
  std::optional<int64_t> launch_thread_id;
  std::optional<int64_t> graph_id;
  std::optional<int64_t> graph_node_id;
};
template <>
struct TableOf<KernelRow> {
  static constexpr std::string_view kName = "kernel";
  static constexpr std::string_view kDoc =
      "Kernel executions. launch_* is NULL when the launch call is a graph launch (join api_call on "
      "process_id, correlation_id) or was not seen";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &KernelRow::id, "primary key"), column("process_id", &KernelRow::process_id, "process"),
      column("device_id", &KernelRow::device_id, "device"),
      column("context", &KernelRow::context, "CUPTI context id"),
      column("stream", &KernelRow::stream, "CUPTI stream id"),
      column("name_id", &KernelRow::name_id, "kernel_name"),
      column("shape_id", &KernelRow::shape_id, "launch_shape"),
      column("start_ns", &KernelRow::start_ns, "start on the device"),
      column("duration_ns", &KernelRow::duration_ns, "end - start"),
      column("correlation_id", &KernelRow::correlation_id, "of the API call"),
      column("launch_start_ns", &KernelRow::launch_start_ns, "start of the API call that launched it"),
      column("launch_duration_ns", &KernelRow::launch_duration_ns, "duration of that call"),
      column("launch_thread_id", &KernelRow::launch_thread_id, "thread that made it"),
      column("graph_id", &KernelRow::graph_id, "CUDA graph (executable) it was part of"),
      column("graph_node_id", &KernelRow::graph_node_id, "node of that graph"));
};

struct MemcpyRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t device_id = 0;
  int64_t context = 0;
  int64_t stream = 0;
  int64_t kind = 0;
  int64_t src_kind = 0;
  int64_t dst_kind = 0;
  int64_t bytes = 0;
  int64_t asynchronous = 0;
  std::optional<int64_t> peer_device_id;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t correlation_id = 0;
  std::optional<int64_t> launch_start_ns;
  std::optional<int64_t> launch_duration_ns;
  std::optional<int64_t> launch_thread_id;
  std::optional<int64_t> graph_id;
  std::optional<int64_t> graph_node_id;
};
template <>
struct TableOf<MemcpyRow> {
  static constexpr std::string_view kName = "memcpy";
  static constexpr std::string_view kDoc = "Copies, peer copies included";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &MemcpyRow::id, "primary key"), column("process_id", &MemcpyRow::process_id, "process"),
      column("device_id", &MemcpyRow::device_id, "device"),
      column("context", &MemcpyRow::context, "CUPTI context id"),
      column("stream", &MemcpyRow::stream, "CUPTI stream id"),
      column(
          "kind", &MemcpyRow::kind,
          "CUPTI copy kind: 1 HtoD, 2 DtoH, 3 HtoA, 4 AtoH, 5 AtoA, 6 AtoD, 7 DtoA, 8 DtoD, 9 HtoH, 10 PtoP"),
      column("src_kind", &MemcpyRow::src_kind,
             "CUPTI memory kind: 1 pageable, 2 pinned, 3 device, 4 array, 5 managed"),
      column("dst_kind", &MemcpyRow::dst_kind, "CUPTI memory kind"),
      column("bytes", &MemcpyRow::bytes, "size"),
      column("asynchronous", &MemcpyRow::asynchronous, "1 = issued by an asynchronous call"),
      column("peer_device_id", &MemcpyRow::peer_device_id, "destination device of a peer copy"),
      column("start_ns", &MemcpyRow::start_ns, "start on the device"),
      column("duration_ns", &MemcpyRow::duration_ns, "end - start"),
      column("correlation_id", &MemcpyRow::correlation_id, "of the API call"),
      column("launch_start_ns", &MemcpyRow::launch_start_ns, "start of the API call that launched it"),
      column("launch_duration_ns", &MemcpyRow::launch_duration_ns, "duration of that call"),
      column("launch_thread_id", &MemcpyRow::launch_thread_id, "thread that made it"),
      column("graph_id", &MemcpyRow::graph_id, "CUDA graph (executable) it was part of"),
      column("graph_node_id", &MemcpyRow::graph_node_id, "node of that graph"));
};

struct MemsetRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t device_id = 0;
  int64_t context = 0;
  int64_t stream = 0;
  int64_t memory_kind = 0;
  int64_t bytes = 0;
  int64_t value = 0;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t correlation_id = 0;
  std::optional<int64_t> launch_start_ns;
  std::optional<int64_t> launch_duration_ns;
  std::optional<int64_t> launch_thread_id;
  std::optional<int64_t> graph_id;
  std::optional<int64_t> graph_node_id;
};
template <>
struct TableOf<MemsetRow> {
  static constexpr std::string_view kName = "memset";
  static constexpr std::string_view kDoc = "Memory fills";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &MemsetRow::id, "primary key"), column("process_id", &MemsetRow::process_id, "process"),
      column("device_id", &MemsetRow::device_id, "device"),
      column("context", &MemsetRow::context, "CUPTI context id"),
      column("stream", &MemsetRow::stream, "CUPTI stream id"),
      column("memory_kind", &MemsetRow::memory_kind, "CUPTI memory kind"),
      column("bytes", &MemsetRow::bytes, "size"), column("value", &MemsetRow::value, "the value"),
      column("start_ns", &MemsetRow::start_ns, "start on the device"),
      column("duration_ns", &MemsetRow::duration_ns, "end - start"),
      column("correlation_id", &MemsetRow::correlation_id, "of the API call"),
      column("launch_start_ns", &MemsetRow::launch_start_ns, "start of the API call that launched it"),
      column("launch_duration_ns", &MemsetRow::launch_duration_ns, "duration of that call"),
      column("launch_thread_id", &MemsetRow::launch_thread_id, "thread that made it"),
      column("graph_id", &MemsetRow::graph_id, "CUDA graph (executable) it was part of"),
      column("graph_node_id", &MemsetRow::graph_node_id, "node of that graph"));
};

struct GraphLaunchRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t device_id = 0;
  int64_t context = 0;
  int64_t stream = 0;
  int64_t graph_id = 0;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t correlation_id = 0;
};
template <>
struct TableOf<GraphLaunchRow> {
  static constexpr std::string_view kName = "graph_launch";
  static constexpr std::string_view kDoc = "Opaque CUDA-graph executions (graph-level tracing only)";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns =
      std::make_tuple(column("id", &GraphLaunchRow::id, "primary key"),
                      column("process_id", &GraphLaunchRow::process_id, "process"),
                      column("device_id", &GraphLaunchRow::device_id, "device"),
                      column("context", &GraphLaunchRow::context, "CUPTI context id"),
                      column("stream", &GraphLaunchRow::stream, "CUPTI stream id"),
                      column("graph_id", &GraphLaunchRow::graph_id, "CUDA graph"),
                      column("start_ns", &GraphLaunchRow::start_ns, "start on the device"),
                      column("duration_ns", &GraphLaunchRow::duration_ns, "end - start"),
                      column("correlation_id", &GraphLaunchRow::correlation_id, "of the API call"));
};

struct SynchronizationRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t type = 0;
  int64_t context = 0;
  std::optional<int64_t> stream;
  std::optional<int64_t> event_id;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t correlation_id = 0;
};
template <>
struct TableOf<SynchronizationRow> {
  static constexpr std::string_view kName = "synchronization";
  static constexpr std::string_view kDoc = "Host or stream waits";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns =
      std::make_tuple(column("id", &SynchronizationRow::id, "primary key"),
                      column("process_id", &SynchronizationRow::process_id, "process"),
                      column("type", &SynchronizationRow::type,
                             "CUPTI: 1 event, 2 stream waits for event, 3 stream, 4 context"),
                      column("context", &SynchronizationRow::context, "CUPTI context id"),
                      column("stream", &SynchronizationRow::stream, "CUPTI stream id"),
                      column("event_id", &SynchronizationRow::event_id, "CUDA event"),
                      column("start_ns", &SynchronizationRow::start_ns, "wait began"),
                      column("duration_ns", &SynchronizationRow::duration_ns, "length of the wait"),
                      column("correlation_id", &SynchronizationRow::correlation_id, "of the API call"));
};

struct MemoryEventRow {
  int64_t id = 0;
  int64_t process_id = 0;
  std::optional<int64_t> device_id;
  int64_t time_ns = 0;
  int64_t operation = 0;
  int64_t memory_kind = 0;
  int64_t bytes = 0;
  int64_t address = 0;
  int64_t correlation_id = 0;
  std::optional<int64_t> pool_address;
  std::optional<int64_t> pool_utilized_bytes;
};
template <>
struct TableOf<MemoryEventRow> {
  static constexpr std::string_view kName = "memory_event";
  static constexpr std::string_view kDoc = "Device and pinned memory: allocations and frees";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &MemoryEventRow::id, "primary key"),
      column("process_id", &MemoryEventRow::process_id, "process"),
      column("device_id", &MemoryEventRow::device_id, "device"),
      column("time_ns", &MemoryEventRow::time_ns, "when"),
      column("operation", &MemoryEventRow::operation, "1 allocation, 2 release"),
      column("memory_kind", &MemoryEventRow::memory_kind, "CUPTI memory kind"),
      column("bytes", &MemoryEventRow::bytes, "size"), column("address", &MemoryEventRow::address, "address"),
      column("correlation_id", &MemoryEventRow::correlation_id, "of the API call"),
      column("pool_address", &MemoryEventRow::pool_address, "memory pool"),
      column("pool_utilized_bytes", &MemoryEventRow::pool_utilized_bytes, "pool bytes in use afterwards"));
};

struct OverheadRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t kind = 0;
  std::optional<int64_t> thread;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  std::optional<int64_t> correlation_id;
};
template <>
struct TableOf<OverheadRow> {
  static constexpr std::string_view kName = "overhead";
  static constexpr std::string_view kDoc = "Time spent by CUPTI or the driver for reasons of their own";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns =
      std::make_tuple(column("id", &OverheadRow::id, "primary key"),
                      column("process_id", &OverheadRow::process_id, "process"),
                      column("kind", &OverheadRow::kind, "CUPTI overhead kind"),
                      column("thread", &OverheadRow::thread, "system thread id where known"),
                      column("start_ns", &OverheadRow::start_ns, "start"),
                      column("duration_ns", &OverheadRow::duration_ns, "length"),
                      column("correlation_id", &OverheadRow::correlation_id, "API call it happened in"));
};

struct ModuleEventRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t context = 0;
  int64_t module = 0;
  int64_t time_ns = 0;
  int64_t unload = 0;
  std::optional<int64_t> cubin_bytes;
};
template <>
struct TableOf<ModuleEventRow> {
  static constexpr std::string_view kName = "module_event";
  static constexpr std::string_view kDoc = "Module loads, unloads and JIT";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns =
      std::make_tuple(column("id", &ModuleEventRow::id, "primary key"),
                      column("process_id", &ModuleEventRow::process_id, "process"),
                      column("context", &ModuleEventRow::context, "CUPTI context id"),
                      column("module", &ModuleEventRow::module, "module id"),
                      column("time_ns", &ModuleEventRow::time_ns, "when"),
                      column("unload", &ModuleEventRow::unload, "1 = unload"),
                      column("cubin_bytes", &ModuleEventRow::cubin_bytes, "size of the code"));
};

struct JitEventRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t device = 0;
  std::optional<int64_t> thread;
  std::string operation;
  std::string entry;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  std::optional<int64_t> correlation_id;
  int64_t jit_id = 0;
  std::optional<int64_t> cache_bytes;
};
template <>
struct TableOf<JitEventRow> {
  static constexpr std::string_view kName = "jit_event";
  static constexpr std::string_view kDoc =
      "GPU code compiled at run time (JIT), and its loads and stores in the compute cache; CUDA 12.8 and "
      "newer";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &JitEventRow::id, "primary key"),
      column("process_id", &JitEventRow::process_id, "process"),
      column("device", &JitEventRow::device, "CUDA ordinal in its process"),
      column("thread", &JitEventRow::thread, "system thread id where known"),
      column("operation", &JitEventRow::operation, "compile, cache_load or cache_store"),
      column("entry", &JitEventRow::entry, "ptx_to_cubin or nvvm_to_ptx"),
      column("start_ns", &JitEventRow::start_ns, "start"),
      column("duration_ns", &JitEventRow::duration_ns, "length"),
      column("correlation_id", &JitEventRow::correlation_id, "API call it happened in"),
      column("jit_id", &JitEventRow::jit_id, "the same for a unit's compilation, loads and stores"),
      column("cache_bytes", &JitEventRow::cache_bytes, "size of the compute cache"));
};

struct GraphNodeRow {
  int64_t id = 0;
  int64_t process_id = 0;
  int64_t graph_id = 0;
  int64_t node_id = 0;
  std::optional<int64_t> original_node_id;
  int64_t thread_id = 0;
  int64_t time_ns = 0;
};
template <>
struct TableOf<GraphNodeRow> {
  static constexpr std::string_view kName = "graph_node";
  static constexpr std::string_view kDoc = "Where CUDA-graph nodes were made";
  static constexpr std::string_view kKey{};
  static constexpr auto kColumns = std::make_tuple(
      column("id", &GraphNodeRow::id, "primary key"),
      column("process_id", &GraphNodeRow::process_id, "process"),
      column("graph_id", &GraphNodeRow::graph_id, "graph"), column("node_id", &GraphNodeRow::node_id, "node"),
      column("original_node_id", &GraphNodeRow::original_node_id, "node it was cloned from"),
      column("thread_id", &GraphNodeRow::thread_id, "capturing thread"),
      column("time_ns", &GraphNodeRow::time_ns, "when"));
};

}  // namespace perfscope
