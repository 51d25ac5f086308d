// Names for tables: kernels that differ only in their template arguments share a short name; here each gets a
// label that tells it apart. Pure.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/report.h"

namespace perfscope {

// One label a kernel, in the same order. The short name where it is unique on its device; otherwise the short
// name without its namespaces, and in angle brackets the part of the full name that the others do not have,
// such as "vectorized_elementwise_kernel <CUDAFunctor_add<float>>". Never empty.
[[nodiscard]] std::vector<std::string> kernelLabels(const std::vector<KernelReport>& kernels);

}  // namespace perfscope
