// CUDA graphs of the stand-in driver: node handles and ids, instantiation as a clone, node-level or
// graph-level runs.
#include <cupti.h>

#include <memory>
#include <vector>

#include "tests/support/standins/driver/state.h"

namespace {

struct Node {
  uint64_t id;
  StandinKernel kernel;
};

// A graph and its executable: the handle of either is the address of its part.
struct Part {
  uint32_t id = 0;
  std::vector<std::unique_ptr<Node>> nodes;
};

std::atomic<uint64_t> g_next_node{0};
std::atomic<uint32_t> g_next_graph{0};

}  // namespace

struct StandinGraph {
  Part graph, executable;
};

using perfscope::standin::ApiScope;
using perfscope::standin::currentDevice;
using perfscope::standin::Driver;
using perfscope::standin::GpuWork;
using perfscope::standin::GraphNodeEvent;
using perfscope::standin::GraphRun;
using perfscope::standin::Sink;

extern "C" {

StandinGraph* standinGraphCreate() {
  const ApiScope api("cudaGraphCreate", CUPTI_RUNTIME_TRACE_CBID_cudaGraphCreate_v10000,
                     CUPTI_DRIVER_TRACE_CBID_cuGraphCreate);
  auto* graph = new StandinGraph;
  graph->graph.id = g_next_graph.fetch_add(1) + 1;
  return graph;
}

void standinGraphAddKernel(StandinGraph* graph, const StandinKernel* kernel) {
  const ApiScope api("cudaGraphAddKernelNode", CUPTI_RUNTIME_TRACE_CBID_cudaGraphAddKernelNode_v10000,
                     CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode);
  graph->graph.nodes.push_back(std::make_unique<Node>(Node{g_next_node.fetch_add(1) + 1, *kernel}));
  if (const Sink* sink = Driver::get().sink()) {
    sink->graph_node({&graph->graph, nullptr, graph->graph.nodes.back().get(), nullptr});
  }
}

int standinGraphInstantiate(StandinGraph* graph) {
  const ApiScope api("cudaGraphInstantiate", CUPTI_RUNTIME_TRACE_CBID_cudaGraphInstantiate_v12000,
                     CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags);
  if (!api.ready()) return 3;
  graph->executable.id = g_next_graph.fetch_add(1) + 1;
  for (const auto& node : graph->graph.nodes) {
    graph->executable.nodes.push_back(
        std::make_unique<Node>(Node{g_next_node.fetch_add(1) + 1, node->kernel}));
    if (const Sink* sink = Driver::get().sink()) {
      sink->graph_node({&graph->executable, &graph->graph, graph->executable.nodes.back().get(), node.get()});
    }
  }
  return 0;
}

// All nodes share the correlation id of the one launch call.
int standinGraphLaunch(StandinGraph* graph, uint32_t stream) {
  const ApiScope api("cudaGraphLaunch", CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000,
                     CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch);
  if (!api.ready()) return 3;
  Driver& driver = Driver::get();
  const Sink* sink = driver.sink();
  const bool whole = sink != nullptr && sink->wants_graph_runs();
  GraphRun run;
  for (const auto& node : graph->executable.nodes) {
    const Driver::Span span = driver.queue(stream, node->kernel.duration_ns, currentDevice());
    if (run.start_ns == 0)
      run = {span.start_ns, 0, api.correlation(), graph->executable.id, span.device, span.device + 1, stream};
    run.end_ns = span.end_ns;
    if (sink == nullptr || whole) continue;
    GpuWork work;
    work.kernel = node->kernel;
    work.start_ns = span.start_ns;
    work.end_ns = span.end_ns;
    work.graph_node_id = node->id;
    work.graph_id = graph->executable.id;
    work.device = span.device;
    work.context = span.device + 1;
    work.stream = stream;
    work.correlation = api.correlation();
    sink->gpu_work(work);
  }
  if (whole) sink->graph_run(run);
  return 0;
}

uint64_t standinGraphNodeId(const void* node) {
  return static_cast<const Node*>(node)->id;
}
uint32_t standinGraphId(const void* graph) {
  return static_cast<const Part*>(graph)->id;
}

}  // extern "C"
