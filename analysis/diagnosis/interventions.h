// What to try for a verdict, cheapest first, with the gain to expect.
#pragma once

#include <vector>

#include "analysis/diagnosis/gates.h"

namespace perfscope {

// `failed` is the gate that binds, `next` what binds once it is gone (may be "none"). A gain is the fraction
// of the analysed time that goes if the cause vanishes (Amdahl); empty when the records do not tell.
std::vector<Intervention> interventions(const ProfileFacts& facts, const WindowShares& shares,
                                        const Report& report, const Gate& failed, const std::string& next);

// Time saved, as a fraction of the window, if the launch gaps shrank to the GPU's own start-up time (a CUDA
// graph).
double graphGain(const ProfileFacts& facts, const WindowShares& shares);

// Time saved, as a fraction of the window, if the kernels with this roofline verdict reached their roof.
double roofGain(const WindowShares& shares, const Report& report, const std::string& verdict);

}  // namespace perfscope
