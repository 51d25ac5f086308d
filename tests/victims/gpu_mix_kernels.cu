// gpu_mix: the kernels, and the counted launches, copies, memsets and graphs that put them on a lane.
#include "gpu_mix.cuh"

namespace gpu_mix {
namespace {

constexpr int kBlock = 256;
constexpr int kTile = 32;

__global__ void tinyKernel(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = data[i] * 0.5f + 1.0f;
}

__global__ void saxpyKernel(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void triadKernel(float* out, const float* a, const float* b, float s, size_t n) {
  const size_t stride = size_t{gridDim.x} * blockDim.x;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) out[i] = a[i] + s * b[i];
}

__global__ void matmulKernel(float* c, const float* a, const float* b, int n) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0.0f;
  for (int start = 0; start < n; start += kTile) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void reduceKernel(float* sums, const float* x, int n) {
  __shared__ float part[kBlock];
  const int i = blockIdx.x * kBlock + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

__global__ void transposeKernel(float* out, const float* in, int n) {
  __shared__ float tile[kTile][kTile + 1];  // + 1: no bank conflicts on the way out
  tile[threadIdx.y][threadIdx.x] =
      in[(blockIdx.y * kTile + threadIdx.y) * n + blockIdx.x * kTile + threadIdx.x];
  __syncthreads();
  out[(blockIdx.x * kTile + threadIdx.y) * n + blockIdx.y * kTile + threadIdx.x] =
      tile[threadIdx.x][threadIdx.y];
}

__global__ void fmaChainKernel(float* out, int rounds, float a, float b) {
  float v0 = threadIdx.x, v1 = v0 + 1, v2 = v0 + 2, v3 = v0 + 3, v4 = v0 + 4, v5 = v0 + 5, v6 = v0 + 6,
        v7 = v0 + 7;
  for (int i = 0; i < rounds; ++i) {  // 8 independent chains hide the latency of the FMA pipe
    v0 = fmaf(v0, a, b), v1 = fmaf(v1, a, b), v2 = fmaf(v2, a, b), v3 = fmaf(v3, a, b);
    v4 = fmaf(v4, a, b), v5 = fmaf(v5, a, b), v6 = fmaf(v6, a, b), v7 = fmaf(v7, a, b);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = v0 + v1 + v2 + v3 + v4 + v5 + v6 + v7;
}

__global__ void busyKernel(uint64_t busy_ns) {
  uint64_t begin = 0, now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < busy_ns);
}

void launched(Lane& lane, const char* what) {
  check(cudaGetLastError(), what);
  ++lane.kernels;
}

int blocksFor(int n) {
  return (n + kBlock - 1) / kBlock;
}

}  // namespace

void launchTiny(Lane& lane, float* data, int n) {
  tinyKernel<<<blocksFor(n), kBlock, 0, lane.stream>>>(data, n);
  launched(lane, "tinyKernel");
}

void launchSaxpy(Lane& lane, float* y, const float* x, float a, int n) {
  saxpyKernel<<<blocksFor(n), kBlock, 0, lane.stream>>>(y, x, a, n);
  launched(lane, "saxpyKernel");
}

void launchTriad(Lane& lane, float* out, const float* a, const float* b, float s, size_t n) {
  triadKernel<<<132 * 16, kBlock, 0, lane.stream>>>(out, a, b, s, n);
  launched(lane, "triadKernel");
}

void launchMatmul(Lane& lane, float* c, const float* a, const float* b, int n) {
  matmulKernel<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile), 0, lane.stream>>>(c, a, b, n);
  launched(lane, "matmulKernel");
}

void launchReduce(Lane& lane, float* sums, const float* x, int n) {
  reduceKernel<<<blocksFor(n), kBlock, 0, lane.stream>>>(sums, x, n);
  launched(lane, "reduceKernel");
}

void launchTranspose(Lane& lane, float* out, const float* in, int n) {
  transposeKernel<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile), 0, lane.stream>>>(out, in, n);
  launched(lane, "transposeKernel");
}

void launchFmaChain(Lane& lane, float* out, int blocks, int rounds) {
  fmaChainKernel<<<blocks, kBlock, 0, lane.stream>>>(out, rounds, 0.999f, 0.001f);
  launched(lane, "fmaChainKernel");
}

void launchBusy(Lane& lane, uint64_t busy_ns) {
  busyKernel<<<1, 1, 0, lane.stream>>>(busy_ns);
  launched(lane, "busyKernel");
}

void copyAsync(Lane& lane, void* to, const void* from, size_t bytes, CopyKind kind) {
  const cudaMemcpyKind kinds[] = {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice};
  check(cudaMemcpyAsync(to, from, bytes, kinds[kind], lane.stream), "cudaMemcpyAsync");
  ++lane.copies[kind];
  lane.copy_bytes[kind] += bytes;
}

void memsetAsync(Lane& lane, void* to, int value, size_t bytes) {
  check(cudaMemsetAsync(to, value, bytes, lane.stream), "cudaMemsetAsync");
  ++lane.memsets;
  lane.memset_bytes += bytes;
}

CountedGraph makeGraph(float* data, float* other, int kernels, int n) {
  CountedGraph graph;
  Lane capture = makeLane();
  const size_t bytes = size_t(n) * sizeof(float);
  check(cudaStreamBeginCapture(capture.stream, cudaStreamCaptureModeThreadLocal), "begin capture");
  memsetAsync(capture, data, 0, bytes);
  for (int i = 0; i < kernels; ++i) launchTiny(capture, data, n);
  copyAsync(capture, other, data, bytes, kDeviceToDevice);
  cudaGraph_t captured = nullptr;
  check(cudaStreamEndCapture(capture.stream, &captured), "end capture");
  check(cudaGraphInstantiate(&graph.exec, captured, 0), "cudaGraphInstantiate");
  check(cudaGraphDestroy(captured), "cudaGraphDestroy");
  check(cudaStreamDestroy(capture.stream), "cudaStreamDestroy");
  graph.kernels = capture.kernels;
  graph.copies = capture.copies[kDeviceToDevice], graph.copy_bytes = capture.copy_bytes[kDeviceToDevice];
  graph.memsets = capture.memsets, graph.memset_bytes = capture.memset_bytes;
  return graph;
}

void launchGraph(Lane& lane, const CountedGraph& graph) {
  check(cudaGraphLaunch(graph.exec, lane.stream), "cudaGraphLaunch");
  ++lane.graph_launches;
  lane.graph_kernels += graph.kernels;
  lane.graph_copies += graph.copies, lane.graph_copy_bytes += graph.copy_bytes;
  lane.graph_memsets += graph.memsets, lane.graph_memset_bytes += graph.memset_bytes;
}

}  // namespace gpu_mix
