// Names for tables: kernels that differ only in their template arguments share a short name; here each gets a
// label that tells it apart. Pure.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/report.h"

namespace perfscope {

// One label a kernel, in the same order. The short name where it is unique on its device; otherwise the
// argument in which the full names differ, then the short name without its namespaces:
// "CUDAFunctor_add<float> in vectorized_elementwise_kernel". The argument stands first because narrow columns
// keep the front. Never empty.
[[nodiscard]] std::vector<std::string> kernelLabels(const std::vector<KernelReport>& kernels);

}  // namespace perfscope
