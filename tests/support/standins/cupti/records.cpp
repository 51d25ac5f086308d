// Values of the stand-in device as CUPTI records, in the layout of the version that is played: 13.x or 12.x.
#include <cstring>

#include "tests/support/standins/cupti/misfortune.h"
#include "tests/support/standins/cupti/state.h"

namespace perfscope::standin {
namespace {

bool before13() {
  return Misfortune::get().version < 130000;
}

template <typename Record>
void buildKernel(const GpuWork& work, Record& record) {
  const StandinKernel& kernel = work.kernel;
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.registersPerThread = static_cast<uint16_t>(kernel.registers);
  record.start = work.start_ns;
  record.end = work.end_ns;
  record.completed = work.end_ns;
  record.deviceId = work.device;
  record.contextId = work.context;
  record.streamId = work.stream;
  record.gridX = static_cast<int32_t>(kernel.grid[0]);
  record.gridY = static_cast<int32_t>(kernel.grid[1]);
  record.gridZ = static_cast<int32_t>(kernel.grid[2]);
  record.blockX = static_cast<int32_t>(kernel.block[0]);
  record.blockY = static_cast<int32_t>(kernel.block[1]);
  record.blockZ = static_cast<int32_t>(kernel.block[2]);
  record.staticSharedMemory = static_cast<int32_t>(kernel.static_shared_bytes);
  record.dynamicSharedMemory = static_cast<int32_t>(kernel.dynamic_shared_bytes);
  record.sharedMemoryExecuted = kernel.static_shared_bytes + kernel.dynamic_shared_bytes + 1024;
  record.correlationId = work.correlation;
  record.name = kernel.name;
  record.graphNodeId = work.graph_node_id;
  record.graphId = work.graph_id;
  record.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
  record.clusterX = kernel.cluster[0];
  record.clusterY = kernel.cluster[1];
  record.clusterZ = kernel.cluster[2];
}

template <typename Record>
void buildCopy(const GpuWork& work, Record& record) {
  record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  record.copyKind = work.copy_kind;
  record.srcKind = work.src_kind;
  record.dstKind = work.dst_kind;
  record.flags = work.asynchronous ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : 0;
  record.bytes = work.bytes;
  record.start = work.start_ns;
  record.end = work.end_ns;
  record.deviceId = work.device;
  record.contextId = work.context;
  record.streamId = work.stream;
  record.correlationId = work.correlation;
  record.runtimeCorrelationId = work.correlation;
  record.channelType = CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY;
}

void buildPeerCopy(const GpuWork& work, CUpti_ActivityMemcpyPtoP4& record) {
  record.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  record.copyKind = work.copy_kind;
  record.srcKind = work.src_kind;
  record.dstKind = work.dst_kind;
  record.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  record.bytes = work.bytes;
  record.start = work.start_ns;
  record.end = work.end_ns;
  record.deviceId = work.device;
  record.contextId = work.context;
  record.streamId = work.stream;
  record.srcDeviceId = work.device;
  record.srcContextId = work.context;
  record.dstDeviceId = work.peer_device;
  record.dstContextId = work.peer_device + 1;
  record.correlationId = work.correlation;
}

void buildMemset(const GpuWork& work, CUpti_ActivityMemset4& record) {
  record.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  record.value = work.value;
  record.bytes = work.bytes;
  record.start = work.start_ns;
  record.end = work.end_ns;
  record.deviceId = work.device;
  record.contextId = work.context;
  record.streamId = work.stream;
  record.correlationId = work.correlation;
  record.flags = CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC;
  record.memoryKind = work.dst_kind;
}

template <typename Record, typename Build>
size_t place(RecordBytes& out, Build build) {
  Record record{};
  build(record);
  static_assert(sizeof record <= sizeof(RecordBytes));
  std::memcpy(out.data(), &record, sizeof record);
  return sizeof record;
}

}  // namespace

size_t buildWork(const GpuWork& work, RecordBytes& out) {
  switch (work.work) {
    case Work::Kernel:
      return before13()
                 ? place<CUpti_ActivityKernel9>(out, [&](auto& record) { buildKernel(work, record); })
                 : place<CUpti_ActivityKernel10>(out, [&](auto& record) { buildKernel(work, record); });
    case Work::Memcpy:
      return before13() ? place<CUpti_ActivityMemcpy5>(out, [&](auto& record) { buildCopy(work, record); })
                        : place<CUpti_ActivityMemcpy6>(out, [&](auto& record) { buildCopy(work, record); });
    case Work::PeerCopy:
      return place<CUpti_ActivityMemcpyPtoP4>(out, [&](auto& record) { buildPeerCopy(work, record); });
    case Work::Memset:
      return place<CUpti_ActivityMemset4>(out, [&](auto& record) { buildMemset(work, record); });
  }
  return 0;
}

size_t recordBytes(uint32_t kind) {
  const bool old = before13();
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return old ? sizeof(CUpti_ActivityKernel9) : sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return old ? sizeof(CUpti_ActivityMemcpy5) : sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return sizeof(CUpti_ActivityMemcpyPtoP4);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return old ? sizeof(CUpti_ActivitySynchronization) : sizeof(CUpti_ActivitySynchronization2);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return old ? sizeof(CUpti_ActivityOverhead2) : sizeof(CUpti_ActivityOverhead3);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return old ? sizeof(CUpti_ActivityDevice4) : sizeof(CUpti_ActivityDevice5);
    case CUPTI_ACTIVITY_KIND_CONTEXT:
      return old ? sizeof(CUpti_ActivityContext) : sizeof(CUpti_ActivityContext3);
    case CUPTI_ACTIVITY_KIND_STREAM:
      return sizeof(CUpti_ActivityStream);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return old ? sizeof(CUpti_ActivityMemory3) : sizeof(CUpti_ActivityMemory4);
    case CUPTI_ACTIVITY_KIND_MODULE:
      return sizeof(CUpti_ActivityModule);
    case CUPTI_ACTIVITY_KIND_JIT:
      return sizeof(CUpti_ActivityJit2);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return old ? sizeof(CUpti_ActivityGraphTrace) : sizeof(CUpti_ActivityGraphTrace2);
    case CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS:
      return sizeof(CUpti_ActivityMemDecompress);
    case CUPTI_ACTIVITY_KIND_NAME:
      return sizeof(CUpti_ActivityName);
    default:
      return 0;
  }
}

}  // namespace perfscope::standin
