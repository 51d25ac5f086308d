// CUPTI activity records -> spool records: GPU work and the switch.
#include "collector/cupti/record_decoder.h"

#include <string_view>

#include "collector/cupti/record_types.h"

namespace perfscope::collector {
namespace {

template <class T>
const T& as(const void* record) noexcept {
  return *static_cast<const T*>(record);  // CUPTI records are 8-byte aligned and packed
}

constexpr uint8_t kCarveoutNotRequested = 255;

spool::LaunchShape launchShape(const layout::Kernel& k) noexcept {
  spool::LaunchShape shape{};
  shape.head.kind = spool::Kind::LaunchShape;
  shape.head.flags = k.launchType == CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE ||
                             k.launchType == CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_MULTI_DEVICE
                         ? 1
                         : 0;
  shape.grid_x = static_cast<uint32_t>(k.gridX);
  shape.grid_y = static_cast<uint32_t>(k.gridY);
  shape.grid_z = static_cast<uint32_t>(k.gridZ);
  shape.block_x = static_cast<uint16_t>(k.blockX);
  shape.block_y = static_cast<uint16_t>(k.blockY);
  shape.block_z = static_cast<uint16_t>(k.blockZ);
  shape.registers_per_thread = k.registersPerThread;
  shape.static_shared_bytes = static_cast<uint32_t>(k.staticSharedMemory);
  shape.dynamic_shared_bytes = static_cast<uint32_t>(k.dynamicSharedMemory);
  shape.shared_executed_bytes = k.sharedMemoryExecuted;
  shape.local_bytes_per_thread = k.localMemoryPerThread;
  shape.cluster_x = static_cast<uint16_t>(k.clusterX);
  shape.cluster_y = static_cast<uint16_t>(k.clusterY);
  shape.cluster_z = static_cast<uint16_t>(k.clusterZ);
  shape.cache_config = k.cacheConfig.both;
  shape.launch_type = k.launchType;
  shape.carveout_requested =
      k.isSharedMemoryCarveoutRequested != 0 ? k.sharedMemoryCarveoutRequested : kCarveoutNotRequested;
  shape.cluster_policy = static_cast<uint8_t>(k.clusterSchedulingPolicy);
  return shape;
}

uint16_t graphFlag(uint64_t graph_node_id) noexcept {
  return graph_node_id != 0 ? spool::kFlagGraphNode : 0;
}

}  // namespace

RecordDecoder::RecordDecoder(RecordSink sink, NameTable& names, ShapeTable& shapes, LossTally& losses,
                             DecoderOptions options)
    : m_sink(sink), m_names(names), m_shapes(shapes), m_losses(losses), m_options(options) {}

void RecordDecoder::decode(const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return kernel(record);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return copy(record);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return peerCopy(record);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return memset(record);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return synchronization(record);
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return api(record, true);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return api(record, false);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return memory(record);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return overhead(record);
    case CUPTI_ACTIVITY_KIND_CONTEXT:
      return context(record);
    case CUPTI_ACTIVITY_KIND_STREAM:
      return stream(record);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return device(record);
    case CUPTI_ACTIVITY_KIND_MODULE:
      return module(record);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return graphTrace(record);
    case CUPTI_ACTIVITY_KIND_DEVICE_ATTRIBUTE:  // come along with DEVICE; the device record says what is
                                                // needed
    case CUPTI_ACTIVITY_KIND_NAME:
      return;
    case layout::kJitKind:
      return jit(record);
    default:
      m_losses.count(Loss::UnknownRecord);
  }
}

bool RecordDecoder::usable(uint64_t start_ns, uint64_t end_ns) noexcept {
  if (start_ns == 0 || end_ns == 0) {
    m_losses.count(Loss::ZeroTimestamp);
    return false;
  }
  if (end_ns < start_ns) {
    m_losses.count(Loss::InvertedTimestamp);
    return false;
  }
  return true;
}

uint32_t RecordDecoder::kernelName(const char* name) noexcept {
  const std::string_view text = name != nullptr ? name : "";
  const uint32_t id = m_names.intern(text);
  if (id > m_highest_name_id) {
    m_highest_name_id = id;
    m_saw_gemm |= text.find("gemm") != std::string_view::npos;
    m_saw_nccl |= text.starts_with("nccl");
  }
  return id;
}

void RecordDecoder::kernel(const void* record) {
  const auto& from = as<layout::Kernel>(record);
  const bool replayed = m_options.replay && from.start == 0 && from.end == 0;
  if (!replayed && !usable(from.start, from.end)) return;
  spool::Kernel to{};
  to.head.kind = spool::Kind::Kernel;
  to.head.flags = graphFlag(from.graphNodeId);
  if (replayed) to.head.flags |= spool::kFlagReplayed;
  if (m_options.cupti_version >= layout::kKernelDeviceLaunchedSince &&
      layout::fieldAt<uint8_t>(record, layout::kKernelDeviceLaunchedAt) != 0)
    to.head.flags |= spool::kFlagDeviceLaunched;
  to.start_ns = from.start;
  to.end_ns = from.end;
  to.correlation = from.correlationId;
  to.stream = from.streamId;
  to.name_id = kernelName(from.name);
  to.shape_id = m_shapes.intern(launchShape(from));
  to.graph_node_id = from.graphNodeId;
  to.graph_id = from.graphId;
  to.context = from.contextId;
  to.device = static_cast<uint16_t>(from.deviceId);
  to.channel = static_cast<uint16_t>(from.channelID);
  m_sink.put(to);
  ++m_gpu_records;
}

void RecordDecoder::copy(const void* record) {
  const auto& from = as<layout::Memcpy>(record);
  if (!usable(from.start, from.end)) return;
  spool::Memcpy to{};
  to.head.kind = spool::Kind::Memcpy;
  to.head.flags = graphFlag(from.graphNodeId);
  if ((from.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0) to.head.flags |= spool::kFlagAsync;
  to.start_ns = from.start;
  to.end_ns = from.end;
  to.bytes = from.bytes;
  to.correlation = from.correlationId;
  to.stream = from.streamId;
  to.context = from.contextId;
  to.graph_id = from.graphId;
  to.graph_node_id = from.graphNodeId;
  to.device = static_cast<uint16_t>(from.deviceId);
  to.copy_kind = from.copyKind;
  to.src_kind = from.srcKind;
  to.dst_kind = from.dstKind;
  to.peer_device = 0xffff;
  m_sink.put(to);
  ++m_gpu_records;
}

void RecordDecoder::peerCopy(const void* record) {
  const auto& from = as<layout::MemcpyPeer>(record);
  if (!usable(from.start, from.end)) return;
  spool::Memcpy to{};
  to.head.kind = spool::Kind::Memcpy;
  to.head.flags = graphFlag(from.graphNodeId);
  if ((from.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0) to.head.flags |= spool::kFlagAsync;
  to.start_ns = from.start;
  to.end_ns = from.end;
  to.bytes = from.bytes;
  to.correlation = from.correlationId;
  to.stream = from.streamId;
  to.context = from.contextId;
  to.graph_id = from.graphId;
  to.graph_node_id = from.graphNodeId;
  to.device = static_cast<uint16_t>(from.srcDeviceId);
  to.copy_kind = from.copyKind;
  to.src_kind = from.srcKind;
  to.dst_kind = from.dstKind;
  to.peer_device = static_cast<uint16_t>(from.dstDeviceId);
  m_sink.put(to);
  ++m_gpu_records;
}

void RecordDecoder::memset(const void* record) {
  const auto& from = as<layout::Memset>(record);
  if (!usable(from.start, from.end)) return;
  spool::Memset to{};
  to.head.kind = spool::Kind::Memset;
  to.head.flags = graphFlag(from.graphNodeId);
  if ((from.flags & CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC) != 0) to.head.flags |= spool::kFlagAsync;
  to.start_ns = from.start;
  to.end_ns = from.end;
  to.bytes = from.bytes;
  to.correlation = from.correlationId;
  to.stream = from.streamId;
  to.context = from.contextId;
  to.graph_id = from.graphId;
  to.graph_node_id = from.graphNodeId;
  to.device = static_cast<uint16_t>(from.deviceId);
  to.memory_kind = from.memoryKind;
  to.value = from.value;
  m_sink.put(to);
  ++m_gpu_records;
}

void RecordDecoder::graphTrace(const void* record) {
  const auto& from = as<layout::GraphTrace>(record);
  if (!usable(from.start, from.end)) return;
  spool::GraphLaunch to{};
  to.head.kind = spool::Kind::GraphLaunch;
  to.start_ns = from.start;
  to.end_ns = from.end;
  to.correlation = from.correlationId;
  to.stream = from.streamId;
  to.context = from.contextId;
  to.graph_id = from.graphId;
  to.device = static_cast<uint16_t>(from.deviceId);
  m_sink.put(to);
  ++m_gpu_records;
}

}  // namespace perfscope::collector
