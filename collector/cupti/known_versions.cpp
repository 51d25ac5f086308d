// CUPTI versions with defects that matter to a recording.
#include "collector/cupti/known_versions.h"

#include <array>

namespace perfscope::collector {
namespace {

struct Defect {
  uint32_t first, last;  // versions, both included
  const char* sentence;
};

// Source: CUPTI release notes of CUDA 13.0 Update 1 and 13.3, resolved issues. Only what a recording can run
// into: one session a process, no timestamp callback, no finalize.
constexpr std::array<Defect, 2> kDefects = {{
    {130000, 130000,
     "13.0: can crash when NVTX is called before CUPTI, in long runs with many CUDA graphs, or dead-lock "
     "when tracing "
     "is switched off; fixed in 13.0 Update 1"},
    {130200, 130299, "13.2: repeated CUPTI calls become slow; fixed in 13.3"},
}};

}  // namespace

const char* knownDefect(uint32_t version) noexcept {
  for (const Defect& defect : kDefects)
    if (version >= defect.first && version <= defect.last) return defect.sentence;
  return nullptr;
}

}  // namespace perfscope::collector
