// How kernels reach the GPU: launch latency, what a launch call costs the host, how far the host is ahead.
#pragma once

#include "analysis/timeline/distribution.h"
#include "analysis/trace/trace.h"

namespace perfscope {

struct LaunchFacts {
  int64_t launches = 0;        // kernels launched by a call of their own that was seen
  int64_t graph_launches = 0;  // graph launches that were seen; their nodes are not launches
  int64_t unseen = 0;          // kernels whose launch call was not seen
  Distribution latency;  // kernel start - entry of its call (queueing included); of a graph its first node
  Distribution cost;     // duration of launch calls; of graph launches only when there are no others
  Distribution window_cost;  // the same of the launches whose kernels began in the analysed window
  Distribution
      queue_depth;  // launches made before this one and not yet started on that device; unit: launches
  bool cost_is_of_graphs = false;
  int64_t graph_nodes = 0;  // kernels started by graph launches that were seen
};

// All devices together; needs 8 bytes a kernel for as long as it runs.
LaunchFacts launchFacts(const Trace& trace, Interval window = kAllTime);

}  // namespace perfscope
