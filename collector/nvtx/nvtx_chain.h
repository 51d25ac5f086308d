// A second NVTX tool behind ours: the one that the user had chosen with NVTX_INJECTION64_PATH before
// `perfscope run` took the variable. It gets every call that we get, with its own handles.
#pragma once

#define NVTX_NO_IMPL  // NVTX's own switch for tools: types and tables, no client code
#include <nvtx3/nvToolsExt.h>

#include <array>
#include <atomic>
#include <cstdint>

namespace perfscope::collector {

// What the other tool's entry put into an NVTX library's function tables. Any thread; set at an NVTX
// library's start.
class NvtxChain {
 public:
  // Call around the other tool's initialisation for each NVTX library: what it changed in the tables is its
  // own.
  struct Snapshot {
    std::array<NvtxFunctionPointer, NVTX_CBID_CORE_SIZE> core{};
    std::array<NvtxFunctionPointer, NVTX_CBID_CORE2_SIZE> core2{};
  };
  static Snapshot snapshot(NvtxGetExportTableFunc_t get_export_table) noexcept;
  void learn(const Snapshot& before, const Snapshot& after) noexcept;

  [[nodiscard]] bool used() const noexcept { return m_used.load(std::memory_order_acquire); }

  // Calls the other tool's function, if it has one; else gives R{}.
  template <class R, class... Args>
  R call(NvtxCallbackIdCore id, Args... args) const noexcept {
    return forward<R>(m_core[id].load(std::memory_order_relaxed), args...);
  }
  template <class R, class... Args>
  R call(NvtxCallbackIdCore2 id, Args... args) const noexcept {
    return forward<R>(m_core2[id].load(std::memory_order_relaxed), args...);
  }

 private:
  template <class R, class... Args>
  static R forward(NvtxFunctionPointer function, Args... args) noexcept {
    if (function == nullptr) return R();
    return reinterpret_cast<R (*)(Args...)>(function)(args...);
  }

  std::atomic<bool> m_used{false};
  std::array<std::atomic<NvtxFunctionPointer>, NVTX_CBID_CORE_SIZE> m_core{};
  std::array<std::atomic<NvtxFunctionPointer>, NVTX_CBID_CORE2_SIZE> m_core2{};
};

// The one chain of the process.
NvtxChain& nvtxChain() noexcept;

}  // namespace perfscope::collector
