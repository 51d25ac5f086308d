// Interposed cuBLAS calls: shape and types of each matrix product -> one record; the arguments pass
// untouched. cublas.h is not used: one build serves every version, and these signatures are the same from
// CUDA 11 to 13.
#include <cstdint>

#include "collector/interpose/gemm_record.h"
#include "collector/interpose/next_symbol.h"

namespace {

namespace pc = perfscope::collector;
using perfscope::spool::Gemm;
using perfscope::spool::GemmApi;

constexpr int kNotInitialized = 1;  // CUBLAS_STATUS_NOT_INITIALIZED: what a call without a library deserves
constexpr const char* kCublas[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so",
                                   nullptr};

// Everything that the calls have in common. Sizes are 32 or 64 bits wide by variant.
struct Shape {
  int transpose_a, transpose_b;
  int64_t m, n, k;
  int64_t lda, ldb, ldc;
  int64_t batch;
  int a_type, b_type, c_type, compute_type;
  const void* beta;
};

// CUBLAS_POINTER_MODE_HOST = 0: only then may alpha and beta be read here.
bool scalarsOnHost(void* handle) noexcept {
  using F = int (*)(void*, int*);
  static pc::NextSymbol<F> next("cublasGetPointerMode_v2", kCublas);
  int mode = 1;
  const F get = next.get(nullptr);
  return get != nullptr && get(handle, &mode) == 0 && mode == 0;
}

void describe(Gemm& record, void* handle, const Shape& shape, GemmApi api) noexcept {
  if (shape.transpose_a != 0) record.head.flags |= pc::kGemmTransposeA;
  if (shape.transpose_b != 0) record.head.flags |= pc::kGemmTransposeB;
  record.compute_type = static_cast<uint16_t>(shape.compute_type);
  record.head.flags |=
      pc::betaFlag(scalarsOnHost(handle) ? shape.beta : nullptr, pc::scalarBytes(record.compute_type));
  record.m = pc::clipped(shape.m);
  record.n = pc::clipped(shape.n);
  record.k = pc::clipped(shape.k);
  record.batch = pc::clipped(shape.batch);
  record.a_type = static_cast<uint16_t>(shape.a_type);
  record.b_type = static_cast<uint16_t>(shape.b_type);
  record.c_type = record.d_type = static_cast<uint16_t>(shape.c_type);
  record.api = api;
  record.lda = pc::clipped(shape.lda);
  record.ldb = pc::clipped(shape.ldb);
  record.ldc = pc::clipped(shape.ldc);
}

// Forwards to the real function and records the call.
template <class F, class... Args>
int forward(pc::NextSymbol<F>& next, F ours, GemmApi api, const Shape& shape, void* handle,
            Args... args) noexcept {
  const F real = next.get(ours);
  if (real == nullptr) {
    next.complainOnce();
    return kNotInitialized;
  }
  return pc::recordGemm([&](Gemm& record) { describe(record, handle, shape, api); },
                        [&] { return real(handle, args...); });
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

int cublasGemmEx(void* handle, int transa, int transb, int m, int n, int k, const void* alpha, const void* a,
                 int a_type, int lda, const void* b, int b_type, int ldb, const void* beta, void* c,
                 int c_type, int ldc, int compute, int algo) {
  static pc::NextSymbol<decltype(&cublasGemmEx)> next("cublasGemmEx", kCublas);
  const Shape shape{transa, transb, m, n, k, lda, ldb, ldc, 1, a_type, b_type, c_type, compute, beta};
  return forward(next, &cublasGemmEx, GemmApi::GemmEx, shape, handle, transa, transb, m, n, k, alpha, a,
                 a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, compute, algo);
}

int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k, const float* alpha,
                   const float* a, int lda, const float* b, int ldb, const float* beta, float* c, int ldc) {
  static pc::NextSymbol<decltype(&cublasSgemm_v2)> next("cublasSgemm_v2", kCublas);
  const Shape shape{
      transa,           transb,          m,   n, k, lda, ldb, ldc, 1, pc::kTypeFloat32, pc::kTypeFloat32,
      pc::kTypeFloat32, pc::kCompute32F, beta};
  return forward(next, &cublasSgemm_v2, GemmApi::Sgemm, shape, handle, transa, transb, m, n, k, alpha, a, lda,
                 b, ldb, beta, c, ldc);
}

int cublasDgemm_v2(void* handle, int transa, int transb, int m, int n, int k, const double* alpha,
                   const double* a, int lda, const double* b, int ldb, const double* beta, double* c,
                   int ldc) {
  static pc::NextSymbol<decltype(&cublasDgemm_v2)> next("cublasDgemm_v2", kCublas);
  const Shape shape{
      transa,           transb,          m,   n, k, lda, ldb, ldc, 1, pc::kTypeFloat64, pc::kTypeFloat64,
      pc::kTypeFloat64, pc::kCompute64F, beta};
  return forward(next, &cublasDgemm_v2, GemmApi::Dgemm, shape, handle, transa, transb, m, n, k, alpha, a, lda,
                 b, ldb, beta, c, ldc);
}

int cublasHgemm(void* handle, int transa, int transb, int m, int n, int k, const void* alpha, const void* a,
                int lda, const void* b, int ldb, const void* beta, void* c, int ldc) {
  static pc::NextSymbol<decltype(&cublasHgemm)> next("cublasHgemm", kCublas);
  const Shape shape{
      transa,           transb,          m,   n, k, lda, ldb, ldc, 1, pc::kTypeFloat16, pc::kTypeFloat16,
      pc::kTypeFloat16, pc::kCompute16F, beta};
  return forward(next, &cublasHgemm, GemmApi::Hgemm, shape, handle, transa, transb, m, n, k, alpha, a, lda, b,
                 ldb, beta, c, ldc);
}

int cublasGemmStridedBatchedEx(void* handle, int transa, int transb, int m, int n, int k, const void* alpha,
                               const void* a, int a_type, int lda, long long stride_a, const void* b,
                               int b_type, int ldb, long long stride_b, const void* beta, void* c, int c_type,
                               int ldc, long long stride_c, int batch, int compute, int algo) {
  static pc::NextSymbol<decltype(&cublasGemmStridedBatchedEx)> next("cublasGemmStridedBatchedEx", kCublas);
  const Shape shape{transa, transb, m, n, k, lda, ldb, ldc, batch, a_type, b_type, c_type, compute, beta};
  return forward(next, &cublasGemmStridedBatchedEx, GemmApi::StridedBatched, shape, handle, transa, transb, m,
                 n, k, alpha, a, a_type, lda, stride_a, b, b_type, ldb, stride_b, beta, c, c_type, ldc,
                 stride_c, batch, compute, algo);
}

int cublasSgemmStridedBatched(void* handle, int transa, int transb, int m, int n, int k, const float* alpha,
                              const float* a, int lda, long long stride_a, const float* b, int ldb,
                              long long stride_b, const float* beta, float* c, int ldc, long long stride_c,
                              int batch) {
  static pc::NextSymbol<decltype(&cublasSgemmStridedBatched)> next("cublasSgemmStridedBatched", kCublas);
  const Shape shape{
      transa,           transb,          m,   n, k, lda, ldb, ldc, batch, pc::kTypeFloat32, pc::kTypeFloat32,
      pc::kTypeFloat32, pc::kCompute32F, beta};
  return forward(next, &cublasSgemmStridedBatched, GemmApi::StridedBatched, shape, handle, transa, transb, m,
                 n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, batch);
}

int cublasGemmBatchedEx(void* handle, int transa, int transb, int m, int n, int k, const void* alpha,
                        const void* const* a, int a_type, int lda, const void* const* b, int b_type, int ldb,
                        const void* beta, void* const* c, int c_type, int ldc, int batch, int compute,
                        int algo) {
  static pc::NextSymbol<decltype(&cublasGemmBatchedEx)> next("cublasGemmBatchedEx", kCublas);
  const Shape shape{transa, transb, m, n, k, lda, ldb, ldc, batch, a_type, b_type, c_type, compute, beta};
  return forward(next, &cublasGemmBatchedEx, GemmApi::Batched, shape, handle, transa, transb, m, n, k, alpha,
                 a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, batch, compute, algo);
}

int cublasGemmEx_64(void* handle, int transa, int transb, int64_t m, int64_t n, int64_t k, const void* alpha,
                    const void* a, int a_type, int64_t lda, const void* b, int b_type, int64_t ldb,
                    const void* beta, void* c, int c_type, int64_t ldc, int compute, int algo) {
  static pc::NextSymbol<decltype(&cublasGemmEx_64)> next("cublasGemmEx_64", kCublas);
  const Shape shape{transa, transb, m, n, k, lda, ldb, ldc, 1, a_type, b_type, c_type, compute, beta};
  return forward(next, &cublasGemmEx_64, GemmApi::GemmEx, shape, handle, transa, transb, m, n, k, alpha, a,
                 a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, compute, algo);
}

int cublasSgemm_v2_64(void* handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
                      const float* alpha, const float* a, int64_t lda, const float* b, int64_t ldb,
                      const float* beta, float* c, int64_t ldc) {
  static pc::NextSymbol<decltype(&cublasSgemm_v2_64)> next("cublasSgemm_v2_64", kCublas);
  const Shape shape{
      transa,           transb,          m,   n, k, lda, ldb, ldc, 1, pc::kTypeFloat32, pc::kTypeFloat32,
      pc::kTypeFloat32, pc::kCompute32F, beta};
  return forward(next, &cublasSgemm_v2_64, GemmApi::Sgemm, shape, handle, transa, transb, m, n, k, alpha, a,
                 lda, b, ldb, beta, c, ldc);
}

int cublasDgemm_v2_64(void* handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
                      const double* alpha, const double* a, int64_t lda, const double* b, int64_t ldb,
                      const double* beta, double* c, int64_t ldc) {
  static pc::NextSymbol<decltype(&cublasDgemm_v2_64)> next("cublasDgemm_v2_64", kCublas);
  const Shape shape{
      transa,           transb,          m,   n, k, lda, ldb, ldc, 1, pc::kTypeFloat64, pc::kTypeFloat64,
      pc::kTypeFloat64, pc::kCompute64F, beta};
  return forward(next, &cublasDgemm_v2_64, GemmApi::Dgemm, shape, handle, transa, transb, m, n, k, alpha, a,
                 lda, b, ldb, beta, c, ldc);
}

int cublasHgemm_64(void* handle, int transa, int transb, int64_t m, int64_t n, int64_t k, const void* alpha,
                   const void* a, int64_t lda, const void* b, int64_t ldb, const void* beta, void* c,
                   int64_t ldc) {
  static pc::NextSymbol<decltype(&cublasHgemm_64)> next("cublasHgemm_64", kCublas);
  const Shape shape{
      transa,           transb,          m,   n, k, lda, ldb, ldc, 1, pc::kTypeFloat16, pc::kTypeFloat16,
      pc::kTypeFloat16, pc::kCompute16F, beta};
  return forward(next, &cublasHgemm_64, GemmApi::Hgemm, shape, handle, transa, transb, m, n, k, alpha, a, lda,
                 b, ldb, beta, c, ldc);
}

int cublasGemmStridedBatchedEx_64(void* handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
                                  const void* alpha, const void* a, int a_type, int64_t lda,
                                  long long stride_a, const void* b, int b_type, int64_t ldb,
                                  long long stride_b, const void* beta, void* c, int c_type, int64_t ldc,
                                  long long stride_c, int64_t batch, int compute, int algo) {
  static pc::NextSymbol<decltype(&cublasGemmStridedBatchedEx_64)> next("cublasGemmStridedBatchedEx_64",
                                                                       kCublas);
  const Shape shape{transa, transb, m, n, k, lda, ldb, ldc, batch, a_type, b_type, c_type, compute, beta};
  return forward(next, &cublasGemmStridedBatchedEx_64, GemmApi::StridedBatched, shape, handle, transa, transb,
                 m, n, k, alpha, a, a_type, lda, stride_a, b, b_type, ldb, stride_b, beta, c, c_type, ldc,
                 stride_c, batch, compute, algo);
}

int cublasSgemmStridedBatched_64(void* handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
                                 const float* alpha, const float* a, int64_t lda, long long stride_a,
                                 const float* b, int64_t ldb, long long stride_b, const float* beta, float* c,
                                 int64_t ldc, long long stride_c, int64_t batch) {
  static pc::NextSymbol<decltype(&cublasSgemmStridedBatched_64)> next("cublasSgemmStridedBatched_64",
                                                                      kCublas);
  const Shape shape{
      transa,           transb,          m,   n, k, lda, ldb, ldc, batch, pc::kTypeFloat32, pc::kTypeFloat32,
      pc::kTypeFloat32, pc::kCompute32F, beta};
  return forward(next, &cublasSgemmStridedBatched_64, GemmApi::StridedBatched, shape, handle, transa, transb,
                 m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, batch);
}

int cublasGemmBatchedEx_64(void* handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
                           const void* alpha, const void* const* a, int a_type, int64_t lda,
                           const void* const* b, int b_type, int64_t ldb, const void* beta, void* const* c,
                           int c_type, int64_t ldc, int64_t batch, int compute, int algo) {
  static pc::NextSymbol<decltype(&cublasGemmBatchedEx_64)> next("cublasGemmBatchedEx_64", kCublas);
  const Shape shape{transa, transb, m, n, k, lda, ldb, ldc, batch, a_type, b_type, c_type, compute, beta};
  return forward(next, &cublasGemmBatchedEx_64, GemmApi::Batched, shape, handle, transa, transb, m, n, k,
                 alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, batch, compute, algo);
}

#pragma GCC visibility pop
}
