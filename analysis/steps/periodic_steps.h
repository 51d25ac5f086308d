// Steps from the periodicity of the kernel sequence, for programs without markers.
#pragma once

#include "analysis/steps/steps.h"

namespace perfscope {

// Looks at the kernel names of the busiest stream in order of their start. A step begins at the
// kernel before which the GPU usually idles longest within a period. `why` says what was looked at when none
// is found.
Steps periodicSteps(const Trace& trace);

}  // namespace perfscope
