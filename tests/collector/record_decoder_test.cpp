// The decoder on hand-made CUPTI records: every kind, and the odd ones.
#include "collector/cupti/record_decoder.h"

#include <gtest/gtest.h>

#include "tests/collector/spool_reading.h"
#include "tests/support/fake_cupti.h"

namespace perfscope::collector {
namespace {

using spool::Kind;

struct Decoding {
  test::Records records;
  LossTally losses;
  NameTable names{records.sink(), losses};
  ShapeTable shapes{records.sink(), losses};
  RecordDecoder decoder;

  explicit Decoding(DecoderOptions options = {130001, false})
      : decoder(records.sink(), names, shapes, losses, options) {}

  // Walks the buffer as the drain thread does.
  void decode(test::BufferBuilder& buffer) {
    CUpti_Activity* record = nullptr;
    while (test::fakeGetNextRecord(buffer.data(), buffer.size(), &record) == CUPTI_SUCCESS)
      decoder.decode(record);
    decoder.finishBuffer();
  }
};

test::BufferBuilder oneKernel() {
  test::BufferBuilder buffer;
  auto& k = buffer.addKernel("vectorAdd", 1000, 3000, 42);
  k.deviceId = 3;
  k.contextId = 2;
  k.streamId = 17;
  k.gridX = 64;
  k.gridY = 2;
  k.blockX = 256;
  k.registersPerThread = 40;
  k.staticSharedMemory = 1024;
  k.dynamicSharedMemory = 49152;
  k.sharedMemoryExecuted = 102400;
  k.localMemoryPerThread = 16;
  k.launchType = CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE;
  k.isSharedMemoryCarveoutRequested = 1;
  k.sharedMemoryCarveoutRequested = 50;
  k.clusterX = 2;
  k.clusterY = k.clusterZ = 1;
  k.clusterSchedulingPolicy = 1;
  k.graphNodeId = 0x500000007;
  k.graphId = 9;
  k.channelID = 5;
  k.isDeviceLaunched = 1;
  return buffer;
}

TEST(RecordDecoder, KernelKeepsEveryField) {
  Decoding d;
  auto buffer = oneKernel();
  d.decode(buffer);
  const auto kernels = d.records.of<spool::Kernel>(Kind::Kernel);
  ASSERT_EQ(kernels.size(), 1U);
  const auto& k = kernels[0];
  EXPECT_EQ(k.start_ns, 1000U);
  EXPECT_EQ(k.end_ns, 3000U);
  EXPECT_EQ(k.correlation, 42U);
  EXPECT_EQ(k.stream, 17U);
  EXPECT_EQ(k.context, 2U);
  EXPECT_EQ(k.device, 3U);
  EXPECT_EQ(k.channel, 5U);
  EXPECT_EQ(k.graph_node_id, 0x500000007U);
  EXPECT_EQ(k.graph_id, 9U);
  EXPECT_EQ(k.head.flags, spool::kFlagGraphNode | spool::kFlagDeviceLaunched);
  EXPECT_EQ(d.records.text(k.name_id), "vectorAdd");
  EXPECT_EQ(d.decoder.gpuRecords(), 1U);
}

TEST(RecordDecoder, LaunchShapeIsWrittenBeforeTheKernelAndComplete) {
  Decoding d;
  auto buffer = oneKernel();
  d.decode(buffer);
  const auto shapes = d.records.of<spool::LaunchShape>(Kind::LaunchShape);
  ASSERT_EQ(shapes.size(), 1U);
  const auto& s = shapes[0];
  EXPECT_EQ(s.shape_id, d.records.of<spool::Kernel>(Kind::Kernel)[0].shape_id);
  EXPECT_EQ(s.head.flags, 1U);  // cooperative
  EXPECT_EQ(s.grid_x, 64U);
  EXPECT_EQ(s.grid_y, 2U);
  EXPECT_EQ(s.block_x, 256U);
  EXPECT_EQ(s.registers_per_thread, 40U);
  EXPECT_EQ(s.static_shared_bytes, 1024U);
  EXPECT_EQ(s.dynamic_shared_bytes, 49152U);
  EXPECT_EQ(s.shared_executed_bytes, 102400U);
  EXPECT_EQ(s.local_bytes_per_thread, 16U);
  EXPECT_EQ(s.carveout_requested, 50U);
  EXPECT_EQ(s.cluster_x, 2U);
  EXPECT_EQ(s.cluster_policy, 1U);
  EXPECT_EQ(test::Records::kindOf(d.records.all.back()), Kind::Kernel);
}

TEST(RecordDecoder, OlderCuptiHasNoDeviceLaunchedField) {
  Decoding d({28, false});  // 12.9: the byte behind the record belongs to the next one
  auto buffer = oneKernel();
  d.decode(buffer);
  EXPECT_EQ(d.records.of<spool::Kernel>(Kind::Kernel)[0].head.flags, spool::kFlagGraphNode);
}

TEST(RecordDecoder, CarveoutNotRequestedIsTold) {
  Decoding d;
  test::BufferBuilder buffer;
  buffer.addKernel("k", 1, 2).sharedMemoryCarveoutRequested = 30;  // meaningless without the flag
  d.decode(buffer);
  EXPECT_EQ(d.records.of<spool::LaunchShape>(Kind::LaunchShape)[0].carveout_requested, 255U);
}

TEST(RecordDecoder, EqualNamesAndShapesAreWrittenOnce) {
  Decoding d;
  test::BufferBuilder buffer;
  for (uint32_t i = 0; i < 5; ++i) buffer.addKernel(i % 2 == 0 ? "even" : "odd", 10 + i, 20 + i, i);
  d.decode(buffer);
  EXPECT_EQ(d.records.count(Kind::Kernel), 5U);
  EXPECT_EQ(d.records.count(Kind::StringChunk), 2U);
  EXPECT_EQ(d.records.count(Kind::LaunchShape), 1U);
}

TEST(RecordDecoder, RecordsWithoutTimesAreCountedNotWritten) {
  Decoding d;
  test::BufferBuilder buffer;
  buffer.addKernel("no start", 0, 5);
  buffer.addKernel("still running at a forced flush", 5, 0);
  buffer.addKernel("backwards", 9, 5);
  buffer.addKernel("instant", 5, 5);  // a length of 0 is a value
  auto& copy = buffer.add<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY);
  copy.start = copy.end = 0;
  d.decode(buffer);
  EXPECT_EQ(d.records.count(Kind::Kernel), 1U);
  EXPECT_EQ(d.records.count(Kind::Memcpy), 0U);
  EXPECT_EQ(d.losses.value(Loss::ZeroTimestamp), 3U);
  EXPECT_EQ(d.losses.value(Loss::InvertedTimestamp), 1U);
}

TEST(RecordDecoder, Copies) {
  Decoding d;
  test::BufferBuilder buffer;
  auto& copy = buffer.add<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY);
  copy.start = 10;
  copy.end = 30;
  copy.bytes = 4096;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  copy.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  copy.correlationId = 5;
  copy.streamId = 7;
  copy.deviceId = 1;
  auto& peer = buffer.add<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2);
  peer.start = 40;
  peer.end = 50;
  peer.bytes = 1 << 20;
  peer.deviceId = 0;
  peer.srcDeviceId = 2;
  peer.dstDeviceId = 3;
  peer.correlationId = 6;
  d.decode(buffer);
  const auto copies = d.records.of<spool::Memcpy>(Kind::Memcpy);
  ASSERT_EQ(copies.size(), 2U);
  EXPECT_EQ(copies[0].bytes, 4096U);
  EXPECT_EQ(copies[0].copy_kind, 1U);
  EXPECT_EQ(copies[0].src_kind, 2U);
  EXPECT_EQ(copies[0].dst_kind, 3U);
  EXPECT_EQ(copies[0].head.flags, spool::kFlagAsync);
  EXPECT_EQ(copies[0].device, 1U);
  EXPECT_EQ(copies[0].peer_device, 0xffffU);
  EXPECT_EQ(copies[1].device, 2U);  // the source, whichever device's record it is
  EXPECT_EQ(copies[1].peer_device, 3U);
  EXPECT_EQ(copies[1].correlation, 6U);
}

TEST(RecordDecoder, MemsetAndMemoryAndSynchronization) {
  Decoding d;
  test::BufferBuilder buffer;
  auto& set = buffer.add<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  set.start = 1;
  set.end = 2;
  set.bytes = 77;
  set.value = 0xab;
  set.memoryKind = 3;
  auto& memory = buffer.add<CUpti_ActivityMemory4>(CUPTI_ACTIVITY_KIND_MEMORY2);
  memory.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  memory.address = 0x7f00;
  memory.bytes = 1 << 20;
  memory.timestamp = 99;
  memory.isAsync = 1;
  memory.memoryPoolConfig.utilizedSize = 123;
  auto& sync = buffer.add<CUpti_ActivitySynchronization2>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  sync.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
  sync.start = 5;
  sync.end = 6;
  sync.streamId = 8;
  sync.cudaEventSyncId = 55;
  sync.returnValue = 1;
  d.decode(buffer);
  const auto sets = d.records.of<spool::Memset>(Kind::Memset);
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_EQ(sets[0].bytes, 77U);
  EXPECT_EQ(sets[0].value, 0xabU);
  EXPECT_EQ(sets[0].memory_kind, 3U);
  const auto memories = d.records.of<spool::Memory>(Kind::Memory);
  ASSERT_EQ(memories.size(), 1U);
  EXPECT_EQ(memories[0].operation, 1U);
  EXPECT_EQ(memories[0].address, 0x7f00U);
  EXPECT_EQ(memories[0].pool_utilized_bytes, 123U);
  const auto syncs = d.records.of<spool::Synchronization>(Kind::Synchronization);
  ASSERT_EQ(syncs.size(), 1U);
  EXPECT_EQ(syncs[0].type, 3U);
  EXPECT_EQ(syncs[0].event_sync_id, 55U);
  EXPECT_EQ(syncs[0].return_value, 1U);
}

TEST(RecordDecoder, MachineDescription) {
  Decoding d;
  test::BufferBuilder buffer;
  auto& device = buffer.add<CUpti_ActivityDevice5>(CUPTI_ACTIVITY_KIND_DEVICE);
  device.name = "NVIDIA H200";
  device.id = 1;
  device.computeCapabilityMajor = 9;
  device.numMultiprocessors = 132;
  device.globalMemorySize = 150'000'000'000;
  device.globalMemoryBandwidth = 4'800'000'000;  // kBytes/s
  device.maxSharedMemoryPerMultiprocessor = 233472;
  device.uuid.bytes[0] = 0x11;
  auto& context = buffer.add<CUpti_ActivityContext3>(CUPTI_ACTIVITY_KIND_CONTEXT);
  context.contextId = 1;
  context.deviceId = 1;
  context.nullStreamId = 7;
  context.numMultiprocessors = 16;
  auto& stream = buffer.add<CUpti_ActivityStream>(CUPTI_ACTIVITY_KIND_STREAM);
  stream.contextId = 1;
  stream.streamId = 13;
  stream.priority = static_cast<uint32_t>(-5);
  auto& module = buffer.add<CUpti_ActivityModule>(CUPTI_ACTIVITY_KIND_MODULE);
  module.id = 4;
  module.cubinSize = 5000;
  d.decode(buffer);
  const auto identity = d.records.of<spool::DeviceIdentity>(Kind::DeviceIdentity);
  ASSERT_EQ(identity.size(), 1U);
  EXPECT_EQ(d.records.text(identity[0].name_id), "NVIDIA H200");
  EXPECT_EQ(identity[0].memory_bandwidth_bytes_per_s, 4'800'000'000'000U);
  EXPECT_EQ(identity[0].uuid[0], 0x11);
  EXPECT_EQ(d.records.of<spool::DeviceLimits>(Kind::DeviceLimits)[0].sm_count, 132U);
  EXPECT_EQ(d.records.of<spool::Context>(Kind::Context)[0].multiprocessors, 16U);
  EXPECT_EQ(d.records.of<spool::Context>(Kind::Context)[0].null_stream, 7U);
  EXPECT_EQ(d.records.of<spool::Stream>(Kind::Stream)[0].priority, -5);
  EXPECT_EQ(d.records.of<spool::Module>(Kind::Module)[0].cubin_bytes, 5000U);
}

TEST(RecordDecoder, JitCompilation) {
  Decoding d;
  test::BufferBuilder buffer;
  auto& jit = buffer.add<CUpti_ActivityJit2>(CUPTI_ACTIVITY_KIND_JIT);
  jit.jitEntryType = CUPTI_ACTIVITY_JIT_ENTRY_PTX_TO_CUBIN;
  jit.jitOperationType = CUPTI_ACTIVITY_JIT_OPERATION_COMPILE;
  jit.start = 10;
  jit.end = 30;
  jit.correlationId = 8;
  jit.jitOperationCorrelationId = 77;
  jit.cacheSize = 4096;
  jit.threadId = 101;
  d.decode(buffer);
  const auto jits = d.records.of<spool::Jit>(Kind::Jit);
  ASSERT_EQ(jits.size(), 1U);
  EXPECT_EQ(jits[0].end_ns, 30U);
  EXPECT_EQ(jits[0].operation, 3U);
  EXPECT_EQ(jits[0].entry, 1U);
  EXPECT_EQ(jits[0].jit_id, 77U);
  EXPECT_EQ(jits[0].cache_bytes, 4096U);
  EXPECT_EQ(jits[0].correlation, 8U);
  EXPECT_EQ(jits[0].head.thread, 101U);
}

TEST(RecordDecoder, OverheadAndGraphTrace) {
  Decoding d;
  test::BufferBuilder buffer;
  auto& overhead = buffer.add<CUpti_ActivityOverhead3>(CUPTI_ACTIVITY_KIND_OVERHEAD);
  overhead.overheadKind = CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING;
  overhead.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  overhead.objectId.pt.processId = 100;
  overhead.objectId.pt.threadId = 101;
  overhead.start = 10;
  overhead.end = 20;
  overhead.correlationId = 31;
  auto& graph = buffer.add<CUpti_ActivityGraphTrace2>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  graph.start = 30;
  graph.end = 40;
  graph.graphId = 3;
  d.decode(buffer);
  const auto overheads = d.records.of<spool::Overhead>(Kind::Overhead);
  ASSERT_EQ(overheads.size(), 1U);
  EXPECT_EQ(overheads[0].overhead_kind, 5U << 16);  // CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING
  EXPECT_EQ(overheads[0].head.thread, 101U);
  EXPECT_EQ(overheads[0].correlation, 31U);
  EXPECT_EQ(d.records.of<spool::GraphLaunch>(Kind::GraphLaunch)[0].graph_id, 3U);
}

TEST(RecordDecoder, UnknownKindsAreCountedAndSkipped) {
  Decoding d;
  test::BufferBuilder buffer;
  buffer.add<CUpti_ActivityMarker2>(CUPTI_ACTIVITY_KIND_MARKER);
  buffer.addKernel("after", 1, 2);
  d.decode(buffer);
  EXPECT_EQ(d.losses.value(Loss::UnknownRecord), 1U);
  EXPECT_EQ(d.records.count(Kind::Kernel), 1U);
}

TEST(RecordDecoder, InnerDriverCallOfARuntimeCallIsDropped) {
  constexpr uint32_t kCuLaunchKernel = 307, kCudaLaunchKernel = 211;
  Decoding d;
  test::BufferBuilder buffer;
  buffer.addApi(true, kCuLaunchKernel, 1, 12, 18);  // inner, comes first
  buffer.addApi(false, kCudaLaunchKernel, 1, 10, 20);
  buffer.addApi(false, kCudaLaunchKernel, 2, 30, 40);  // outer, comes first
  buffer.addApi(true, kCuLaunchKernel, 2, 32, 38);
  buffer.addApi(true, kCuLaunchKernel, 3, 50, 60);    // driver only (Triton)
  buffer.addApi(true, kCuLaunchKernel, 259, 70, 80);  // the same slot as 3 (3 + 256)
  d.decode(buffer);
  const auto calls = d.records.of<spool::Api>(Kind::Api);
  ASSERT_EQ(calls.size(), 4U);
  std::map<uint32_t, spool::Api> by_correlation;
  for (const auto& call : calls) by_correlation[call.correlation] = call;
  EXPECT_EQ(by_correlation[1].callback_id, kCudaLaunchKernel);
  EXPECT_EQ(by_correlation[1].start_ns, 10U);
  EXPECT_EQ(by_correlation[2].callback_id, kCudaLaunchKernel);
  EXPECT_EQ(by_correlation[3].head.flags, spool::kFlagDriverApi);
  EXPECT_EQ(by_correlation[259].head.flags, spool::kFlagDriverApi);
  EXPECT_EQ(by_correlation[3].head.thread, 7U);
}

TEST(RecordDecoder, WholeKindsAreFilteredHere) {
  constexpr uint32_t kCudaGetDevice = 17, kCudaLaunchKernel = 211;
  Decoding d({18, false, true});
  test::BufferBuilder buffer;
  buffer.addApi(false, kCudaGetDevice, 1, 1, 2);
  buffer.addApi(false, kCudaLaunchKernel, 2, 3, 4);
  d.decode(buffer);
  const auto calls = d.records.of<spool::Api>(Kind::Api);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].callback_id, kCudaLaunchKernel);
  EXPECT_EQ(d.losses.value(Loss::UnknownRecord), 0U);  // left out on purpose is not lost
}

TEST(RecordDecoder, TruncatedBufferGivesItsWholeRecords) {
  Decoding d;
  test::BufferBuilder buffer;
  buffer.addKernel("whole", 1, 2);
  buffer.addKernel("cut", 3, 4);
  CUpti_Activity* record = nullptr;
  while (test::fakeGetNextRecord(buffer.data(), buffer.size() - 8, &record) == CUPTI_SUCCESS)
    d.decoder.decode(record);
  EXPECT_EQ(d.records.count(Kind::Kernel), 1U);
}

TEST(RecordDecoder, NullNameBecomesAnEmptyText) {
  Decoding d;
  test::BufferBuilder buffer;
  buffer.addKernel(nullptr, 1, 2);
  d.decode(buffer);
  EXPECT_EQ(d.records.text(d.records.of<spool::Kernel>(Kind::Kernel)[0].name_id), "");
}

}  // namespace
}  // namespace perfscope::collector
