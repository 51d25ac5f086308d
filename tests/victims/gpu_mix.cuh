// gpu_mix, the CUDA program that knows its own counts: what its modes share. Every launch, copy and memset
// goes through a Lane, which counts what it did, so the JSON line printed at the end is the truth a profile
// is compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace gpu_mix {

// One CUDA stream with the counts of what was put on it. Used by one thread; merged by report() after the
// join.
struct Lane {
  cudaStream_t stream = nullptr;  // null = the legacy default stream
  uint64_t kernels =
      0;  // launched directly; those of graphs are counted apart, CUPTI may name another stream
  uint64_t copies[4] = {};  // by CopyKind
  uint64_t copy_bytes[4] = {};
  uint64_t memsets = 0, memset_bytes = 0;
  uint64_t graph_launches = 0;
  uint64_t graph_kernels = 0, graph_copies = 0, graph_copy_bytes = 0, graph_memsets = 0,
           graph_memset_bytes = 0;
};

enum CopyKind { kHostToDevice = 0, kDeviceToHost, kDeviceToDevice, kPeer };

// Work of one launch that is known from the algorithm, for the roofline modes.
struct KnownKernel {
  std::string name;  // a part of the kernel's demangled name
  uint64_t launches;
  double flops, bytes;  // per launch; 0 = not known
};

// What a mode hands to report().
struct Outcome {
  std::vector<Lane> lanes;
  std::vector<KnownKernel> known;
  std::string skipped;  // reason, when the mode could not run here
};

// A graph with its node counts; launched with launchGraph.
struct CountedGraph {
  cudaGraphExec_t exec = nullptr;
  uint64_t kernels = 0, copies = 0, copy_bytes = 0, memsets = 0, memset_bytes = 0;
};

// Ends the process with status 70 and a sentence on stderr when a CUDA call failed.
void check(cudaError_t status, const char* what);
Lane makeLane();
// CLOCK_REALTIME in ns: the clock of the profile.
uint64_t nowNs();
// One write(2) of the whole line, so that lines of several processes never mix.
void printLine(const std::string& line);
// The JSON line of this process image; synchronise the device before calling.
void report(const std::string& mode, const Outcome& outcome);

// gpu_mix_kernels.cu: each launches one kernel on the lane's stream and counts it. Sizes in elements unless
// named.
void launchTiny(Lane& lane, float* data, int n);
void launchSaxpy(Lane& lane, float* y, const float* x, float a, int n);
void launchTriad(Lane& lane, float* out, const float* a, const float* b, float s, size_t n);
void launchMatmul(Lane& lane, float* c, const float* a, const float* b, int n);  // n a multiple of 32
void launchReduce(Lane& lane, float* sums, const float* x, int n);     // sums: one float a block of 256
void launchTranspose(Lane& lane, float* out, const float* in, int n);  // n x n, n a multiple of 32
void launchFmaChain(Lane& lane, float* out, int blocks, int rounds);   // 256 x 8 x rounds FMAs a block
void launchBusy(Lane& lane, uint64_t busy_ns);                         // one thread that waits
void copyAsync(Lane& lane, void* to, const void* from, size_t bytes, CopyKind kind);
void memsetAsync(Lane& lane, void* to, int value, size_t bytes);
// A chain of `kernels` tiny kernels between one memset and one device-to-device copy.
CountedGraph makeGraph(float* data, float* other, int kernels, int n);
void launchGraph(Lane& lane, const CountedGraph& graph);

// gpu_mix_load.cu
Outcome runStorm(int launches, int lanes);
Outcome runGraph(int launches);
Outcome runMix(int steps);
Outcome runRoofline(int launches);
Outcome runSleepGap();
Outcome runPeer();

// gpu_mix_process.cu: modes about how a process starts and ends; `argv` begins after the mode's name.
int runExit3();
int runAbort();
int runException();
int runSegv(double seconds);
int runSpin(double seconds);
int runExec(char** argv, bool clean_environment);
int runFork();
int runForkAfter();

}  // namespace gpu_mix
