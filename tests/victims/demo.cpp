// The program the README's first command profiles on a machine with a GPU. Needs the driver only (no CUDA toolkit, no
// libcudart): kernels are PTX, compiled by the driver. Ten steps, each marked with NVTX: a pinned copy to the device,
// five saxpy, one naive matrix product, a copy back, then 2 ms in which the host lets the GPU starve.
// Prints what it did, so that the profile can be checked against it.
#include <cuda.h>
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

constexpr const char* kPtx = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry saxpy(.param .u64 px, .param .u64 py, .param .f32 pa, .param .u32 pn) {
  .reg .pred %p<2>; .reg .f32 %f<5>; .reg .b32 %r<6>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [px]; ld.param.u64 %rd2, [py]; ld.param.f32 %f1, [pa]; ld.param.u32 %r1, [pn];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd3, %r5, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4]; ld.global.f32 %f3, [%rd5];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  st.global.f32 [%rd5], %f4;
DONE: ret;
}
.visible .entry matmul(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u32 pn) {
  .reg .pred %p<3>; .reg .f32 %f<5>; .reg .b32 %r<14>; .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [pa]; ld.param.u64 %rd2, [pb]; ld.param.u64 %rd3, [pc]; ld.param.u32 %r1, [pn];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;
  mov.u32 %r6, %ctaid.y; mov.u32 %r7, %ntid.y; mov.u32 %r8, %tid.y; mad.lo.s32 %r9, %r6, %r7, %r8;
  mul.lo.s32 %r10, %r9, %r1; mul.wide.u32 %rd4, %r10, 4; add.s64 %rd5, %rd1, %rd4;
  mul.wide.u32 %rd6, %r5, 4; add.s64 %rd7, %rd2, %rd6; mul.wide.u32 %rd8, %r1, 4;
  mov.f32 %f1, 0f00000000; mov.u32 %r11, 0;
LOOP:
  ld.global.f32 %f2, [%rd5]; ld.global.f32 %f3, [%rd7]; fma.rn.f32 %f1, %f2, %f3, %f1;
  add.s64 %rd5, %rd5, 4; add.s64 %rd7, %rd7, %rd8; add.u32 %r11, %r11, 1;
  setp.lt.u32 %p1, %r11, %r1;
  @%p1 bra LOOP;
  add.s32 %r12, %r10, %r5; mul.wide.u32 %rd9, %r12, 4; add.s64 %rd10, %rd3, %rd9;
  st.global.f32 [%rd10], %f1;
  ret;
}
)";

constexpr int kSteps = 10;
constexpr int kSaxpyPerStep = 5;
constexpr unsigned kElements = 1U << 24;
constexpr unsigned kMatrix = 1024;

void* g_driver = nullptr;  // a program of ours, not the collector: one handle is fine here

template <class Function>
Function* load(const char* name) {
  auto* function = reinterpret_cast<Function*>(dlsym(g_driver, name));
  if (function == nullptr) {
    std::fprintf(stderr, "demo: libcuda has no %s\n", name);
    std::exit(1);
  }
  return function;
}

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "demo: %s failed with CUDA error %d\n", what, static_cast<int>(result));
  std::exit(1);
}

struct Work {
  CUdeviceptr x, y, c;
  void* pinned;
  CUfunction saxpy, matmul;
};

void step(const Work& work) {
  const auto launch = load<decltype(cuLaunchKernel)>("cuLaunchKernel");
  check(load<decltype(cuMemcpyHtoDAsync)>("cuMemcpyHtoDAsync_v2")(work.x, work.pinned, kElements * 4ULL, nullptr), "copy in");
  float a = 0.5F;
  unsigned n = kElements;
  CUdeviceptr x = work.x;
  CUdeviceptr y = work.y;
  void* saxpy_arguments[] = {&x, &y, &a, &n};
  for (int i = 0; i < kSaxpyPerStep; ++i) {
    check(launch(work.saxpy, kElements / 256, 1, 1, 256, 1, 1, 0, nullptr, saxpy_arguments, nullptr), "saxpy");
  }
  unsigned size = kMatrix;
  CUdeviceptr c = work.c;
  void* matmul_arguments[] = {&x, &y, &c, &size};
  check(launch(work.matmul, kMatrix / 16, kMatrix / 16, 1, 16, 16, 1, 0, nullptr, matmul_arguments, nullptr), "matmul");
  check(load<decltype(cuMemcpyDtoHAsync)>("cuMemcpyDtoHAsync_v2")(work.pinned, work.c, kMatrix * kMatrix * 4ULL, nullptr), "copy out");
  check(load<decltype(cuStreamSynchronize)>("cuStreamSynchronize")(nullptr), "synchronise");
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace

int main() {
  g_driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (g_driver == nullptr || load<decltype(cuInit)>("cuInit")(0) != CUDA_SUCCESS) {
    std::fprintf(stderr, "demo: no usable CUDA driver on this machine\n");
    return 69;
  }
  CUdevice device = 0;
  CUcontext context = nullptr;
  check(load<decltype(cuDeviceGet)>("cuDeviceGet")(&device, 0), "cuDeviceGet");
  check(load<CUresult(CUcontext*, CUdevice)>("cuDevicePrimaryCtxRetain")(&context, device), "context");
  check(load<decltype(cuCtxSetCurrent)>("cuCtxSetCurrent")(context), "context");
  CUmodule module = nullptr;
  check(load<decltype(cuModuleLoadData)>("cuModuleLoadData")(&module, kPtx), "PTX");
  Work work{};
  const auto function = load<decltype(cuModuleGetFunction)>("cuModuleGetFunction");
  check(function(&work.saxpy, module, "saxpy"), "saxpy");
  check(function(&work.matmul, module, "matmul"), "matmul");
  const auto allocate = load<decltype(cuMemAlloc)>("cuMemAlloc_v2");
  check(allocate(&work.x, kElements * 4ULL), "allocation");
  check(allocate(&work.y, kElements * 4ULL), "allocation");
  check(allocate(&work.c, kMatrix * kMatrix * 4ULL), "allocation");
  check(load<decltype(cuMemAllocHost)>("cuMemAllocHost_v2")(&work.pinned, kElements * 4ULL), "pinned memory");
  check(load<decltype(cuMemsetD8)>("cuMemsetD8_v2")(work.y, 0, kElements * 4ULL), "memset");
  for (int i = 0; i < kSteps; ++i) {
    nvtxRangePushA(("step " + std::to_string(i)).c_str());
    step(work);
    nvtxRangePop();
  }
  std::printf("demo: %d steps, %d kernels, %d copies, 1 memset\n", kSteps, kSteps * (kSaxpyPerStep + 1), kSteps * 2);
  return 0;
}
