// All kernel executions of a profile in columns: 56 bytes a kernel (64 with CUDA graphs), sorted by device
// and start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace perfscope {

// "Not recorded" in a time column (0 is a time like any other).
inline constexpr int64_t kUnknownTime = std::numeric_limits<int64_t>::min();

// A value; whoever holds it owns it. Times are ns since the profile's time base.
struct KernelTable {
  std::vector<int64_t> start_ns, duration_ns;
  std::vector<int64_t> launch_start_ns, launch_duration_ns;  // of the API call; kUnknownTime when not seen
  std::vector<uint32_t> name, shape;                         // indices into Trace::names, Trace::shapes
  std::vector<uint32_t> stream;                              // CUPTI stream id, unique within its process
  std::vector<uint32_t> thread;                              // row id of the launching thread, 0 = not seen
  std::vector<uint32_t> correlation;
  std::vector<uint16_t> process, device;  // indices into Trace::processes, Trace::devices
  std::vector<int64_t> graph_node;        // 0 = no graph node; empty when the profile has no graph at all

  [[nodiscard]] size_t size() const { return start_ns.size(); }
  [[nodiscard]] int64_t endNs(size_t i) const { return start_ns[i] + duration_ns[i]; }
  [[nodiscard]] bool hasLaunch(size_t i) const { return launch_start_ns[i] != kUnknownTime; }
  [[nodiscard]] bool inGraph(size_t i) const { return !graph_node.empty() && graph_node[i] != 0; }

  // Calls visit(vector) for every column that is in use.
  template <class Visit>
  void forEachColumn(Visit&& visit) {
    visit(start_ns), visit(duration_ns), visit(launch_start_ns), visit(launch_duration_ns);
    visit(name), visit(shape), visit(stream), visit(thread), visit(correlation);
    visit(process), visit(device);
    if (!graph_node.empty()) visit(graph_node);
  }
  void resize(size_t count) {
    forEachColumn([count](auto& column) { column.resize(count); });
  }
  // Moves the rows [from, from + count) down to `to` (to <= from).
  void moveDown(size_t from, size_t count, size_t to);
};

// Sorts by (device, start), keeping the order of equals. Costs nothing when the rows are sorted already,
// little when they consist of few ascending runs (what a recorder writes), and at most n log n. Needs 8 bytes
// a row beside one column's copy.
void sortByDeviceAndStart(KernelTable& kernels, size_t device_count);

}  // namespace perfscope
