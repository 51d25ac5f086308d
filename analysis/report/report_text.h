// Report -> text for a terminal: 100 columns, verdict first, every number with its unit or the reason why it
// is missing. Pure: the same report and options give the same text. Computes nothing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/report/kernel_groups.h"
#include "analysis/report/report.h"

namespace perfscope {

struct TextOptions {
  size_t columns = 100;
  bool color = false;
  bool utf8 = true;
  size_t top = 15;                       // rows of the long tables
  std::vector<std::string> sections;     // ids of report_sections.h; empty = all
  const KernelGroups* groups = nullptr;  // instead of the kernel table (`--by`); not owned
};

[[nodiscard]] std::string renderText(const Report& report, const TextOptions& options);

// What `perfscope run` prints at its end: verdict, losses, one line a device, steps and the few longest
// kernels.
[[nodiscard]] std::string renderSummary(const Report& report, const TextOptions& options);

}  // namespace perfscope
