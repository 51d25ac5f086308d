// Names for tables: short enough for a column, and no two different kernels of a report with the same one.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/report.h"

namespace perfscope {

// One label a kernel, in the same order: its signature (kernel_signature.h) with as little detail as tells it
// apart from every other signature of the list; the same kernel on two devices has the same label. Never
// empty.
[[nodiscard]] std::vector<std::string> kernelLabels(const std::vector<KernelReport>& kernels);

}  // namespace perfscope
