// The C functions that CUPTI calls on application threads, and what they need.
#pragma once

#include <cupti.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "collector/cupti/cupti_api.h"
#include "collector/hot/bounded_queue.h"
#include "collector/hot/buffer_pool.h"
#include "collector/hot/lane_table.h"
#include "collector/hot/loss_tally.h"

namespace perfscope::collector {

struct ReadyBuffer {
  uint8_t* data;
  size_t bytes;        // size that CUPTI was given
  size_t valid_bytes;  // records lie here
  CUcontext context;
  uint32_t stream;
};

// What a background error of CUPTI was, for a note: only the first is kept in full, all are counted.
struct BackgroundError {
  std::atomic<uint32_t> state{0};  // 0 none, 1 being written, 2 ready
  int64_t code = 0;
  char message[200] = {};
};

// Everything the callbacks touch. Set up completely before CUPTI is told about the callbacks; never
// destroyed.
struct HotState {
  BufferPool* pool = nullptr;
  BoundedQueue<ReadyBuffer>* ready = nullptr;
  LaneTable* lanes = nullptr;
  LossTally* losses = nullptr;
  const CuptiApi* api = nullptr;
  bool may_refuse = false;  // this CUPTI accepts "no buffer" (12.9 and newer)
  std::atomic<uint64_t>* buffers_handed_out = nullptr;
  // For the library hooks: what is wanted at all, and whether a window is open (or about to open) now.
  bool gemm = false, nccl = false;
  std::atomic<bool> collecting{false};
  // The process ends and everything it did was asked for: threads that go on get no more buffers, so that the
  // drain comes to an end.
  std::atomic<bool> closing{false};
  // Another CUPTI client in this program tried to subscribe (and was refused).
  std::atomic<bool> other_profiler{false};
  BackgroundError background_error;
  // cudaProfilerStart / Stop seen: time of the last, and which it was. Read by the drain thread.
  std::atomic<uint64_t> profiler_api_ns{0};
  std::atomic<bool> profiler_api_on{false};
  // Contexts in the order they were made, for the sampling of counters; more are not looked at.
  std::array<std::atomic<CUcontext>, 64> contexts{};
  std::atomic<size_t> contexts_made{0};
  // Entry and exit of kernel launches, only with replay of counters.
  void (*launch)(void*, CUpti_CallbackId, const CUpti_CallbackData&) = nullptr;
  void* launch_self = nullptr;
  void (*wake)(void*) = nullptr;  // rings the drain thread's bell; async-signal-safe
  void* wake_self = nullptr;
};

// The one pointer through which CUPTI's C callbacks find us. Null: no session (buffers are refused). A forked
// child sets it to null before anything else.
void setHotState(HotState* state) noexcept;
HotState* hotState() noexcept;

// For cuptiActivityRegisterCallbacks.
void CUPTIAPI bufferRequested(uint8_t** buffer, size_t* bytes, size_t* max_records) noexcept;
void CUPTIAPI bufferCompleted(CUcontext context, uint32_t stream, uint8_t* buffer, size_t bytes,
                              size_t valid_bytes) noexcept;
// For cuptiSubscribe: graph nodes, profiler start/stop, background errors.
void CUPTIAPI eventCallback(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                            const void* data) noexcept;

}  // namespace perfscope::collector
