// CUDA C++ text.
#include "injector/calibration/kernel_source.h"

#include <fmt/format.h>

namespace perfscope::calibration {
namespace {

// Memory kernels: 16 bytes a thread and access, four accesses in flight.
constexpr const char* kMemory = R"cuda(
typedef unsigned int u32;
typedef unsigned long long u64;
struct __align__(16) Quad { u32 x, y, z, w; };

__device__ __forceinline__ u32 sumOf(const Quad& q) { return q.x + q.y + q.z + q.w; }

__device__ __forceinline__ Quad pattern(u64 quad, u32 seed) {
  const u32 first = (u32)(quad * 4) * WEYL + seed;
  Quad q = {first, first + WEYL, first + 2 * WEYL, first + 3 * WEYL};
  return q;
}

// Reads past the first-level cache, which would answer repeated reads itself.
__device__ __forceinline__ Quad readL2(const Quad* at) {
  Quad q;
  asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(q.x), "=r"(q.y), "=r"(q.z), "=r"(q.w) : "l"(at));
  return q;
}

// sums[thread] = sum of the words this thread read. quads: a multiple of 4 * the number of threads.
extern "C" __global__ void __launch_bounds__(THREADS) readSum(const Quad* __restrict__ from, u64 quads, u32* sums) {
  const u64 threads = (u64)gridDim.x * THREADS;
  const u64 self = (u64)blockIdx.x * THREADS + threadIdx.x;
  u32 sum = 0;
  for (u64 i = self; i < quads; i += 4 * threads) {
    const Quad a = from[i], b = from[i + threads], c = from[i + 2 * threads], d = from[i + 3 * threads];
    sum += sumOf(a) + sumOf(b) + sumOf(c) + sumOf(d);
  }
  sums[self] = sum;
}

extern "C" __global__ void __launch_bounds__(THREADS) writePattern(Quad* to, u64 quads, u32 seed) {
  const u64 threads = (u64)gridDim.x * THREADS;
  const u64 self = (u64)blockIdx.x * THREADS + threadIdx.x;
  for (u64 i = self; i < quads; i += 4 * threads) {
    to[i] = pattern(i, seed);
    to[i + threads] = pattern(i + threads, seed);
    to[i + 2 * threads] = pattern(i + 2 * threads, seed);
    to[i + 3 * threads] = pattern(i + 3 * threads, seed);
  }
}

__device__ __forceinline__ void writeOnce(Quad* at, const Quad& q) {
  asm volatile("st.global.cs.v4.u32 [%0], {%1,%2,%3,%4};" :: "l"(at), "r"(q.x), "r"(q.y), "r"(q.z), "r"(q.w));
}

// A block moves four rows of its own at a time, one behind the other in memory, so that a DRAM page is finished
// before the next is opened; written lines are told not to stay in the cache.
extern "C" __global__ void __launch_bounds__(THREADS) copyQuads(const Quad* __restrict__ from, Quad* __restrict__ to,
                                                               u64 quads) {
  const u64 step = (u64)gridDim.x * THREADS * 4;
  for (u64 i = (u64)blockIdx.x * THREADS * 4 + threadIdx.x; i < quads; i += step) {
    const Quad a = from[i], b = from[i + THREADS], c = from[i + 2 * THREADS], d = from[i + 3 * THREADS];
    writeOnce(to + i, a);
    writeOnce(to + i + THREADS, b);
    writeOnce(to + i + 2 * THREADS, c);
    writeOnce(to + i + 3 * THREADS, d);
  }
}

// quads = rounds * threads; each pass reads the whole set four times and the next one begins elsewhere, so that
// no SM meets its own lines again.
extern "C" __global__ void __launch_bounds__(THREADS) readL2Sum(const Quad* from, u64 quads, int rounds, int passes,
                                                               u32* sums) {
  const u64 threads = (u64)gridDim.x * THREADS;
  const u64 self = (u64)blockIdx.x * THREADS + threadIdx.x;
  u32 sum = 0;
  u64 at = self;
  for (int pass = 0; pass < passes; ++pass) {
    for (int round = 0; round < rounds; ++round) {
      Quad q[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        q[k] = readL2(from + at);
        at += threads;
        if (at >= quads) at -= quads;
      }
      sum += sumOf(q[0]) + sumOf(q[1]) + sumOf(q[2]) + sumOf(q[3]);
    }
    at += THREADS * 4;
    if (at >= quads) at -= quads;
  }
  sums[self] = sum;
}

// Conflict-free 16-byte reads of shared memory; volatile for the assembler too, which otherwise keeps what it read.
extern "C" __global__ void __launch_bounds__(THREADS) readShared(int rounds, u32 seed, u32* sums) {
  __shared__ __align__(16) u32 words[SHARED_WORDS];
  for (int i = threadIdx.x; i < SHARED_WORDS; i += THREADS) words[i] = (u32)i * WEYL + seed;
  __syncthreads();
  const u32 base = (u32)__cvta_generic_to_shared(words) + threadIdx.x * 16;
  u32 x = 0, y = 0, z = 0, w = 0;
#pragma unroll 4
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < SHARED_READS; ++k) {
      u32 a, b, c, d;
      asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(base + k * THREADS * 16));
      x += a; y += b; z += c; w += d;
    }
  }
  sums[blockIdx.x * THREADS + threadIdx.x] = x + y + z + w;
}

extern "C" __global__ void nothing() {}

// Element i = table[hash(i)]; the table holds `mask` + 1 values in the format wanted.
extern "C" __global__ void __launch_bounds__(THREADS) fillFromTable(unsigned char* to, u64 count, int bytes,
                                                                   const unsigned char* table, u32 mask, u32 seed) {
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += (u64)gridDim.x * THREADS) {
    u32 h = (u32)i * WEYL + seed;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    const unsigned char* from = table + (u64)(h & mask) * bytes;
    if (bytes == 1) to[i] = *from;
    if (bytes == 2) ((unsigned short*)to)[i] = *(const unsigned short*)from;
    if (bytes == 4) ((u32*)to)[i] = *(const u32*)from;
    if (bytes == 8) ((u64*)to)[i] = *(const u64*)from;
  }
}
)cuda";

// Vector peaks: x -> x * x + c is chaotic, so the last bits after n steps are right only if all n steps were
// done, each rounded once. Integers take x -> x * c + c, a generator of full period. CHAIN_KERNEL(name, type,
// first value of chain k, one step, bits).
constexpr const char* kVector = R"cuda(
#define CHAIN_KERNEL(NAME, TYPE, FIRST, STEP, BITS)                                                   \
  extern "C" __global__ void __launch_bounds__(THREADS) NAME(int rounds, TYPE c, u64* results) {      \
    const u32 self = blockIdx.x * THREADS + threadIdx.x;                                              \
    TYPE x[CHAINS];                                                                                   \
    _Pragma("unroll") for (int k = 0; k < CHAINS; ++k) x[k] = FIRST(self, k);                         \
    _Pragma("unroll 1") for (int round = 0; round < rounds; ++round) {                                \
      _Pragma("unroll") for (int step = 0; step < STEPS; ++step) {                                    \
        _Pragma("unroll") for (int k = 0; k < CHAINS; ++k) x[k] = STEP(x[k], c);                      \
      }                                                                                               \
    }                                                                                                 \
    u64 bits = 0;                                                                                     \
    _Pragma("unroll") for (int k = 0; k < CHAINS; ++k) bits = bits * 31 + BITS(x[k]);                 \
    results[self] = bits;                                                                             \
  }

__device__ __forceinline__ u32 firstNumber(u32 self, int k) { return (self * CHAINS + k) & 1023; }
// 0 ... 1023 -> -0.5 ... 0.5, exact in every format
#define FIRST_F(self, k) ((float)((int)firstNumber(self, k) - 512) * (1.0f / 1024.0f))
#define FIRST_D(self, k) ((double)((int)firstNumber(self, k) - 512) * (1.0 / 1024.0))
#define FIRST_I(self, k) firstNumber(self, k)
__device__ __forceinline__ u32 firstHalves(u32 self, int k) {
  u32 both;
  const float low = FIRST_F(self, k), high = -low;
  asm("{ .reg .f16 a, b; cvt.rn.f16.f32 a, %1; cvt.rn.f16.f32 b, %2; mov.b32 %0, {a, b}; }"
      : "=r"(both) : "f"(low), "f"(high));
  return both;
}
#define STEP_F(x, c) __fmaf_rn(x, x, c)
#define STEP_D(x, c) __fma_rn(x, x, c)
__device__ __forceinline__ u32 integerStep(u32 x, u32 c) {
  u32 y;
  asm("mad.lo.u32 %0, %1, %2, %2;" : "=r"(y) : "r"(x), "r"(c));  // the compiler would make (x + 1) * c of it
  return y;
}
__device__ __forceinline__ u32 halvesStep(u32 x, u32 c) {
  u32 y;
  asm("fma.rn.f16x2 %0, %1, %1, %2;" : "=r"(y) : "r"(x), "r"(c));
  return y;
}
#define BITS_F(x) (u64)__float_as_uint(x)
#define BITS_D(x) (u64)__double_as_longlong(x)
#define BITS_I(x) (u64)(x)

CHAIN_KERNEL(chainFp32, float, FIRST_F, STEP_F, BITS_F)
CHAIN_KERNEL(chainFp64, double, FIRST_D, STEP_D, BITS_D)
CHAIN_KERNEL(chainInt32, u32, FIRST_I, integerStep, BITS_I)
CHAIN_KERNEL(chainFp16, u32, firstHalves, halvesStep, BITS_I)
)cuda";

}  // namespace

const std::string& kernelSource() {
  static const std::string kSource =
      fmt::format(
          "#define WEYL {}u\n#define THREADS {}\n#define CHAINS {}\n#define STEPS {}\n"
          "#define SHARED_WORDS {}\n#define SHARED_READS {}\n",
          kWeyl, kBlockThreads, kChains, kStepsPerRound, kSharedWords, kSharedReads) +
      kMemory + kVector;
  return kSource;
}

}  // namespace perfscope::calibration
