// Profile -> memory: what is kept, joined, rejected.
#include "analysis/trace/load_trace.h"

#include <gtest/gtest.h>

#include <fstream>

#include "analysis/trace/load_events.h"
#include "analysis/trace/range_texts.h"
#include "tests/support/trace_builder.h"

namespace perfscope {
namespace {

using test::TraceBuilder;

Trace load(TraceBuilder& builder, const std::string& marker = {}) {
  auto trace = loadTrace(builder.write(), {marker, 2});
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().sentence());
  return trace ? std::move(*trace) : Trace{};
}

TEST(LoadTrace, AnEmptyProfileIsATraceWithoutRecords) {
  TraceBuilder b;
  const Trace t = load(b);
  EXPECT_EQ(t.kernels.size(), 0U);
  EXPECT_EQ(t.devices.size(), 1U);
  EXPECT_TRUE(t.closed);
}

TEST(LoadTrace, RefusesWhatIsNoProfileWithTheFileInTheMessage) {
  const test::TempDir dir;
  const auto missing = loadTrace(dir.file("none.perfscope"), {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::InputMissing);
  std::ofstream(dir.file("text.perfscope")) << "this is no database, but long enough to look like something";
  const auto text = loadTrace(dir.file("text.perfscope"), {});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, ErrorKind::InputRefused);
  EXPECT_NE(text.error().sentence().find("text.perfscope"), std::string::npos);
}

TEST(LoadTrace, ABadStepMarkerIsAUsageError) {
  TraceBuilder b;
  const auto trace = loadTrace(b.write(), {"step[", 1});
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().kind, ErrorKind::Usage);
}

TEST(LoadTrace, NullLaunchIsUnknownNotZero) {
  TraceBuilder b;
  b.kernel({.name = "a", .start_ns = 100, .duration_ns = 5});
  b.kernel({.name = "b", .start_ns = 200, .duration_ns = 5, .launch_ns = 0});  // time 0 is a time
  const Trace t = load(b);
  ASSERT_EQ(t.kernels.size(), 2U);
  EXPECT_FALSE(t.kernels.hasLaunch(0));
  EXPECT_TRUE(t.kernels.hasLaunch(1));
  EXPECT_EQ(t.kernels.launch_start_ns[1], 0);
}

TEST(LoadTrace, ImpossibleRowsAreCountedAndLeftOut) {
  TraceBuilder b;
  b.kernel({.name = "good", .start_ns = 100, .duration_ns = 5});
  b.kernel({.name = "negative", .start_ns = 100, .duration_ns = -5});
  b.kernel({.name = "nowhere", .start_ns = 100, .duration_ns = 5, .device = 99});
  b.kernel({.name = "overflow", .start_ns = INT64_MAX - 1, .duration_ns = 5});
  b.copy({.start_ns = 10, .duration_ns = -1});
  const Trace t = load(b);
  EXPECT_EQ(t.kernels.size(), 1U);
  EXPECT_EQ(t.ops.size(), 0U);
  EXPECT_EQ(t.rejected_records, 4);
}

TEST(LoadTrace, AHugeRowIdDoesNotAskForHugeMemory) {
  TraceBuilder b;
  b.kernel({.name = "a", .start_ns = 1, .duration_ns = 1});
  KernelRow row;
  row.id = INT64_MAX - 1;
  row.process_id = row.device_id = row.name_id = row.shape_id = 1;
  row.start_ns = 5;
  row.duration_ns = 1;
  b.row(row);
  EXPECT_EQ(load(b).kernels.size(), 2U);
}

TEST(LoadTrace, ParallelReadingKeepsEveryRowOnce) {
  TraceBuilder b;
  constexpr int64_t kCount = 450'000;  // enough for two slices
  KernelRow row;
  b.kernel({.name = "k", .start_ns = 0, .duration_ns = 1}).begin();
  for (int64_t i = 2; i <= kCount; ++i) {
    if (i % 1000 == 0) continue;  // holes
    row.id = i;
    row.process_id = row.device_id = row.name_id = row.shape_id = 1;
    row.start_ns = i * 10;
    row.duration_ns = 3;
    if (i == kCount - 1) row.graph_node_id = 77;
    b.row(row);
  }
  b.commit();
  const Trace t = load(b);
  ASSERT_EQ(t.kernels.size(), static_cast<size_t>(kCount - kCount / 1000));
  int64_t sum = 0;
  for (size_t i = 1; i < t.kernels.size(); ++i) {
    ASSERT_LT(t.kernels.start_ns[i - 1], t.kernels.start_ns[i]);
    sum += t.kernels.duration_ns[i];
  }
  EXPECT_EQ(sum, 3 * static_cast<int64_t>(t.kernels.size() - 1));
  EXPECT_TRUE(t.kernels.inGraph(t.kernels.size() - 1));
  EXPECT_FALSE(t.kernels.inGraph(0));
}

TEST(LoadTrace, AGraphLaunchIsTheLaunchOfAllItsNodes) {
  TraceBuilder b;
  b.api("cudaGraphLaunch_v10000", 1000, 50, 42);
  b.kernel(
      {.name = "a", .start_ns = 1100, .duration_ns = 5, .correlation = 42, .graph_id = 1, .graph_node = 10});
  b.kernel(
      {.name = "b", .start_ns = 1110, .duration_ns = 5, .correlation = 42, .graph_id = 1, .graph_node = 11});
  b.kernel({.name = "c", .start_ns = 1120, .duration_ns = 5, .correlation = 43});
  const Trace t = load(b);
  EXPECT_EQ(t.kernels.launch_start_ns[0], 1000);
  EXPECT_EQ(t.kernels.launch_duration_ns[1], 50);
  EXPECT_FALSE(t.kernels.hasLaunch(2));
}

TEST(LoadTrace, NestedLibraryCallsAreOneProduct) {
  TraceBuilder b;
  b.gemm({.start_ns = 100, .duration_ns = 50, .m = 8, .n = 8, .k = 8});
  b.gemm({.start_ns = 110, .duration_ns = 20, .m = 8, .n = 8, .k = 8});  // inside: cuBLAS calling cuBLASLt
  b.gemm({.start_ns = 110, .duration_ns = 20, .m = 8, .n = 8, .k = 8, .thread = 2});
  EXPECT_EQ(load(b).gemm_calls.size(), 2U);
}

TEST(LoadTrace, OnlyRangesOfInterestAreKept) {
  TraceBuilder b;
  b.range("step 0", 0, 10)
      .range("forward", 1, 5)
      .range("DataLoader __next__ dataloader", 11, 3)
      .range("step 1", 20, {});
  const Trace t = load(b);
  ASSERT_EQ(t.step_ranges.size(), 2U);
  EXPECT_EQ(t.step_ranges[1].duration_ns, kUnknownTime);
  EXPECT_EQ(t.input_ranges.size(), 1U);
}

TEST(RangeTexts, StepNumbers) {
  EXPECT_EQ(stepNumber("step 12"), 12);
  EXPECT_EQ(stepNumber("ProfilerStep#3"), 3);
  EXPECT_EQ(stepNumber("Step 0"), 0);
  for (const auto* text :
       {"step", "step x", "step 1 of 3", "stepping 1", "optimizer.step 1", "step -1", ""}) {
    EXPECT_FALSE(stepNumber(text)) << text;
  }
}

TEST(RangeTexts, AMarkerReplacesTheDefaults) {
  const auto matcher = StepMatcher::make("^iter");
  ASSERT_TRUE(matcher);
  EXPECT_TRUE(matcher->matches("iteration 4"));
  EXPECT_FALSE(matcher->matches("step 4"));
}

TEST(RangeTexts, DataLoading) {
  EXPECT_TRUE(isDataLoading("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"));
  EXPECT_TRUE(isDataLoading("load batch 7"));
  EXPECT_TRUE(isDataLoading("data"));
  EXPECT_FALSE(isDataLoading("forward"));
  EXPECT_FALSE(isDataLoading("metadata"));
}

TEST(ApiKind, ByName) {
  EXPECT_EQ(apiKind("cudaGraphLaunch_v10000"), ApiKind::GraphLaunch);
  EXPECT_EQ(apiKind("cuLaunchKernelEx"), ApiKind::Launch);
  EXPECT_EQ(apiKind("cudaMallocAsync"), ApiKind::Allocation);
  EXPECT_EQ(apiKind("cudaFree"), ApiKind::Allocation);
  EXPECT_EQ(apiKind("cudaStreamSynchronize"), ApiKind::Synchronization);
  EXPECT_EQ(apiKind("cuModuleLoadData"), ApiKind::ModuleLoad);
  EXPECT_EQ(apiKind("cudaEventRecord"), ApiKind::Other);
}

}  // namespace
}  // namespace perfscope
