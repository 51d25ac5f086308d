// Interposed NCCL calls: operation, count, type, communicator, rank, peer and stream -> one record; forwarded
// untouched. nccl.h is not used: handles are opaque pointers, enumerations are ints.
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collector/hot/callbacks.h"
#include "collector/interpose/next_symbol.h"
#include "collector/process/clock.h"
#include "schemas/spool_format.h"

namespace {

namespace pc = perfscope::collector;
using perfscope::spool::Nccl;
using perfscope::spool::NcclOp;

constexpr int kInternalError = 3;  // ncclInternalError
constexpr const char* kNcclLibraries[] = {"libnccl.so.2", "libnccl.so", nullptr};
constexpr int kNone = -1;

struct Call {
  NcclOp op;
  size_t count = 0;
  int data_type = 0;
  int reduction = 0;  // 0 (sum) where the operation has none
  int peer = kNone;   // root, destination or source
  const void* communicator = nullptr;
  const void* stream = nullptr;
};

using AskCommunicator = int (*)(const void*, int*);

int ask(pc::NextSymbol<AskCommunicator>& next, const void* communicator) noexcept {
  const AskCommunicator function = next.get(nullptr);
  int value = kNone;
  return function != nullptr && function(communicator, &value) == 0 ? value : kNone;
}
int rankOf(const void* communicator) noexcept {
  static pc::NextSymbol<AskCommunicator> next("ncclCommUserRank", kNcclLibraries);
  return communicator != nullptr ? ask(next, communicator) : kNone;
}
int ranksOf(const void* communicator) noexcept {
  static pc::NextSymbol<AskCommunicator> next("ncclCommCount", kNcclLibraries);
  return communicator != nullptr ? ask(next, communicator) : kNone;
}

Nccl describe(const Call& call) noexcept {
  Nccl record{};
  record.head.kind = perfscope::spool::Kind::Nccl;
  record.count = call.count;
  record.communicator = reinterpret_cast<uint64_t>(call.communicator);
  record.op = call.op;
  record.data_type = static_cast<uint16_t>(call.data_type);
  record.reduction = static_cast<uint16_t>(call.reduction);
  record.rank = rankOf(call.communicator);
  record.ranks = ranksOf(call.communicator);
  record.peer = call.peer;
  record.stream_low = static_cast<uint32_t>(reinterpret_cast<uint64_t>(call.stream));
  return record;
}

template <class F, class... Args>
int forward(pc::NextSymbol<F>& next, F ours, const Call& call, Args... args) noexcept {
  const F real = next.get(ours);
  if (real == nullptr) {
    next.complainOnce();
    return kInternalError;
  }
  pc::HotState* hot = pc::hotState();
  if (hot == nullptr || !hot->nccl || !hot->collecting.load(std::memory_order_relaxed)) return real(args...);
  Nccl record = describe(call);
  record.start_ns = pc::realtimeNs();
  const int status = real(args...);
  record.end_ns = pc::realtimeNs();
  if (status == 0) hot->lanes->push(record);
  return status;
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

int ncclAllReduce(const void* send, void* recv, size_t count, int type, int op, void* comm, void* stream) {
  static pc::NextSymbol<decltype(&ncclAllReduce)> next("ncclAllReduce", kNcclLibraries);
  return forward(next, &ncclAllReduce, Call{NcclOp::AllReduce, count, type, op, kNone, comm, stream}, send,
                 recv, count, type, op, comm, stream);
}

int ncclBroadcast(const void* send, void* recv, size_t count, int type, int root, void* comm, void* stream) {
  static pc::NextSymbol<decltype(&ncclBroadcast)> next("ncclBroadcast", kNcclLibraries);
  return forward(next, &ncclBroadcast, Call{NcclOp::Broadcast, count, type, 0, root, comm, stream}, send,
                 recv, count, type, root, comm, stream);
}

int ncclBcast(void* buffer, size_t count, int type, int root, void* comm, void* stream) {
  static pc::NextSymbol<decltype(&ncclBcast)> next("ncclBcast", kNcclLibraries);
  return forward(next, &ncclBcast, Call{NcclOp::Broadcast, count, type, 0, root, comm, stream}, buffer, count,
                 type, root, comm, stream);
}

int ncclReduce(const void* send, void* recv, size_t count, int type, int op, int root, void* comm,
               void* stream) {
  static pc::NextSymbol<decltype(&ncclReduce)> next("ncclReduce", kNcclLibraries);
  return forward(next, &ncclReduce, Call{NcclOp::Reduce, count, type, op, root, comm, stream}, send, recv,
                 count, type, op, root, comm, stream);
}

int ncclAllGather(const void* send, void* recv, size_t count, int type, void* comm, void* stream) {
  static pc::NextSymbol<decltype(&ncclAllGather)> next("ncclAllGather", kNcclLibraries);
  return forward(next, &ncclAllGather, Call{NcclOp::AllGather, count, type, 0, kNone, comm, stream}, send,
                 recv, count, type, comm, stream);
}

int ncclReduceScatter(const void* send, void* recv, size_t count, int type, int op, void* comm,
                      void* stream) {
  static pc::NextSymbol<decltype(&ncclReduceScatter)> next("ncclReduceScatter", kNcclLibraries);
  return forward(next, &ncclReduceScatter, Call{NcclOp::ReduceScatter, count, type, op, kNone, comm, stream},
                 send, recv, count, type, op, comm, stream);
}

int ncclAlltoAll(const void* send, void* recv, size_t count, int type, void* comm, void* stream) {
  static pc::NextSymbol<decltype(&ncclAlltoAll)> next("ncclAlltoAll", kNcclLibraries);
  return forward(next, &ncclAlltoAll, Call{NcclOp::AllToAll, count, type, 0, kNone, comm, stream}, send, recv,
                 count, type, comm, stream);
}

int ncclGather(const void* send, void* recv, size_t count, int type, int root, void* comm, void* stream) {
  static pc::NextSymbol<decltype(&ncclGather)> next("ncclGather", kNcclLibraries);
  return forward(next, &ncclGather, Call{NcclOp::Gather, count, type, 0, root, comm, stream}, send, recv,
                 count, type, root, comm, stream);
}

int ncclScatter(const void* send, void* recv, size_t count, int type, int root, void* comm, void* stream) {
  static pc::NextSymbol<decltype(&ncclScatter)> next("ncclScatter", kNcclLibraries);
  return forward(next, &ncclScatter, Call{NcclOp::Scatter, count, type, 0, root, comm, stream}, send, recv,
                 count, type, root, comm, stream);
}

int ncclSend(const void* send, size_t count, int type, int peer, void* comm, void* stream) {
  static pc::NextSymbol<decltype(&ncclSend)> next("ncclSend", kNcclLibraries);
  return forward(next, &ncclSend, Call{NcclOp::Send, count, type, 0, peer, comm, stream}, send, count, type,
                 peer, comm, stream);
}

int ncclRecv(void* recv, size_t count, int type, int peer, void* comm, void* stream) {
  static pc::NextSymbol<decltype(&ncclRecv)> next("ncclRecv", kNcclLibraries);
  return forward(next, &ncclRecv, Call{NcclOp::Recv, count, type, 0, peer, comm, stream}, recv, count, type,
                 peer, comm, stream);
}

int ncclGroupStart() {
  static pc::NextSymbol<decltype(&ncclGroupStart)> next("ncclGroupStart", kNcclLibraries);
  return forward(next, &ncclGroupStart, Call{NcclOp::GroupStart});
}

int ncclGroupEnd() {
  static pc::NextSymbol<decltype(&ncclGroupEnd)> next("ncclGroupEnd", kNcclLibraries);
  return forward(next, &ncclGroupEnd, Call{NcclOp::GroupEnd});
}

#pragma GCC visibility pop
}
