// What the measured cost of the recording does to the judgement.
#pragma once

#include <optional>
#include <string>

#include "analysis/report/report.h"

namespace perfscope {

// The slow-down as a fraction (0.25 = 25 % longer) where it was measured and is above
// threshold::kRecordingOverhead; empty where it is less or was not measured (nothing is known then: that is
// not 0).
std::optional<double> heavyOverhead(const OverheadReport& overhead);

// Why gains are withheld: "the recording itself slowed the program by 25 %". Empty when they are not.
std::string gainsWithheldWhy(const OverheadReport& overhead);

}  // namespace perfscope
