// Big spools for benchmarks, written as the collector writes them: launches, kernels, copies, NVTX steps,
// with the API records of a thread arriving later than the kernels, as CUPTI's per-thread buffers do.
#pragma once

#include <cstdint>
#include <string>

namespace perfscope::bench {

struct FloodResult {
  uint64_t records = 0;  // of all kinds
  uint64_t kernels = 0;
  uint64_t bytes = 0;
};

// Makes one process folder with about `records` spool records below `session_dir`. Deterministic. Throws
// std::runtime_error when the disk is full.
FloodResult writeFlood(const std::string& session_dir, uint64_t records, uint32_t pid = 4242);

}  // namespace perfscope::bench
