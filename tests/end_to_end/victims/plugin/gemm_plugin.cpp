// A library that calls cuBLAS and NCCL, loaded by `local_scope` as Python loads torch's.
#include "tests/support/standins/standin_cuda.h"
#include "tests/support/standins/standin_libraries.h"

extern "C" int runPlugin() {
  const uint32_t id = standinStreamCreate();
  auto* stream = reinterpret_cast<void*>(static_cast<uintptr_t>(id));
  void *handle = nullptr, *communicator = nullptr;
  const float one = 1, zero = 0;
  int status =
      cublasCreate_v2(&handle) + cublasSetStream_v2(handle, stream) + standinNcclComm(&communicator, 2, 1);
  for (int i = 0; i < 4; ++i) {
    status += cublasSgemm_v2(handle, 0, 0, 32, 16, 8, &one, nullptr, 32, nullptr, 8, &zero, nullptr, 32);
    status += ncclAllReduce(nullptr, nullptr, 4096, 7, 0, communicator, stream);
  }
  return status + standinStreamSynchronize(id);
}
