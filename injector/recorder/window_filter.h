// Leaves out what was launched outside the collection windows. The collector switches CUPTI a little early
// and a little late on purpose (it must not miss the first launch), so the exact cut is made here, by launch
// time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schemas/database.h"

namespace perfscope {

struct WindowEdge {
  int64_t time_ns = 0;
  bool collecting = false;
  std::string reason;  // as in the table window
};

// Pure. Half-open interval [begin, end); an absent end is open.
struct OffInterval {
  std::optional<int64_t> begin_ns, end_ns;
};

// Pure: edges in order of time -> the intervals in which nothing is to be kept. `configured`: the run had
// windows (then no edge at all means that none ever opened). The exit of the process closes nothing.
std::vector<OffInterval> offIntervals(const std::vector<WindowEdge>& edges, bool configured);

struct Dropped {
  int64_t gpu_records = 0;        // kernel, memcpy, memset, graph_launch
  int64_t unmatched_kernels = 0;  // of them: kernels whose launch call was not seen
};

// Deletes the process's GPU records, waits and API calls whose launch lies outside. Runs inside the caller's
// transaction.
Result<Dropped> dropOutsideWindows(const Database& db, int64_t process_id, bool configured);

}  // namespace perfscope
