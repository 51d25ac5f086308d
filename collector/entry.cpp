// The three doors of the collector: LD_PRELOAD (constructor), the CUDA driver (InitializeInjection), NVTX
// (InitializeInjectionNvtx2). All idempotent, in any order, from any thread.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "collector/guest.h"
#include "collector/nvtx/nvtx_chain.h"
#include "collector/nvtx/nvtx_handler.h"
#include "schemas/collector_config.h"

namespace {

using perfscope::collector::Guest;

// A tool that the user had chosen for the same door before us: called after ours.
void* chainedEntry(const char* variable, const char* symbol) noexcept {
  const char* path = std::getenv(variable);
  if (path == nullptr || *path == '\0') return nullptr;
  void* library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* entry = library != nullptr ? ::dlsym(library, symbol) : nullptr;
  if (entry == nullptr)
    std::fprintf(stderr, "perfscope: %s=%s cannot be chained: no %s\n", variable, path, symbol);
  return entry;
}

// The other tool fills the function tables first; ours then take its place and call it.
void callChainedNvtx(void* get_export_table) {
  using perfscope::collector::NvtxChain;
  using Entry = int (*)(void*);
  static const auto chained =
      reinterpret_cast<Entry>(chainedEntry(perfscope::kChainedNvtxVariable, "InitializeInjectionNvtx2"));
  if (chained == nullptr) return;
  const auto getExportTable = reinterpret_cast<NvtxGetExportTableFunc_t>(get_export_table);
  const auto before = NvtxChain::snapshot(getExportTable);
  chained(get_export_table);
  perfscope::collector::nvtxChain().learn(before, NvtxChain::snapshot(getExportTable));
}

// Loaded in every process of the tree, shells included: reads the configuration, nothing else.
__attribute__((constructor)) void preloaded() {
  Guest::instance();
}

}  // namespace

extern "C" {

// Called by the CUDA driver inside cuInit, in processes that use CUDA. 1 = all is well, whatever became of
// us.
__attribute__((visibility("default"))) int InitializeInjection() {
  Guest::instance().cudaBegins();
  using Entry = int (*)();
  static const auto chained =
      reinterpret_cast<Entry>(chainedEntry(perfscope::kChainedCudaVariable, "InitializeInjection"));
  if (chained != nullptr) chained();
  return 1;
}

// Called by each NVTX library in the process at its first NVTX call. 0 = NVTX stays without a tool.
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(void* get_export_table) {
  Guest& guest = Guest::instance();
  if (!guest.enabled() || perfscope::collector::nvtxState() == nullptr) return 0;
  callChainedNvtx(get_export_table);
  return perfscope::collector::installNvtx(get_export_table) ? 1 : 0;
}
}
