// Environment for a program that this process starts: puts back what leads to the collector. Pure.
#pragma once

#include <cstddef>

namespace perfscope::collector {

// "NAME=value" strings that live as long as the process; null where there is nothing to put back.
struct WantedEnvironment {
  const char* library = nullptr;         // path of the collector, for LD_PRELOAD
  const char* preload = nullptr;         // LD_PRELOAD=<library>
  const char* config = nullptr;          // PERFSCOPE_CONFIG=...
  const char* cuda_injection = nullptr;  // CUDA_INJECTION64_PATH=<library>
  const char* nvtx_injection = nullptr;  // NVTX_INJECTION64_PATH=<library>
  const char* chained_cuda = nullptr;    // PERFSCOPE_CHAINED_*=..., if this process has them
  const char* chained_nvtx = nullptr;
  const char* cupti = nullptr;    // PERFSCOPE_CUPTI=..., likewise
  const char* capture = nullptr;  // PERFSCOPE_CAPTURE_BUFFERS=..., likewise
};

// How much room repairEnvironment needs.
struct RepairRoom {
  size_t entries;  // of the pointer array, with the terminator
  size_t bytes;    // of text
};
RepairRoom repairRoom(const WantedEnvironment& wanted, const char* const* environment) noexcept;

// Copies `environment` (may be null) into `entries` and adds what is missing. A variable that is set stays as
// it is, but that LD_PRELOAD gets the collector in front. `text` receives at most one new LD_PRELOAD string.
// No allocation: it runs between vfork and exec.
void repairEnvironment(const WantedEnvironment& wanted, const char* const* environment, const char** entries,
                       char* text) noexcept;

}  // namespace perfscope::collector
