// PerfScope's own NVTX implementation: ranges, marks, payloads, categories and thread names into the rings,
// without CUPTI (whose marker records are bigger and need the one subscriber slot).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "collector/hot/lane_table.h"
#include "collector/hot/loss_tally.h"
#include "collector/window/trigger.h"

namespace perfscope::collector {

struct NvtxDomain {
  uint32_t index;
  const char* name;
  void* chained;  // the handle that a chained tool gave for it
};

// What the NVTX functions touch. Lives as long as the process: domains and registered texts are never freed,
// because rings point at them. Any thread.
struct NvtxState {
  LaneTable* lanes = nullptr;
  LossTally* losses = nullptr;
  std::atomic<WindowTrigger*> trigger{nullptr};  // while windows depend on ranges
  std::atomic<uint64_t> next_range_id{1};
  std::array<std::atomic<const NvtxDomain*>, kMaxDomains> domains{};  // 0 unused: the default domain
};

// The state the functions write to; null: they do nothing.
void setNvtxState(NvtxState* state) noexcept;
NvtxState* nvtxState() noexcept;

// Fills the function tables that an NVTX library offers. `get_export_table` is NvtxGetExportTableFunc_t.
// False when the library is not one we understand; then nothing was changed.
bool installNvtx(void* get_export_table) noexcept;

}  // namespace perfscope::collector
