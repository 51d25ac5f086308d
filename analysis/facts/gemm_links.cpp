// Matching of launches and graph nodes with the library call they happened in.
#include "analysis/facts/gemm_links.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "analysis/facts/gemm_work.h"

namespace perfscope {
namespace {

constexpr size_t kNoRow = SIZE_MAX;

// Finds the call that was going on on a thread at a moment. Moments come nearly in order: the last answer is
// a good guess for the next.
class CallFinder {
 public:
  explicit CallFinder(const std::vector<GemmCall>& calls) : m_calls(calls) {
    for (size_t i = 0; i < calls.size(); ++i) {
      auto [place, fresh] = m_threads.try_emplace(calls[i].thread, Thread{i, i, i});
      place->second.end = i + 1;
    }
  }

  std::optional<size_t> find(uint32_t thread, int64_t time) {
    const auto found = m_threads.find(thread);
    if (found == m_threads.end()) return std::nullopt;
    Thread& range = found->second;
    size_t at = range.at;
    const bool near =
        m_calls[at].start_ns <= time && (at + 1 == range.end || time < m_calls[at + 1].start_ns);
    const bool next = !near && at + 1 < range.end && m_calls[at + 1].start_ns <= time &&
                      (at + 2 == range.end || time < m_calls[at + 2].start_ns);
    if (next) {
      ++at;
    } else if (!near) {
      const auto begin = m_calls.begin() + static_cast<std::ptrdiff_t>(range.begin);
      const auto end = m_calls.begin() + static_cast<std::ptrdiff_t>(range.end);
      const auto after = std::upper_bound(begin, end, time,
                                          [](int64_t t, const GemmCall& call) { return t < call.start_ns; });
      if (after == begin) return std::nullopt;
      at = static_cast<size_t>(after - m_calls.begin()) - 1;
    }
    range.at = at;
    // Closed at its end: a launch that begins with the last ns of the call is still the call's.
    if (time > m_calls[at].end_ns) return std::nullopt;
    return at;
  }

 private:
  struct Thread {
    size_t begin = 0, end = 0, at = 0;
  };
  const std::vector<GemmCall>& m_calls;
  std::unordered_map<uint32_t, Thread> m_threads;
};

struct NodeKey {
  uint16_t process = 0;
  int64_t node = 0;
  friend bool operator==(const NodeKey&, const NodeKey&) = default;
};
struct NodeHash {
  size_t operator()(const NodeKey& key) const {
    constexpr uint64_t kGolden = 0x9e3779b97f4a7c15U;  // spreads small consecutive ids over the buckets
    return (static_cast<uint64_t>(key.node) ^ uint64_t{key.process} << 48) * kGolden;
  }
};
struct Node {
  size_t call = 0;
  int64_t graph = 0;
  int64_t count = 0, total_ns = 0;
  double in_window = 0;  // executions
  uint32_t group = KernelFactsTable::kNoGroup;
};
using Nodes = std::unordered_map<NodeKey, Node, NodeHash>;

// Graph nodes that were made inside a call, or cloned from one that was.
Nodes nodesInCalls(const Trace& trace, CallFinder& finder) {
  constexpr int kHops =
      8;  // captured graph -> instantiated -> updated ...; a circle in a damaged file must end
  std::unordered_map<NodeKey, const GraphNodeRow*, NodeHash> rows;
  const auto processOf = [&](const GraphNodeRow& row) {
    const auto found = trace.process_index.find(row.process_id);
    return found == trace.process_index.end() ? std::optional<uint16_t>() : found->second;
  };
  for (const GraphNodeRow& row : trace.graph_nodes) {
    if (const auto process = processOf(row)) rows[{*process, row.node_id}] = &row;
  }
  Nodes nodes;
  for (const GraphNodeRow& row : trace.graph_nodes) {
    const auto process = processOf(row);
    if (!process) continue;
    const GraphNodeRow* source = &row;
    for (int hop = 0; hop < kHops && source->original_node_id; ++hop) {
      const auto original = rows.find({*process, *source->original_node_id});
      if (original == rows.end()) break;
      source = original->second;
    }
    const auto call = finder.find(static_cast<uint32_t>(source->thread_id), source->time_ns);
    if (call) nodes[{*process, row.node_id}] = {*call, row.graph_id};
  }
  return nodes;
}

class WorkAdder {
 public:
  WorkAdder(const Trace& trace, KernelFactsTable& groups) : m_trace(trace), m_groups(groups) {}

  // in_window: executions in the analysed window.
  void add(const GemmCall& call, uint32_t group_index, int64_t executions, int64_t total_ns,
           double in_window) {
    KernelFacts& group = m_groups.list[group_index];
    LinkedWork& work = group.work;
    const auto times = static_cast<double>(executions);
    work.launches += executions;
    work.window_launches += in_window;
    if (const auto flops = gemmFlops(call)) {
      work.flops += *flops * times;
      work.window_flops += *flops * in_window;
      work.flop_ns += total_ns;
    }
    if (const auto bytes = gemmBytes(call)) {
      work.bytes += *bytes * times;
      work.byte_ns += total_ns;
    }
    const KernelNameRow& name = m_trace.names[group.name];
    if (const auto precision = executedPrecision(call, name.demangled + " " + name.mangled)) {
      work.ns_by_precision[static_cast<size_t>(*precision)] += total_ns;
    }
    work.beta_unknown = work.beta_unknown || call.reads_c < 0;
    const std::string misaligned = misalignedDimension(call);
    if (misaligned.empty()) return;
    work.misaligned_ns += total_ns;
    if (total_ns >= m_most_misaligned[group_index]) {
      m_most_misaligned[group_index] = total_ns;
      work.misaligned = misaligned;
    }
  }

 private:
  const Trace& m_trace;
  KernelFactsTable& m_groups;
  std::map<uint32_t, int64_t> m_most_misaligned;
};

// The row of the kernel that carries each call's work, kNoRow when it launched none; node statistics on the
// way.
std::vector<size_t> mainKernels(const Trace& trace, const std::vector<KernelClass>& classes,
                                const KernelFactsTable& groups, Interval window, CallFinder& finder,
                                Nodes& nodes) {
  const KernelTable& kernels = trace.kernels;
  std::vector<size_t> best(trace.gemm_calls.size(), kNoRow);
  const auto better = [&](size_t a, size_t b) {
    const bool gemm_a = classes[kernels.name[a]] == KernelClass::Gemm;
    const bool gemm_b = classes[kernels.name[b]] == KernelClass::Gemm;
    return gemm_a != gemm_b ? gemm_a : kernels.duration_ns[a] > kernels.duration_ns[b];
  };
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (kernels.inGraph(i)) {
      const auto node = nodes.empty() ? nodes.end() : nodes.find({kernels.process[i], kernels.graph_node[i]});
      if (node == nodes.end()) continue;
      ++node->second.count;
      node->second.total_ns += kernels.duration_ns[i];
      node->second.in_window += partInside(kernels.start_ns[i], kernels.endNs(i), window);
      node->second.group = groups.index[kernels.device[i]][kernels.name[i]];
    } else if (kernels.hasLaunch(i)) {
      const auto call = finder.find(kernels.thread[i], kernels.launch_start_ns[i]);
      if (call && (best[*call] == kNoRow || better(i, best[*call]))) best[*call] = i;
    }
  }
  return best;
}

// Of the nodes that one call left in one graph, the one that carries the work.
std::vector<const Node*> mainNodes(const Nodes& nodes, const KernelFactsTable& groups) {
  std::map<std::pair<size_t, int64_t>, const Node*> best;
  const auto rank = [&](const Node& node) {
    return std::pair(groups.list[node.group].kernel_class == KernelClass::Gemm, node.total_ns);
  };
  for (const auto& [key, node] : nodes) {
    if (node.count == 0) continue;
    const Node*& chosen = best[{node.call, node.graph}];
    if (chosen == nullptr || rank(node) > rank(*chosen)) chosen = &node;
  }
  std::vector<const Node*> result;
  result.reserve(best.size());
  for (const auto& [key, node] : best) result.push_back(node);
  return result;
}

}  // namespace

GemmLinks linkGemms(const Trace& trace, const std::vector<KernelClass>& classes, KernelFactsTable& groups,
                    Interval window) {
  GemmLinks links;
  links.calls = static_cast<int64_t>(trace.gemm_calls.size());
  if (trace.gemm_calls.empty()) return links;
  CallFinder finder(trace.gemm_calls);
  Nodes nodes = nodesInCalls(trace, finder);
  const std::vector<size_t> best = mainKernels(trace, classes, groups, window, finder, nodes);
  WorkAdder adder(trace, groups);
  std::vector<bool> linked(trace.gemm_calls.size(), false);
  for (size_t call = 0; call < best.size(); ++call) {
    if (best[call] == kNoRow) continue;
    const size_t row = best[call];
    const uint32_t group = groups.index[trace.kernels.device[row]][trace.kernels.name[row]];
    const double in_window = partInside(trace.kernels.start_ns[row], trace.kernels.endNs(row), window);
    adder.add(trace.gemm_calls[call], group, 1, trace.kernels.duration_ns[row], in_window);
    linked[call] = true;
  }
  for (const Node* node : mainNodes(nodes, groups)) {
    adder.add(trace.gemm_calls[node->call], node->group, node->count, node->total_ns, node->in_window);
    linked[node->call] = true;
  }
  links.linked_calls = std::count(linked.begin(), linked.end(), true);
  return links;
}

}  // namespace perfscope
