// Measured overhead against its threshold.
#include "analysis/diagnosis/recording_overhead.h"

#include <fmt/format.h>

#include "analysis/metrics/thresholds.h"

namespace perfscope {

std::optional<double> heavyOverhead(const OverheadReport& overhead) {
  if (!overhead.measured) return std::nullopt;
  const double slowdown = overhead.measured->ratio - 1;
  return slowdown > threshold::kRecordingOverhead.value ? std::optional(slowdown) : std::nullopt;
}

std::string gainsWithheldWhy(const OverheadReport& overhead) {
  const auto slowdown = heavyOverhead(overhead);
  return slowdown ? fmt::format("the recording itself slowed the program by {:.0f} %", *slowdown * 100) : "";
}

}  // namespace perfscope
