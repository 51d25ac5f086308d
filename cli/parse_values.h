// Values of options as people type them. Pure; every error is a Usage error that shows an example.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/collector_config.h"
#include "schemas/result.h"

namespace perfscope::cli {

// "250ms", "5s", "1.5min", "2h", "100us", "50ns" -> nanoseconds. A unit is required; negative is refused.
[[nodiscard]] Result<uint64_t> parseDurationNs(std::string_view option, std::string_view text);

// "wait:warmup:active[:repeat]" into the step window of the configuration; active >= 1.
[[nodiscard]] Status parseSteps(std::string_view text, CollectorConfig& config);

// "all", "cuda-profiler-api" or "nvtx:NAME".
[[nodiscard]] Status parseCapture(std::string_view text, CollectorConfig& config);

// "20Hz", "20" -> 20; "off" -> 0. At most 100 Hz: NVML's own values change no faster.
[[nodiscard]] Result<double> parseNvmlRate(std::string_view text);

// "k=v"; the key is letters, digits, '_', '-' and '.'.
[[nodiscard]] Result<std::pair<std::string, std::string>> parseLabel(std::string_view text);

// "0,8,16".
[[nodiscard]] Result<std::vector<uint32_t>> parseRanks(std::string_view text);

}  // namespace perfscope::cli
