// Known numbers of cuBLAS, cuBLASLt and NCCL calls with known shapes.
#include <initializer_list>

#include "tests/end_to_end/victims/victim.h"
#include "tests/support/standins/standin_libraries.h"

namespace {

constexpr int kBf16 = 14, kFloat = 0;                    // cudaDataType
constexpr int kCompute32F = 68, kDefaultAlgorithm = -1;  // cublasComputeType_t, cublasGemmAlgo_t

void products(void* stream) {
  void* handle = nullptr;
  cublasCreate_v2(&handle);
  cublasSetStream_v2(handle, stream);
  const float one = 1, zero = 0;
  const double done = 1, dzero = 0;
  for (int i = 0; i < 3; ++i) {
    cublasGemmEx(handle, 1, 0, 4096, 2048, 1024, &one, nullptr, kBf16, 1024, nullptr, kBf16, 1024, &zero,
                 nullptr, kBf16, 4096, kCompute32F, kDefaultAlgorithm);
  }
  cublasGemmEx_64(handle, 0, 0, 512, 256, 128, &one, nullptr, kBf16, 512, nullptr, kBf16, 128, &one, nullptr,
                  kBf16, 512, kCompute32F, kDefaultAlgorithm);
  cublasSgemm_v2(handle, 0, 1, 100, 200, 300, &one, nullptr, 100, nullptr, 200, &zero, nullptr, 100);
  cublasDgemm_v2(handle, 0, 0, 10, 20, 30, &done, nullptr, 10, nullptr, 30, &dzero, nullptr, 10);
  cublasGemmStridedBatchedEx(handle, 0, 0, 64, 64, 32, &one, nullptr, kFloat, 64, 2048, nullptr, kFloat, 32,
                             2048, &zero, nullptr, kFloat, 64, 4096, 16, kCompute32F, kDefaultAlgorithm);
  cublasSetPointerMode_v2(handle, 1);  // beta in device memory: nobody may read it
  cublasGemmEx(handle, 0, 0, 8, 8, 8, reinterpret_cast<void*>(0x10), nullptr, kBf16, 8, nullptr, kBf16, 8,
               reinterpret_cast<void*>(0x10), nullptr, kBf16, 8, kCompute32F, kDefaultAlgorithm);
  cublasDestroy_v2(handle);
}

void lightProduct(void* stream) {
  void *handle = nullptr, *descriptor = nullptr, *a = nullptr, *b = nullptr, *d = nullptr;
  cublasLtCreate(&handle);
  cublasLtMatmulDescCreate(&descriptor, kCompute32F, kFloat);
  const int transposed = 1;
  const unsigned gelu_bias = 32 | 4;
  const int batch = 4;
  cublasLtMatmulDescSetAttribute(descriptor, 3, &transposed, sizeof transposed);
  cublasLtMatmulDescSetAttribute(descriptor, 7, &gelu_bias, sizeof gelu_bias);
  cublasLtMatrixLayoutCreate(&a, kBf16, 768, 3072, 768);  // stored k x m, used transposed
  cublasLtMatrixLayoutCreate(&b, kBf16, 768, 8192, 768);
  cublasLtMatrixLayoutCreate(&d, kBf16, 3072, 8192, 3072);
  for (void* layout : {a, b, d}) cublasLtMatrixLayoutSetAttribute(layout, 5, &batch, sizeof batch);
  const float one = 1, zero = 0;
  cublasLtMatmul(handle, descriptor, &one, nullptr, a, nullptr, b, &zero, nullptr, d, nullptr, d, nullptr,
                 nullptr, 0, stream);
}

void collectives(void* stream) {
  void* communicator = nullptr;
  standinNcclComm(&communicator, 8, 3);
  constexpr int kFloat32 = 7, kSum = 0;
  for (int i = 0; i < 5; ++i) ncclAllReduce(nullptr, nullptr, 1000000, kFloat32, kSum, communicator, stream);
  ncclBroadcast(nullptr, nullptr, 42, kFloat32, 0, communicator, stream);
  ncclAllGather(nullptr, nullptr, 77, kFloat32, communicator, stream);
  ncclReduceScatter(nullptr, nullptr, 88, kFloat32, kSum, communicator, stream);
  ncclGroupStart();
  ncclSend(nullptr, 123, kFloat32, 4, communicator, stream);
  ncclRecv(nullptr, 123, kFloat32, 2, communicator, stream);
  ncclGroupEnd();
}

}  // namespace

int main() {
  const uint32_t id = standinStreamCreate();
  auto* stream = reinterpret_cast<void*>(static_cast<uintptr_t>(id));
  products(stream);
  lightProduct(stream);
  collectives(stream);
  standinStreamSynchronize(id);
  return 0;
}
