// Which kernels did the work of which matrix product.
#pragma once

#include "analysis/facts/kernel_facts.h"

namespace perfscope {

struct GemmLinks {
  int64_t calls = 0;         // matrix products in the profile
  int64_t linked_calls = 0;  // of them with a kernel (directly, or captured into a graph that ran)
};

// Adds FLOPs and bytes of library calls to the groups of the kernels that they launched. A kernel belongs to
// a call when its launch begins inside the call on the same thread; a graph node when it (or the node it was
// cloned from) was made inside it, and then every execution counts. Of several kernels of one call (split-K
// reduction, fill) the longest GEMM-class one carries the work. Provenance "counted:api". `window`: see
// LinkedWork.
GemmLinks linkGemms(const Trace& trace, const std::vector<KernelClass>& classes, KernelFactsTable& groups,
                    Interval window = kAllTime);

}  // namespace perfscope
