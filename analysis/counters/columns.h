// What ran on one GPU -> columns and subjects of the attribution: a column for each kernel name and launch
// shape that matters, pools for the rest, one for each kind of copy.
#pragma once

#include <string>
#include <vector>

#include "analysis/counters/attribution.h"
#include "analysis/facts/kernel_class.h"
#include "analysis/trace/trace.h"

namespace perfscope {

inline constexpr int32_t kNoSubject = -1;

struct CounterColumns {
  AttributionInput input;                // without samples
  std::vector<int32_t> subject_of_name;  // by Trace::names; kNoSubject = never ran on this GPU
  std::vector<uint8_t> is_pooled;        // by Trace::names: its subject is a pool
  std::vector<std::string> labels;       // by subject: short kernel name, "copies DtoH", "small gemm kernels"
  std::vector<int32_t> name_of_subject;  // kNoSubject = no kernel of its own
};

// `classes`: by Trace::names. Needs 24 bytes for everything that ran on the device.
CounterColumns counterColumns(const Trace& trace, const std::vector<KernelClass>& classes, size_t device);

}  // namespace perfscope
