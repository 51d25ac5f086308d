// CUPTI activity records -> spool records: API calls, waiting, memory, and what describes the machine.
#include <cstring>
#include <string_view>

#include "collector/cupti/api_families.h"
#include "collector/cupti/record_decoder.h"
#include "collector/cupti/record_types.h"

namespace perfscope::collector {
namespace {

template <class T>
const T& as(const void* record) noexcept {
  return *static_cast<const T*>(record);
}

}  // namespace

void RecordDecoder::api(const void* record, bool driver) {
  const auto& from = as<layout::Api>(record);
  if (m_options.filter_api && !(driver ? isRecordedDriverApi(from.cbid) : isRecordedRuntimeApi(from.cbid)))
    return;
  if (from.end < from.start) {
    m_losses.count(Loss::InvertedTimestamp);
    return;
  }
  spool::Api to{};
  to.head.kind = spool::Kind::Api;
  to.head.flags = driver ? spool::kFlagDriverApi : 0;
  to.head.thread = from.threadId;
  to.start_ns = from.start;
  to.end_ns = from.end;
  to.correlation = from.correlationId;
  to.callback_id = from.cbid;
  to.return_value = from.returnValue;
  holdApi(to);
}

// A runtime call and the driver call inside it share a correlation; the inner one comes first and only
// repeats what the outer one says. So each record waits in its slot until its slot is wanted by another
// correlation or the buffer ends (both halves are records of one thread, nearly always in one buffer; a pair
// that is split is told by the recorder).
void RecordDecoder::holdApi(const spool::Api& record) {
  spool::Api& held = m_held[record.correlation % kHeld];
  const bool same = held.head.kind == spool::Kind::Api && held.correlation == record.correlation &&
                    held.head.thread == record.head.thread;
  const bool held_is_driver = (held.head.flags & spool::kFlagDriverApi) != 0;
  const bool record_is_driver = (record.head.flags & spool::kFlagDriverApi) != 0;
  if (same && held_is_driver != record_is_driver) {
    if (held_is_driver) held = record;
    return;
  }
  if (held.head.kind == spool::Kind::Api) m_sink.put(held);
  held = record;
}

void RecordDecoder::finishBuffer() {
  for (spool::Api& held : m_held) {
    if (held.head.kind == spool::Kind::Api) m_sink.put(held);
    held.head.kind = spool::Kind::Invalid;
  }
}

void RecordDecoder::synchronization(const void* record) {
  const auto& from = as<layout::Synchronization>(record);
  if (!usable(from.start, from.end)) return;
  spool::Synchronization to{};
  to.head.kind = spool::Kind::Synchronization;
  to.start_ns = from.start;
  to.end_ns = from.end;
  to.correlation = from.correlationId;
  to.stream = from.streamId;
  to.context = from.contextId;
  to.type = static_cast<uint32_t>(from.type);
  to.event_id = from.cudaEventId;
  if (m_options.cupti_version >= layout::kSyncReturnValueSince) {
    to.event_sync_id = layout::fieldAt<uint64_t>(record, layout::kSyncEventSyncIdAt);
    to.return_value = layout::fieldAt<uint32_t>(record, layout::kSyncReturnValueAt);
  }
  m_sink.put(to);
}

void RecordDecoder::memory(const void* record) {
  const auto& from = as<layout::Memory>(record);
  spool::Memory to{};
  to.head.kind = spool::Kind::Memory;
  to.head.flags = from.isAsync != 0 ? spool::kFlagAsync : 0;
  to.time_ns = from.timestamp;
  to.address = from.address;
  to.bytes = from.bytes;
  to.correlation = from.correlationId;
  to.context = from.contextId;
  to.stream = from.streamId;
  to.device = static_cast<uint16_t>(from.deviceId);
  to.operation = static_cast<uint8_t>(from.memoryOperationType);
  to.memory_kind = static_cast<uint8_t>(from.memoryKind);
  to.pool_address = from.memoryPoolConfig.address;
  to.pool_utilized_bytes = from.memoryPoolConfig.utilizedSize;
  m_sink.put(to);
}

void RecordDecoder::overhead(const void* record) {
  const auto& from = as<layout::Overhead>(record);
  if (!usable(from.start, from.end)) return;
  spool::Overhead to{};
  to.head.kind = spool::Kind::Overhead;
  if (from.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD) to.head.thread = from.objectId.pt.threadId;
  to.start_ns = from.start;
  to.end_ns = from.end;
  to.overhead_kind = static_cast<uint32_t>(from.overheadKind);
  to.object_kind = static_cast<uint32_t>(from.objectKind);
  to.object_id = from.objectId.dcs.deviceId;
  if (m_options.cupti_version >= layout::kOverheadCorrelationSince)
    to.correlation = layout::fieldAt<uint32_t>(record, layout::kOverheadCorrelationAt);
  m_sink.put(to);
}

void RecordDecoder::context(const void* record) {
  const auto& from = as<layout::Context>(record);
  spool::Context to{};
  to.head.kind = spool::Kind::Context;
  to.context = from.contextId;
  to.device = from.deviceId;
  to.null_stream = from.nullStreamId;
  if (m_options.cupti_version >= layout::kContextMultiprocessorsSince)
    to.multiprocessors = layout::fieldAt<uint16_t>(record, layout::kContextMultiprocessorsAt);
  m_sink.put(to);
}

void RecordDecoder::stream(const void* record) {
  const auto& from = as<layout::Stream>(record);
  spool::Stream to{};
  to.head.kind = spool::Kind::Stream;
  to.context = from.contextId;
  to.stream = from.streamId;
  to.priority = static_cast<int32_t>(from.priority);
  to.stream_flag = static_cast<uint32_t>(from.flag);
  m_sink.put(to);
}

void RecordDecoder::device(const void* record) {
  const auto& from = as<layout::Device>(record);
  spool::DeviceIdentity to{};
  to.head.kind = spool::Kind::DeviceIdentity;
  to.device = static_cast<uint16_t>(from.id);
  to.cc_major = static_cast<uint16_t>(from.computeCapabilityMajor);
  to.cc_minor = static_cast<uint16_t>(from.computeCapabilityMinor);
  to.mig = from.isMigEnabled;
  to.name_id = m_names.intern(from.name != nullptr ? from.name : "");
  to.ecc = from.eccEnabled;
  static_assert(sizeof(to.uuid) == sizeof(from.uuid));
  std::memcpy(to.uuid, from.isMigEnabled != 0 ? &from.migUuid : &from.uuid, sizeof(to.uuid));
  to.memory_bytes = from.globalMemorySize;
  to.memory_bandwidth_bytes_per_s =
      from.globalMemoryBandwidth * 1000;  // CUPTI: kBytes/s (memory clock in kHz x bus bytes)
  m_sink.put(to);
  spool::DeviceLimits limits{};
  limits.head.kind = spool::Kind::DeviceLimits;
  limits.device = to.device;
  limits.warp_size = static_cast<uint16_t>(from.numThreadsPerWarp);
  limits.sm_count = from.numMultiprocessors;
  limits.core_clock_khz = from.coreClockRate;
  limits.l2_bytes = from.l2CacheSize;
  limits.max_warps_per_sm = from.maxWarpsPerMultiprocessor;
  limits.max_blocks_per_sm = from.maxBlocksPerMultiprocessor;
  limits.shared_bytes_per_sm = from.maxSharedMemoryPerMultiprocessor;
  limits.registers_per_sm = from.maxRegistersPerMultiprocessor;
  limits.shared_bytes_per_block = from.maxSharedMemoryPerBlock;
  limits.max_threads_per_block = from.maxThreadsPerBlock;
  limits.registers_per_block = from.maxRegistersPerBlock;
  limits.memcpy_engines = from.numMemcpyEngines;
  m_sink.put(limits);
}

void RecordDecoder::jit(const void* record) {
  const auto& from = as<layout::Jit>(record);
  if (!usable(from.start, from.end)) return;
  spool::Jit to{};
  to.head.kind = spool::Kind::Jit;
  to.head.thread = from.thread_id;
  to.start_ns = from.start;
  to.end_ns = from.end;
  to.correlation = from.correlation;
  to.device = from.device;
  to.jit_id = from.jit_correlation;
  to.entry = from.entry_type;
  to.operation = from.operation_type;
  to.cache_bytes = from.cache_bytes;
  m_sink.put(to);
}

void RecordDecoder::module(const void* record) {
  const auto& from = as<layout::Module>(record);
  spool::Module to{};
  to.head.kind = spool::Kind::Module;
  to.context = from.contextId;
  to.module_id = from.id;
  to.cubin_bytes = from.cubinSize;
  m_sink.put(to);  // CUPTI gives no time for a module; its load is the API call and the OVERHEAD record
}

}  // namespace perfscope::collector
