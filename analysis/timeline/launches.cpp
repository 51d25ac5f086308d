// Launch statistics. A graph launch counts as one launch that starts with its first node.
#include "analysis/timeline/launches.h"

#include <algorithm>
#include <unordered_set>

namespace perfscope {
namespace {

// Which kernels stand for a launch: every one with a call of its own, and the first node of every graph
// launch.
std::vector<bool> launchMarks(const Trace& trace, LaunchFacts& facts) {
  const KernelTable& kernels = trace.kernels;
  std::vector<bool> marks(kernels.size(), false);
  std::unordered_set<uint64_t> graph_launches;
  uint64_t last = ~uint64_t{0};
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (!kernels.hasLaunch(i)) {
      ++facts.unseen;
    } else if (!kernels.inGraph(i)) {
      ++facts.launches;
      marks[i] = true;
    } else {
      ++facts.graph_nodes;
      const uint64_t key = uint64_t{kernels.process[i]} << 32 | kernels.correlation[i];
      if (key != last) marks[i] = graph_launches.insert(key).second;
      last = key;
    }
  }
  facts.graph_launches = static_cast<int64_t>(graph_launches.size());
  return marks;
}

// One column at a time: three would be a quarter of a gigabyte with ten million kernels.
template <class Value>
Distribution gather(const std::vector<bool>& marks, Value&& value) {
  std::vector<int64_t> values;
  for (size_t i = 0; i < marks.size(); ++i) {
    if (marks[i]) value(i, values);
  }
  return distributionOf(values.data(), values.data() + values.size());
}

// Of the launches whose kernels began in the window.
std::vector<bool> marksInside(const KernelTable& kernels, const std::vector<bool>& marks, Interval window) {
  std::vector<bool> inside(marks.size(), false);
  for (size_t i = 0; i < marks.size(); ++i) {
    inside[i] = marks[i] && kernels.start_ns[i] >= window.start && kernels.start_ns[i] < window.end;
  }
  return inside;
}

// counts[depth] += launches that found this many others waiting. Starts are sorted, launches nearly.
void countDepths(const KernelTable& kernels, IndexRange range, const std::vector<bool>& marks,
                 std::vector<int64_t>& counts) {
  std::vector<int64_t> launches;
  for (size_t i = range.begin; i < range.end; ++i) {
    if (marks[i]) launches.push_back(kernels.launch_start_ns[i]);
  }
  if (!std::is_sorted(launches.begin(), launches.end())) std::sort(launches.begin(), launches.end());
  size_t next = range.begin;
  size_t started = 0;
  for (size_t made = 0; made < launches.size(); ++made) {
    while (next < range.end && kernels.start_ns[next] <= launches[made]) started += marks[next++] ? 1 : 0;
    const size_t depth = made - std::min(started, made);
    if (depth >= counts.size()) counts.resize(depth + 1, 0);
    ++counts[depth];
  }
}

}  // namespace

LaunchFacts launchFacts(const Trace& trace, Interval window) {
  LaunchFacts facts;
  const KernelTable& kernels = trace.kernels;
  const std::vector<bool> marks = launchMarks(trace, facts);
  facts.latency = gather(marks, [&](size_t i, std::vector<int64_t>& values) {
    values.push_back(kernels.start_ns[i] - kernels.launch_start_ns[i]);
  });
  facts.cost_is_of_graphs = facts.launches == 0 && facts.graph_launches > 0;
  const auto cost = [&](size_t i, std::vector<int64_t>& values) {
    if (kernels.inGraph(i) == facts.cost_is_of_graphs) values.push_back(kernels.launch_duration_ns[i]);
  };
  facts.cost = gather(marks, cost);
  const std::vector<bool> inside = marksInside(kernels, marks, window);
  facts.window_cost = inside == marks ? facts.cost : gather(inside, cost);
  std::vector<int64_t> depths;
  for (const IndexRange range : trace.device_kernels) countDepths(kernels, range, marks, depths);
  facts.queue_depth = distributionOfCounts(depths);
  return facts;
}

}  // namespace perfscope
