// Grouping by counting: one pass for the sums, one that sorts durations into their groups, then percentiles
// per group.
#include "analysis/facts/kernel_facts.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/timeline/distribution.h"

namespace perfscope {
namespace {

// Time per launch shape of one group. Most groups have one or few shapes, and the same again and again.
class ShapeTimes {
 public:
  void add(uint32_t shape, int64_t ns) {
    if (m_last == nullptr || m_last_shape != shape) {
      m_last = &m_times[shape];
      m_last_shape = shape;
    }
    *m_last += ns;
  }
  [[nodiscard]] int64_t count() const { return static_cast<int64_t>(m_times.size()); }
  [[nodiscard]] uint32_t main() const {
    const auto best = std::max_element(m_times.begin(), m_times.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second < b.second : a.first > b.first;
    });
    return best == m_times.end() ? 0 : best->first;
  }

 private:
  std::unordered_map<uint32_t, int64_t> m_times;  // references stay valid when it grows
  int64_t* m_last = nullptr;
  uint32_t m_last_shape = 0;
};

void addDistributions(const Trace& trace, IndexRange range, const std::vector<uint32_t>& group_of_name,
                      std::vector<KernelFacts>& groups) {
  std::vector<size_t> begin(groups.size() + 1, 0);
  for (size_t i = range.begin; i < range.end; ++i) ++begin[group_of_name[trace.kernels.name[i]] + size_t{1}];
  for (size_t g = 0; g < groups.size(); ++g) begin[g + 1] += begin[g];
  std::vector<int64_t> durations(range.size());
  std::vector<size_t> place(begin.begin(), begin.end() - 1);
  for (size_t i = range.begin; i < range.end; ++i) {
    durations[place[group_of_name[trace.kernels.name[i]]]++] = trace.kernels.duration_ns[i];
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    if (begin[g + 1] == begin[g]) continue;
    groups[g].duration = distributionOf(durations.data() + begin[g], durations.data() + begin[g + 1]);
  }
}

void addToWindow(const KernelTable& kernels, size_t i, Interval window, WindowPart& part) {
  const Interval record{kernels.start_ns[i], kernels.endNs(i)};
  const int64_t inside = intersection(record, window).length();
  if (inside == 0 && partInside(record.start, record.end, window) == 0) return;
  ++part.count;
  part.total_ns += inside;
  part.graph_node_count += kernels.inGraph(i) ? 1 : 0;
}

}  // namespace

std::vector<KernelClass> kernelClasses(const Trace& trace) {
  std::vector<KernelClass> classes;
  classes.reserve(trace.names.size());
  for (const KernelNameRow& row : trace.names) {
    classes.push_back(classOf(row.demangled.empty() ? row.mangled : row.demangled));
  }
  return classes;
}

double partInside(int64_t start_ns, int64_t end_ns, Interval window) {
  if (start_ns == end_ns) return start_ns >= window.start && start_ns < window.end ? 1 : 0;
  const int64_t inside = intersection({start_ns, end_ns}, window).length();
  return static_cast<double>(inside) / static_cast<double>(end_ns - start_ns);
}

void addShortTimes(const Trace& trace, int64_t launch_cost_ns, KernelFactsTable& groups) {
  const KernelTable& kernels = trace.kernels;
  for (size_t device = 0; device < groups.index.size(); ++device) {
    const IndexRange range = trace.device_kernels[device];
    for (size_t i = range.begin; i < range.end; ++i) {
      if (kernels.duration_ns[i] >= launch_cost_ns) continue;
      groups.list[groups.index[device][kernels.name[i]]].short_ns += kernels.duration_ns[i];
    }
  }
}

KernelFactsTable gatherKernelFacts(const Trace& trace, const std::vector<KernelClass>& classes,
                                   Interval window) {
  KernelFactsTable groups;
  const KernelTable& kernels = trace.kernels;
  for (size_t device = 0; device < trace.devices.size(); ++device) {
    std::vector<uint32_t> of_name(trace.names.size(), KernelFactsTable::kNoGroup);
    const IndexRange range = trace.device_kernels[device];
    const size_t first = groups.list.size();
    std::vector<ShapeTimes> shapes(first);
    for (size_t i = range.begin; i < range.end; ++i) {
      uint32_t& group = of_name[kernels.name[i]];
      if (group == KernelFactsTable::kNoGroup) {
        group = static_cast<uint32_t>(groups.list.size());
        KernelFacts fresh;
        fresh.device = static_cast<uint16_t>(device);
        fresh.name = kernels.name[i];
        fresh.kernel_class = classes[fresh.name];
        groups.list.push_back(fresh);
        shapes.emplace_back();
      }
      KernelFacts& entry = groups.list[group];
      ++entry.count;
      entry.total_ns += kernels.duration_ns[i];
      entry.graph_node_count += kernels.inGraph(i) ? 1 : 0;
      addToWindow(kernels, i, window, entry.window);
      shapes[group].add(kernels.shape[i], kernels.duration_ns[i]);
    }
    for (size_t g = first; g < groups.list.size(); ++g) {
      groups.list[g].main_shape = shapes[g].main();
      groups.list[g].shape_count = shapes[g].count();
    }
    addDistributions(trace, range, of_name, groups.list);
    groups.index.push_back(std::move(of_name));
  }
  return groups;
}

}  // namespace perfscope
