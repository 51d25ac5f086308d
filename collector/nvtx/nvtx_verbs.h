// What NVTX calls do: begin, end and mark, into the calling thread's ring. Hot: no allocation, no lock, no
// system call but the first of a thread.
#pragma once

#include <cstdint>

#include "collector/nvtx/nvtx_message.h"

namespace perfscope::collector {

// Push/pop per thread and domain. Both return the level of the range, from 0, or NVTX_NO_PUSH_POP_TRACKING.
int nvtxPush(NvtxMessage&& message) noexcept;
int nvtxPop(uint32_t domain) noexcept;
// Start/end ranges may cross threads. `id`: taken when not 0 (a chained tool's), else made; returns it, 0 =
// not recorded.
nvtxRangeId_t nvtxStart(NvtxMessage&& message, nvtxRangeId_t id = 0) noexcept;
void nvtxEnd(uint32_t domain, nvtxRangeId_t id) noexcept;
void nvtxMark(const NvtxMessage& message) noexcept;

}  // namespace perfscope::collector
