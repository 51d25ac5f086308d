// Kernel time summed another way than by name: `report --by class|stream|rank`. By class from the report
// alone; by stream and by rank the profile is read once more (SQL GROUP BY; about a second per few million
// kernels).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/report/report.h"
#include "schemas/result.h"

namespace perfscope {

struct KernelGroup {
  std::string name;  // "gemm", "stream 7", "rank 0"
  int64_t device = 0;
  int64_t count = 0;
  int64_t total_ns = 0;  // sum of durations, overlap counted twice
  double share = 0;      // of kernel_sum_ns of its device
};

struct KernelGroups {
  std::string by;                 // "class", "stream", "rank"
  std::vector<KernelGroup> list;  // by total_ns, then name, then device
};

[[nodiscard]] KernelGroups groupByClass(const Report& report);

// `by`: "class", "stream" or "rank". Errors: Usage for anything else (names the valid ones); those of the
// reader.
[[nodiscard]] Result<KernelGroups> groupKernels(const Report& report, const std::string& by);

}  // namespace perfscope
