// Report -> JSON, the stable machine form (version 1; the schema is schemas/report.schema.json). Fields are
// added, never renamed. Unknown is null with the reason in the neighbouring *_why. Times integer ns, rates in
// base units.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "analysis/report/kernel_groups.h"
#include "analysis/report/report.h"

namespace perfscope {

struct JsonOptions {
  std::optional<size_t> top;             // at most so many kernels; the rest is counted in kernels_left_out
  const KernelGroups* groups = nullptr;  // adds "kernel_groups"; not owned
  int indent = 2;                        // negative: one line
};

// Ends with a line feed. A number that is not finite becomes null; text that is not UTF-8 is repaired.
[[nodiscard]] std::string renderJson(const Report& report, const JsonOptions& options = {});

}  // namespace perfscope
