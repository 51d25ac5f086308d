// The sections of a report for people (`--section a,b`), in the order they are printed.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/result.h"

namespace perfscope {

struct SectionInfo {
  std::string_view id, doc;
};

inline constexpr std::array<SectionInfo, 13> kReportSections = {{
    {"verdict", "the one constraint that binds, its evidence, what to do"},
    {"trust", "what was lost, withheld or assumed, and the cost of measuring"},
    {"devices", "each GPU: busy and idle time, clocks, power"},
    {"processes", "processes and ranks of the run"},
    {"steps", "duration of the program's steps, warm-up apart"},
    {"kernels", "GPU programs by time"},
    {"gaps", "idle time of the GPUs by cause; launch latency and queue"},
    {"roofline", "kernels against the limits of the chip"},
    {"communication", "collectives between GPUs"},
    {"memory", "peak memory and copies"},
    {"utilisation", "busy, HFU, MFU and MBU side by side"},
    {"findings", "what else stands out, with advice"},
    {"conventions", "definitions behind the numbers"},
}};

// "kernels, gaps" -> ids; empty text -> empty list (= all). Error (Usage) names the unknown one and lists the
// valid.
[[nodiscard]] Result<std::vector<std::string>> parseSections(std::string_view text);

}  // namespace perfscope
