// CUPTI versions with defects that matter to a recording, from NVIDIA's release notes.
#pragma once

#include <cstdint>

namespace perfscope::collector {

// The sentence to show, or null. `version` as cuptiGetVersion. Pure.
const char* knownDefect(uint32_t version) noexcept;

}  // namespace perfscope::collector
