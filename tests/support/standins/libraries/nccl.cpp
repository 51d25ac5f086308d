// Stand-in libnccl: one process' view of a communicator; a collective is one kernel with NCCL's name for it.
#include "tests/support/standins/standin_cuda.h"
#include "tests/support/standins/standin_libraries.h"

namespace {

struct Communicator {
  int ranks, rank;
};

int launch(const char* name, void* stream) {
  const StandinKernel kernel{name, {24, 1, 1}, {544, 1, 1}, {0, 0, 0}, 96, 82240, 0, 20000};
  return standinLaunch(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(stream)), &kernel);
}

}  // namespace

extern "C" {

int standinNcclComm(void** communicator, int ranks, int rank) {
  *communicator = new Communicator{ranks, rank};
  return 0;
}

int ncclCommCount(void* communicator, int* count) {
  *count = static_cast<Communicator*>(communicator)->ranks;
  return 0;
}

int ncclCommUserRank(void* communicator, int* rank) {
  *rank = static_cast<Communicator*>(communicator)->rank;
  return 0;
}

int ncclAllReduce(const void*, void*, size_t, int, int, void*, void* stream) {
  return launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", stream);
}

int ncclBroadcast(const void*, void*, size_t, int, int, void*, void* stream) {
  return launch("ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)", stream);
}

int ncclAllGather(const void*, void*, size_t, int, void*, void* stream) {
  return launch("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", stream);
}

int ncclReduceScatter(const void*, void*, size_t, int, int, void*, void* stream) {
  return launch("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", stream);
}

int ncclReduce(const void*, void*, size_t, int, int, int, void*, void* stream) {
  return launch("ncclDevKernel_Reduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", stream);
}

int ncclSend(const void*, size_t, int, int, void*, void* stream) {
  return launch("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", stream);
}

int ncclRecv(void*, size_t, int, int, void*, void* stream) {
  return launch("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", stream);
}

int ncclGroupStart() {
  return 0;
}
int ncclGroupEnd() {
  return 0;
}

}  // extern "C"
