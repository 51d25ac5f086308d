// Launch latency, launch cost and queue depth by hand.
#include "analysis/timeline/launches.h"

#include <gtest/gtest.h>

#include "analysis/trace/load_trace.h"
#include "tests/support/trace_builder.h"

namespace perfscope {
namespace {

using test::TraceBuilder;

LaunchFacts factsOf(TraceBuilder& b) {
  const auto trace = loadTrace(b.write(), {});
  EXPECT_TRUE(trace);
  return launchFacts(*trace);
}

TEST(Launches, LatencyIncludesQueueingAndDepthCountsWaitingLaunches) {
  TraceBuilder b;
  // Launched at 0, 10, 20; they start at 5, 105, 205: at launch 0 none waits, at 10 none (the first has
  // started), at 20 one (the second).
  b.kernel({.start_ns = 5, .duration_ns = 100, .launch_ns = 0, .launch_duration_ns = 3});
  b.kernel({.start_ns = 105, .duration_ns = 100, .launch_ns = 10, .launch_duration_ns = 4});
  b.kernel({.start_ns = 205, .duration_ns = 100, .launch_ns = 20, .launch_duration_ns = 5});
  const LaunchFacts facts = factsOf(b);
  EXPECT_EQ(facts.launches, 3);
  EXPECT_EQ(facts.latency.min_ns, 5);
  EXPECT_EQ(facts.latency.p50_ns, 95);
  EXPECT_EQ(facts.latency.max_ns, 185);
  EXPECT_EQ(facts.cost.p50_ns, 4);
  EXPECT_EQ(facts.queue_depth.min_ns, 0);
  EXPECT_EQ(facts.queue_depth.max_ns, 1);
}

TEST(Launches, AGraphLaunchCountsOnceThroughItsFirstNode) {
  TraceBuilder b;
  b.api("cudaGraphLaunch", 100, 40, 9);
  for (int64_t node = 0; node < 4; ++node) {
    b.kernel({.start_ns = 200 + 10 * node,
              .duration_ns = 5,
              .correlation = 9,
              .graph_id = 1,
              .graph_node = 50 + node});
  }
  const LaunchFacts facts = factsOf(b);
  EXPECT_EQ(facts.launches, 0);
  EXPECT_EQ(facts.graph_launches, 1);
  EXPECT_EQ(facts.graph_nodes, 4);
  EXPECT_EQ(facts.latency.count, 1);
  EXPECT_EQ(facts.latency.p50_ns, 100);
  EXPECT_TRUE(facts.cost_is_of_graphs);
  EXPECT_EQ(facts.cost.p50_ns, 40);
}

TEST(Launches, UnseenLaunchesAreCountedNotGuessed) {
  TraceBuilder b;
  b.kernel({.start_ns = 5, .duration_ns = 1});
  const LaunchFacts facts = factsOf(b);
  EXPECT_EQ(facts.unseen, 1);
  EXPECT_EQ(facts.latency.count, 0);
  EXPECT_EQ(facts.cost.count, 0);
}

TEST(Launches, DepthIsPerDevice) {
  TraceBuilder b;
  b.device(2);
  b.kernel({.start_ns = 1000, .duration_ns = 1, .launch_ns = 0});
  b.kernel({.start_ns = 1000, .duration_ns = 1, .launch_ns = 10, .device = 2});
  EXPECT_EQ(factsOf(b).queue_depth.max_ns, 0);
}

}  // namespace
}  // namespace perfscope
