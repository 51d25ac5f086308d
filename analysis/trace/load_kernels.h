// The kernel table of a profile -> columns, read by several threads over ranges of row ids.
#pragma once

#include <string>

#include "analysis/trace/id_map.h"
#include "analysis/trace/kernel_table.h"
#include "schemas/result.h"

namespace perfscope {

struct KernelReferences {
  IdMap process, device, name, shape;
};

struct LoadedKernels {
  KernelTable table;     // in the order of the file
  int64_t rejected = 0;  // negative duration, time overflow, or a reference to a row that is not there
};

// Opens `path` once per thread (`threads` >= 1). Memory: 56 bytes a row, 64 with graph nodes, nothing else
// that grows. Errors: whatever SQLite reports, with the file.
Result<LoadedKernels> loadKernels(const std::string& path, const KernelReferences& references, int threads);

}  // namespace perfscope
