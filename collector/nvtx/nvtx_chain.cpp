// A second NVTX tool behind ours.
#include "collector/nvtx/nvtx_chain.h"

namespace perfscope::collector {
namespace {

template <size_t N>
void copyTable(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module,
               std::array<NvtxFunctionPointer, N>& out) noexcept {
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (callbacks.GetModuleFunctionTable(module, &table, &size) == 0 || table == nullptr) return;
  for (unsigned int i = 1; i < N && i < size; ++i)
    if (table[i] != nullptr) out[i] = *table[i];
}

template <size_t N>
bool learnTable(const std::array<NvtxFunctionPointer, N>& before,
                const std::array<NvtxFunctionPointer, N>& after,
                std::array<std::atomic<NvtxFunctionPointer>, N>& known) noexcept {
  bool any = false;
  for (size_t i = 1; i < N; ++i) {
    if (after[i] == nullptr || after[i] == before[i]) continue;
    known[i].store(after[i], std::memory_order_relaxed);
    any = true;
  }
  return any;
}

}  // namespace

NvtxChain::Snapshot NvtxChain::snapshot(NvtxGetExportTableFunc_t get_export_table) noexcept {
  Snapshot snapshot;
  const auto* callbacks =
      get_export_table != nullptr
          ? static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS))
          : nullptr;
  if (callbacks == nullptr || callbacks->struct_size < sizeof(*callbacks)) return snapshot;
  copyTable(*callbacks, NVTX_CB_MODULE_CORE, snapshot.core);
  copyTable(*callbacks, NVTX_CB_MODULE_CORE2, snapshot.core2);
  return snapshot;
}

void NvtxChain::learn(const Snapshot& before, const Snapshot& after) noexcept {
  const bool core = learnTable(before.core, after.core, m_core);
  const bool core2 = learnTable(before.core2, after.core2, m_core2);
  if (core || core2) m_used.store(true, std::memory_order_release);
}

NvtxChain& nvtxChain() noexcept {
  static constinit NvtxChain chain;
  return chain;
}

}  // namespace perfscope::collector
