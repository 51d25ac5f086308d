// Stand-in libcublas: keeps a handle's stream and launches one kernel a call, with a name a real cuBLAS could
// give.
#include "tests/support/standins/standin_cuda.h"
#include "tests/support/standins/standin_libraries.h"

namespace {

struct Handle {
  void* stream = nullptr;
  int pointer_mode = 0;
};

int launch(void* handle, const char* name, int64_t m, int64_t n) {
  StandinKernel kernel{
      name,        {static_cast<uint32_t>((m + 127) / 128), static_cast<uint32_t>((n + 127) / 128), 1},
      {256, 1, 1}, {0, 0, 0},
      168,         0,
      98304,       5000};
  const auto stream =
      static_cast<uint32_t>(reinterpret_cast<uintptr_t>(static_cast<Handle*>(handle)->stream));
  return standinLaunch(stream, &kernel);
}

constexpr const char* kTensorKernel = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cublas";
constexpr const char* kVectorKernel = "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x128x8_cublas";

}  // namespace

extern "C" {

int cublasCreate_v2(void** handle) {
  *handle = new Handle;
  return 0;
}

int cublasDestroy_v2(void* handle) {
  delete static_cast<Handle*>(handle);
  return 0;
}

int cublasSetStream_v2(void* handle, void* stream) {
  static_cast<Handle*>(handle)->stream = stream;
  return 0;
}

int cublasGetStream_v2(void* handle, void** stream) {
  *stream = static_cast<Handle*>(handle)->stream;
  return 0;
}

int cublasSetPointerMode_v2(void* handle, int mode) {
  static_cast<Handle*>(handle)->pointer_mode = mode;
  return 0;
}

int cublasGetPointerMode_v2(void* handle, int* mode) {
  *mode = static_cast<Handle*>(handle)->pointer_mode;
  return 0;
}

int cublasSgemm_v2(void* handle, int, int, int m, int n, int, const float*, const float*, int, const float*,
                   int, const float*, float*, int) {
  return launch(handle, kVectorKernel, m, n);
}

int cublasDgemm_v2(void* handle, int, int, int m, int n, int, const double*, const double*, int,
                   const double*, int, const double*, double*, int) {
  return launch(handle, kVectorKernel, m, n);
}

int cublasGemmEx(void* handle, int, int, int m, int n, int, const void*, const void*, int, int, const void*,
                 int, int, const void*, void*, int, int, int, int) {
  return launch(handle, kTensorKernel, m, n);
}

int cublasGemmEx_64(void* handle, int, int, int64_t m, int64_t n, int64_t, const void*, const void*, int,
                    int64_t, const void*, int, int64_t, const void*, void*, int, int64_t, int, int) {
  return launch(handle, kTensorKernel, m, n);
}

int cublasGemmStridedBatchedEx(void* handle, int, int, int m, int n, int, const void*, const void*, int, int,
                               long long, const void*, int, int, long long, const void*, void*, int, int,
                               long long, int, int, int) {
  return launch(handle, kTensorKernel, m, n);
}

}  // extern "C"
