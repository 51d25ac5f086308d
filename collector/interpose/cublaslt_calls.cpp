// Interposed cublasLtMatmul: shape, types and epilogue are read from its descriptors with the library's own
// Get calls.
#include <cstddef>
#include <cstdint>

#include "collector/interpose/gemm_record.h"
#include "collector/interpose/next_symbol.h"

namespace {

namespace pc = perfscope::collector;
using perfscope::spool::Gemm;
using perfscope::spool::GemmApi;

constexpr int kNotInitialized = 1;  // CUBLAS_STATUS_NOT_INITIALIZED
constexpr const char* kCublasLt[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11",
                                     "libcublasLt.so", nullptr};

// Attribute numbers of cublasLt.h.
enum DescAttribute { kComputeType = 0, kPointerMode = 2, kTransA = 3, kTransB = 4, kEpilogue = 7 };
enum LayoutAttribute { kType = 0, kOrder = 1, kRows = 2, kCols = 3, kLeading = 4, kBatch = 5 };
constexpr uint32_t kEpilogueDefault = 1;

using GetAttribute = int (*)(const void*, int, void*, size_t, size_t*);

template <class T>
T attribute(GetAttribute get, const void* object, int which, T otherwise) noexcept {
  T value = otherwise;
  size_t written = 0;
  if (get == nullptr || object == nullptr || get(object, which, &value, sizeof(value), &written) != 0)
    return otherwise;
  return value;
}

GetAttribute descGetter() noexcept {
  static pc::NextSymbol<GetAttribute> next("cublasLtMatmulDescGetAttribute", kCublasLt);
  return next.get(nullptr);
}
GetAttribute layoutGetter() noexcept {
  static pc::NextSymbol<GetAttribute> next("cublasLtMatrixLayoutGetAttribute", kCublasLt);
  return next.get(nullptr);
}

struct Layouts {
  const void *a, *b, *c, *d;
};

void describe(Gemm& record, const void* desc, const Layouts& layouts, const void* beta) noexcept {
  const GetAttribute of_desc = descGetter();
  const GetAttribute of_layout = layoutGetter();
  const auto type = [&](const void* layout) {
    return static_cast<uint16_t>(attribute<int32_t>(of_layout, layout, kType, 0));
  };
  const auto extent = [&](const void* layout, int which) {
    return attribute<uint64_t>(of_layout, layout, which, 0);
  };
  const auto leading = [&](const void* layout) {
    return pc::clipped(attribute<int64_t>(of_layout, layout, kLeading, 0));
  };
  const bool transpose_a = attribute<int32_t>(of_desc, desc, kTransA, 0) != 0;
  const bool transpose_b = attribute<int32_t>(of_desc, desc, kTransB, 0) != 0;
  const bool on_host = attribute<int32_t>(of_desc, desc, kPointerMode, 0) == 0;
  const auto epilogue = attribute<uint32_t>(of_desc, desc, kEpilogue, kEpilogueDefault);
  record.compute_type =
      static_cast<uint16_t>(attribute<int32_t>(of_desc, desc, kComputeType, pc::kCompute32F));
  if (transpose_a) record.head.flags |= pc::kGemmTransposeA;
  if (transpose_b) record.head.flags |= pc::kGemmTransposeB;
  if (epilogue != kEpilogueDefault) record.head.flags |= pc::kGemmEpilogue;
  record.head.flags |= pc::betaFlag(on_host ? beta : nullptr, pc::scalarBytes(record.compute_type));
  record.m = static_cast<uint32_t>(extent(layouts.d, kRows));
  record.n = static_cast<uint32_t>(extent(layouts.d, kCols));
  record.k = static_cast<uint32_t>(extent(layouts.a, transpose_a ? kRows : kCols));
  record.batch = static_cast<uint32_t>(attribute<int32_t>(of_layout, layouts.d, kBatch, 1));
  record.a_type = type(layouts.a);
  record.b_type = type(layouts.b);
  record.c_type = type(layouts.c);
  record.d_type = type(layouts.d);
  record.api = GemmApi::LtMatmul;
  record.lda = leading(layouts.a);
  record.ldb = leading(layouts.b);
  record.ldc = leading(layouts.d);
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

int cublasLtMatmul(void* handle, void* desc, const void* alpha, const void* a, void* a_layout, const void* b,
                   void* b_layout, const void* beta, const void* c, void* c_layout, void* d, void* d_layout,
                   const void* algo, void* workspace, size_t workspace_bytes, void* stream) {
  static pc::NextSymbol<decltype(&cublasLtMatmul)> next("cublasLtMatmul", kCublasLt);
  const auto real = next.get(&cublasLtMatmul);
  if (real == nullptr) {
    next.complainOnce();
    return kNotInitialized;
  }
  return pc::recordGemm(
      [&](Gemm& record) {
        describe(record, desc, Layouts{a_layout, b_layout, c_layout, d_layout}, beta);
      },
      [&] {
        return real(handle, desc, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d, d_layout, algo,
                    workspace, workspace_bytes, stream);
      });
}

#pragma GCC visibility pop
}
