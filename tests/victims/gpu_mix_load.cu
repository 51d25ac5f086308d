// gpu_mix: the modes that do counted work: many launches, graphs, a bit of everything, known FLOPs, known
// idle gaps.
#include "gpu_mix.cuh"

#include <chrono>
#include <string>
#include <thread>

#include <nvtx3/nvToolsExt.h>

namespace gpu_mix {
namespace {

float* deviceFloats(size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(float)), "cudaMalloc");
  return static_cast<float*>(memory);
}

class Range {  // an NVTX range from here to the end of the block
 public:
  explicit Range(const std::string& name) { nvtxRangePushA(name.c_str()); }
  ~Range() { nvtxRangePop(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

void sync() {
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

struct MixBuffers {
  static constexpr int kMatrix = 1024;
  static constexpr int kCount = kMatrix * kMatrix;
  static constexpr size_t kBytes = kCount * sizeof(float);
  float* x = deviceFloats(kCount);
  float* y = deviceFloats(kCount);
  float* z = deviceFloats(kCount);
  float* w = deviceFloats(kCount);  // the side stream's own, so that the streams do not race
  float* sums = deviceFloats(kCount / 256);
  std::vector<float> pageable = std::vector<float>(kCount, 1.0f);
  float* pinned = nullptr;
};

// 8 direct kernels, 5 copies, 2 memsets and one graph (4 nodes) a step, on two streams ordered by events.
void mixStep(Lane& main, Lane& side, MixBuffers& b, const CountedGraph& graph, cudaEvent_t uploaded,
             cudaEvent_t side_done) {
  {
    Range range("upload");
    copyAsync(main, b.x, b.pageable.data(), MixBuffers::kBytes, kHostToDevice);
    copyAsync(main, b.y, b.pinned, MixBuffers::kBytes, kHostToDevice);
    memsetAsync(main, b.z, 0, MixBuffers::kBytes);
    check(cudaEventRecord(uploaded, main.stream), "cudaEventRecord");
  }
  {
    Range range("compute");
    check(cudaStreamWaitEvent(side.stream, uploaded, 0), "cudaStreamWaitEvent");
    launchMatmul(main, b.z, b.x, b.y, MixBuffers::kMatrix);
    launchSaxpy(side, b.w, b.x, 0.5f, MixBuffers::kCount);
    memsetAsync(side, b.sums, 0, MixBuffers::kCount / 256 * sizeof(float));
    launchReduce(side, b.sums, b.w, MixBuffers::kCount);
    check(cudaEventRecord(side_done, side.stream), "cudaEventRecord");
    for (int i = 0; i < 2; ++i) launchSaxpy(main, b.z, b.x, 2.0f, MixBuffers::kCount);
    check(cudaStreamWaitEvent(main.stream, side_done, 0), "cudaStreamWaitEvent");
    launchTranspose(main, b.x, b.z, MixBuffers::kMatrix);
    launchTranspose(main, b.z, b.x, MixBuffers::kMatrix);
    copyAsync(main, b.y, b.z, MixBuffers::kBytes, kDeviceToDevice);
    launchReduce(main, b.sums, b.y, MixBuffers::kCount);
    launchGraph(main, graph);
  }
  Range range("download");
  copyAsync(main, b.pinned, b.z, MixBuffers::kBytes, kDeviceToHost);
  copyAsync(main, b.pageable.data(), b.sums, MixBuffers::kCount / 256 * sizeof(float), kDeviceToHost);
  check(cudaStreamSynchronize(main.stream), "cudaStreamSynchronize");
}

void sleepMs(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

}  // namespace

// Tiny kernels from `lanes` threads at once, each on its own stream.
Outcome runStorm(int launches, int lanes) {
  constexpr int kElements = 1024;
  Outcome outcome;
  std::vector<float*> data;
  for (int i = 0; i < lanes; ++i) {
    outcome.lanes.push_back(makeLane());
    data.push_back(deviceFloats(kElements));
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < lanes; ++i) {
    threads.emplace_back([&, i] {
      Range range("storm " + std::to_string(i));
      for (int k = 0; k < launches / lanes; ++k) launchTiny(outcome.lanes[i], data[i], kElements);
      check(cudaStreamSynchronize(outcome.lanes[i].stream), "cudaStreamSynchronize");
    });
  }
  for (std::thread& thread : threads) thread.join();
  return outcome;
}

// `launches` replays of a graph of 20 nodes: 18 kernels, one memset, one copy.
Outcome runGraph(int launches) {
  constexpr int kElements = 4096;
  Outcome outcome;
  outcome.lanes.push_back(makeLane());
  const CountedGraph graph = makeGraph(deviceFloats(kElements), deviceFloats(kElements), 18, kElements);
  Range range("graph replays");
  for (int i = 0; i < launches; ++i) launchGraph(outcome.lanes[0], graph);
  sync();
  return outcome;
}

Outcome runMix(int steps) {
  Outcome outcome;
  outcome.lanes = {makeLane(), makeLane()};
  MixBuffers buffers;
  void* pinned = nullptr;
  check(cudaMallocHost(&pinned, MixBuffers::kBytes), "cudaMallocHost");
  buffers.pinned = static_cast<float*>(pinned);
  for (int i = 0; i < MixBuffers::kCount; ++i) buffers.pinned[i] = 0.5f;
  constexpr int kGraphElements = 1024;
  const CountedGraph graph =
      makeGraph(deviceFloats(kGraphElements), deviceFloats(kGraphElements), 2, kGraphElements);
  cudaEvent_t uploaded = nullptr, side_done = nullptr;
  check(cudaEventCreateWithFlags(&uploaded, cudaEventDisableTiming), "cudaEventCreate");
  check(cudaEventCreateWithFlags(&side_done, cudaEventDisableTiming), "cudaEventCreate");
  for (int step = 0; step < steps; ++step) {
    Range range("step " + std::to_string(step));
    mixStep(outcome.lanes[0], outcome.lanes[1], buffers, graph, uploaded, side_done);
  }
  sync();
  return outcome;
}

// Bytes are those of the algorithm: what must cross DRAM once (the arrays of triad are far larger than any
// L2).
Outcome runRoofline(int launches) {
  constexpr size_t kTriad = size_t{64} << 20;
  constexpr int kMatrix = 2048, kBlocks = 132 * 8, kRounds = 4096;
  Outcome outcome;
  outcome.lanes.push_back(makeLane());
  Lane& lane = outcome.lanes[0];
  float* a = deviceFloats(kTriad);
  float* b = deviceFloats(kTriad);
  float* c = deviceFloats(kTriad);
  for (float* array : {a, b, c}) memsetAsync(lane, array, 0, kTriad * sizeof(float));
  sync();
  for (int i = 0; i < launches; ++i) {
    Range range("step " + std::to_string(i));
    launchTriad(lane, c, a, b, 2.0f, kTriad);
    launchMatmul(lane, c, a, b, kMatrix);
    launchFmaChain(lane, c, kBlocks, kRounds);
    sync();
  }
  const double n = kMatrix, count = launches;
  const uint64_t times = uint64_t(count);
  outcome.known = {
      {"triadKernel", times, 2.0 * kTriad, 12.0 * kTriad},  // 2 reads + 1 write of 4 bytes; 1 FMA
      {"matmulKernel", times, 2.0 * n * n * n, 3.0 * n * n * sizeof(float)},
      {"fmaChainKernel", times, 2.0 * 8 * kRounds * 256 * kBlocks, 4.0 * 256 * kBlocks}};
  return outcome;
}

// Three idle patterns with known causes, each in a range of its own.
Outcome runSleepGap() {
  constexpr uint64_t kBusyNs = 500'000;
  Outcome outcome;
  outcome.lanes.push_back(makeLane());
  Lane& lane = outcome.lanes[0];
  launchBusy(lane, 1'000);  // loads the module before the first measured gap
  sync();
  {
    Range range("host sleep 2 ms");  // 20 gaps of at least 2 ms: the host does nothing
    for (int i = 0; i < 20; ++i) {
      launchBusy(lane, kBusyNs);
      sync();
      sleepMs(2);
    }
  }
  {
    Range range("sync bound");  // 500 gaps of a launch plus a wait: each kernel is waited for
    for (int i = 0; i < 500; ++i) {
      launchBusy(lane, 5'000);
      sync();
    }
  }
  Range range("long queue");  // the host runs ahead: no gaps beyond the device's own
  for (int i = 0; i < 300; ++i) launchBusy(lane, 100'000);
  sync();
  return outcome;
}

// 50 copies of 4 MiB from device 0 to device 1.
Outcome runPeer() {
  constexpr size_t kElements = size_t{1} << 20;
  Outcome outcome;
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  if (devices < 2) {
    outcome.skipped = "needs 2 GPUs, found " + std::to_string(devices);
    return outcome;
  }
  check(cudaSetDevice(1), "cudaSetDevice");
  float* to = deviceFloats(kElements);
  check(cudaSetDevice(0), "cudaSetDevice");
  float* from = deviceFloats(kElements);
  int can_access = 0;
  check(cudaDeviceCanAccessPeer(&can_access, 0, 1), "cudaDeviceCanAccessPeer");
  if (can_access != 0) check(cudaDeviceEnablePeerAccess(1, 0), "cudaDeviceEnablePeerAccess");
  outcome.lanes.push_back(makeLane());
  Lane& lane = outcome.lanes[0];
  for (int i = 0; i < 50; ++i) {
    launchTiny(lane, from, int(kElements));
    check(cudaMemcpyPeerAsync(to, 1, from, 0, kElements * sizeof(float), lane.stream), "cudaMemcpyPeerAsync");
    ++lane.copies[kPeer];
    lane.copy_bytes[kPeer] += kElements * sizeof(float);
  }
  sync();
  return outcome;
}

}  // namespace gpu_mix
