// The one sentence: what binds this program, by how much, and what to do first.
#pragma once

#include "analysis/diagnosis/gates.h"

namespace perfscope {

// The first gate in the order of elimination that fails; "none" when no gate does. Confidence (0..1) is the
// product of factors for what weakens the judgement: lost data, no steps, few steps, kernels whose FLOPs or
// bytes are not known, idle time without a cause.
VerdictReport verdict(const ProfileFacts& facts, const WindowShares& shares, const Report& report);

}  // namespace perfscope
