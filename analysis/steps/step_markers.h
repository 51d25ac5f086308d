// Steps from the ranges that a program pushed.
#pragma once

#include <string>

#include "analysis/steps/steps.h"

namespace perfscope {

// The steps of the process with most marked ranges (of several equal ones the first rank). Empty list when no
// range matched. Boundaries: begin of a range to the begin of the next one; to its own end where the
// numbering does not go on. When more than half of the steps
// still run on the GPU after the host began the next one, the host runs ahead and its ranges say nothing
// about time: the boundaries become the first GPU record launched inside each range.
Steps markedSteps(const Trace& trace, const std::string& step_marker);

}  // namespace perfscope
