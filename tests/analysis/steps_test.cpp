// Steps from markers and from periodicity, warm-up, statistics.
#include "analysis/steps/steps.h"

#include <gtest/gtest.h>

#include "analysis/steps/periodicity.h"
#include "analysis/trace/load_trace.h"
#include "tests/support/trace_builder.h"

namespace perfscope {
namespace {

using test::TraceBuilder;

Steps stepsOf(TraceBuilder& b, const std::string& marker = {}) {
  const auto trace = loadTrace(b.write(), {marker, 1});
  EXPECT_TRUE(trace);
  return findSteps(*trace, marker);
}

// Steps of 100 us whose kernel runs in the first half; each range covers 90 us of it.
TraceBuilder& addSteps(TraceBuilder& b, int count, const std::string& prefix) {
  for (int i = 0; i < count; ++i) {
    const int64_t start = 100'000 * i;
    b.range(prefix + std::to_string(i), start, 90'000);
    b.kernel({.name = "k", .start_ns = start + 10'000, .duration_ns = 50'000, .launch_ns = start + 1'000});
  }
  return b;
}

TEST(Steps, RangesRunToTheBeginOfTheNextOneAndTheLastToItsOwnEnd) {
  TraceBuilder b;
  const Steps steps = stepsOf(addSteps(b, 3, "step "));
  ASSERT_EQ(steps.list.size(), 3U);
  EXPECT_EQ(steps.source, "nvtx: step n");
  EXPECT_FALSE(steps.on_device);
  EXPECT_EQ(steps.list[0].range, (Interval{0, 100'000}));
  EXPECT_EQ(steps.list[2].range, (Interval{200'000, 290'000}));
  EXPECT_EQ(steps.list[1].busy_ns, 50'000);
  EXPECT_EQ(steps.list[1].kernel_count, 1);
  EXPECT_EQ(steps.list[2].index, 2);
}

// Collection was on during steps 2, 3 and 6 only (each 100 us, the window opens with the range).
TEST(Steps, OutsideTheRecordingWindowsThereAreNone) {
  TraceBuilder b;
  auto trace = loadTrace(addSteps(b, 8, "step ").write(), {"", 1});
  ASSERT_TRUE(trace);
  trace->unrecorded.assign(1, IntervalSet({{0, 200'100}, {390'000, 600'100}, {690'000, 5'000'000}}));
  const Steps steps = findSteps(*trace, "");
  ASSERT_EQ(steps.list.size(), 3U);
  EXPECT_EQ(steps.list[0].index, 2);
  EXPECT_EQ(steps.list[1].range.end, 390'000);  // its own end: nobody saw what came after
  EXPECT_EQ(steps.list[2].index, 6);
  EXPECT_NE(steps.list[1].loop, steps.list[2].loop);
}

TEST(Steps, ProfilerStepAndOwnMarkers) {
  TraceBuilder profiler;
  EXPECT_EQ(stepsOf(addSteps(profiler, 4, "ProfilerStep#")).list.size(), 4U);
  TraceBuilder own;
  addSteps(own, 4, "iteration ").range("step 99", 5'000'000, 10);
  const Steps steps = stepsOf(own, "^iteration");
  EXPECT_EQ(steps.list.size(), 4U);
  EXPECT_EQ(steps.source, "marker: ^iteration");
  EXPECT_EQ(steps.list[3].index, 3);
}

TEST(Steps, NestedMarkersAreNoStepsOfTheirOwn) {
  TraceBuilder b;
  addSteps(b, 3, "step ").range("step 7", 20'000, 10'000);
  EXPECT_EQ(stepsOf(b).list.size(), 3U);
}

TEST(Steps, WhenTheHostRunsAheadTheDeviceHasTheBoundaries) {
  TraceBuilder b;  // ranges every 10 us, kernels of 100 us: the host is done long before the GPU
  for (int i = 0; i < 10; ++i) {
    b.range("step " + std::to_string(i), 10'000 * i, 9'000);
    b.kernel({.start_ns = 200'000 + 110'000 * i, .duration_ns = 100'000, .launch_ns = 10'000 * i + 1'000});
  }
  const Steps steps = stepsOf(b);
  ASSERT_EQ(steps.list.size(), 10U);
  EXPECT_TRUE(steps.on_device);
  EXPECT_EQ(steps.list[0].range, (Interval{200'000, 310'000}));
  EXPECT_EQ(steps.list[9].range.length(), 100'000);
  EXPECT_EQ(steps.list[4].busy_ns, 100'000);
}

// Training with 5 steps of 100 us, then a long set-up, then decoding with 20 steps of 10 us: two loops, never
// mixed.
TEST(Steps, NumberingThatStartsAgainIsAnotherLoop) {
  TraceBuilder b;
  addSteps(b, 5, "step ");
  for (int i = 0; i < 20; ++i) {
    const int64_t start = 5'000'000 + 10'000 * i;
    b.range("step " + std::to_string(i), start, 9'000);
    b.kernel({.name = "k", .start_ns = start + 1'000, .duration_ns = 5'000, .launch_ns = start + 100});
  }
  const auto trace = loadTrace(b.write(), {});
  ASSERT_TRUE(trace);
  const Steps steps = findSteps(*trace, {});
  ASSERT_EQ(steps.list.size(), 25U);
  EXPECT_EQ(steps.loopCount(), 2);
  EXPECT_EQ(steps.list[4].range.length(), 90'000);  // to its own end, not over the set-up
  EXPECT_EQ(steps.mainLoop().size(), 5U);           // 490 us against 199 us
  for (const Step& step : steps.list) EXPECT_FALSE(step.warmup) << step.name;
  EXPECT_EQ(analysedWindow(*trace, steps), (Interval{0, 490'000}));
  EXPECT_EQ(*stepStatistics(steps.mainLoop()).median_ns, 100'000);
}

TEST(Steps, AWindowWithoutCollectionIsNoPartOfAStep) {
  TraceBuilder b;
  for (const int64_t i : {0, 1, 2, 50, 51}) b.range("step " + std::to_string(i), 100'000 * i, 90'000);
  b.kernel({.start_ns = 10'000, .duration_ns = 10, .launch_ns = 5'000});
  const Steps steps = stepsOf(b);
  ASSERT_EQ(steps.list.size(), 5U);
  EXPECT_EQ(steps.list[1].range.length(), 100'000);
  EXPECT_EQ(steps.list[2].range.length(), 90'000);
  EXPECT_EQ(steps.loopCount(), 1);
}

TEST(Steps, TheFirstRankOfEqualsIsTaken) {
  TraceBuilder b;
  b.process(1, 1).process(2, 0);
  for (int64_t process : {1, 2}) {
    for (int i = 0; i < 3; ++i)
      b.range("step " + std::to_string(i), 1000 * i + process, 900, process, process);
  }
  EXPECT_EQ(stepsOf(b).process, 1U);  // index of process row 2, rank 0
}

TEST(Steps, PeriodicityFindsThemWithoutMarkers) {
  TraceBuilder b;
  int64_t time = 0;
  const auto kernel = [&](const std::string& name, int64_t pause) {
    time += pause;
    b.kernel({.name = name, .start_ns = time, .duration_ns = 10'000, .launch_ns = time - 1'000});
    time += 10'000;
  };
  for (const auto* name : {"init", "seed", "init"}) kernel(name, 1'000);
  for (int step = 0; step < 12; ++step) {
    kernel("embed", 50'000);  // the pause is before the step's first kernel
    for (int layer = 0; layer < 6; ++layer) {
      kernel("norm", 1'000);
      kernel("gemm", 1'000);
      kernel("gelu", 1'000);
    }
    kernel("loss", 1'000);
  }
  const Steps steps = stepsOf(b);
  EXPECT_EQ(steps.source, "periodicity");
  EXPECT_GT(steps.confidence, 0.95);
  ASSERT_GE(steps.list.size(), 11U);
  EXPECT_EQ(steps.list[0].kernel_count, 20);  // embed + 6 x 3 + loss, not the period of the layers (3)
  EXPECT_EQ(steps.list[0].range.length(), 20 * 11'000 + 49'000);
}

TEST(Steps, NoneIsSaidWithItsReason) {
  TraceBuilder b;
  for (int i = 0; i < 40; ++i) {
    b.kernel({.name = "k" + std::to_string(i), .start_ns = 1000 * i, .duration_ns = 10});
  }
  const Steps steps = stepsOf(b);
  EXPECT_FALSE(steps.found());
  EXPECT_EQ(steps.source, "none");
  EXPECT_NE(steps.why.find("no period that could be a step"), std::string::npos);
  TraceBuilder empty;
  EXPECT_NE(stepsOf(empty).why.find("no kernels"), std::string::npos);
  TraceBuilder marker;
  marker.kernel({.start_ns = 1, .duration_ns = 1});
  EXPECT_NE(stepsOf(marker, "nothing").why.find("no range matches nothing"), std::string::npos);
}

TEST(Periodicity, OneSymbolOrTooFewPeriodsIsNoPeriod) {
  EXPECT_FALSE(findPeriod(std::vector<uint32_t>(100, 1)));
  EXPECT_FALSE(findPeriod({}));
  EXPECT_FALSE(findPeriod({1, 2, 3, 1, 2, 3}));  // two periods prove nothing
  const auto three = findPeriod({1, 2, 3, 1, 2, 3, 1, 2, 3});
  ASSERT_TRUE(three);
  EXPECT_EQ(three->length, 3U);
  EXPECT_EQ(three->count, 3U);
}

TEST(Periodicity, NoiseLowersTheMatchAndTooMuchOfItIsRefused) {
  std::vector<uint32_t> series;
  for (int i = 0; i < 400; ++i) series.push_back(static_cast<uint32_t>(i % 10));
  for (size_t i = 5; i < series.size(); i += 37) series[i] = 77;
  const auto noisy = findPeriod(series);
  ASSERT_TRUE(noisy);
  EXPECT_EQ(noisy->length, 10U);
  EXPECT_LT(noisy->match, 0.99);
  for (size_t i = 0; i < series.size(); ++i) {
    if (i % 3 == 0) series[i] = static_cast<uint32_t>(1000 + i);
  }
  EXPECT_FALSE(findPeriod(series));
}

std::vector<Step> stepsOfLengths(const std::vector<int64_t>& lengths) {
  std::vector<Step> steps;
  int64_t time = 0;
  for (const int64_t length : lengths) {
    Step step;
    step.range = {time, time + length};
    time += length;
    steps.push_back(step);
  }
  return steps;
}

TEST(Warmup, OnlySlowStepsAtTheBeginning) {
  auto steps = stepsOfLengths({500, 200, 100, 101, 99, 100, 400, 100});
  markWarmup(steps);
  EXPECT_TRUE(steps[0].warmup);
  EXPECT_TRUE(steps[1].warmup);
  EXPECT_FALSE(steps[2].warmup);
  EXPECT_FALSE(steps[6].warmup);  // slow later on: a tail, not warm-up
  const StepStatistics s = stepStatistics(steps);
  EXPECT_EQ(s.warmup, 2);
  EXPECT_EQ(s.steady, 6);
  EXPECT_EQ(*s.median_ns, 100);
  EXPECT_EQ(*s.max_ns, 400);
}

TEST(Warmup, EqualStepsHaveNone) {
  auto steps = stepsOfLengths({101, 100, 100, 100, 100});  // MAD 0, but 1 % is noise
  markWarmup(steps);
  EXPECT_FALSE(steps[0].warmup);
}

TEST(StepStatistics, DriftNeedsNineSteps) {
  const StepStatistics few = stepStatistics(stepsOfLengths({100, 100, 110}));
  EXPECT_FALSE(few.drift.has());
  EXPECT_FALSE(few.drift.why.empty());
  const StepStatistics many = stepStatistics(stepsOfLengths({100, 100, 100, 105, 105, 105, 110, 110, 110}));
  ASSERT_TRUE(many.drift.has());
  EXPECT_NEAR(*many.drift, 0.10, 1e-12);
  EXPECT_EQ(*many.median_ns, 105);
  EXPECT_EQ(*many.mad_ns, 5);
  EXPECT_EQ(*many.p95_ns, 110);
}

TEST(StepStatistics, NoStepsAreNotMeasured) {
  const StepStatistics none = stepStatistics({});
  EXPECT_FALSE(none.median_ns.has());
  EXPECT_EQ(none.median_ns.why, "no steps found");
}

TEST(Window, IsTheSteadyStepsOrAllRecords) {
  TraceBuilder b;
  addSteps(b, 4, "step ");
  auto trace = loadTrace(b.write(), {});
  ASSERT_TRUE(trace);
  const Steps steps = findSteps(*trace, {});
  EXPECT_EQ(analysedWindow(*trace, steps), (Interval{0, 390'000}));
  EXPECT_EQ(analysedWindow(*trace, Steps{}), (Interval{10'000, 360'000}));
  TraceBuilder empty;
  trace = loadTrace(empty.write(), {});
  ASSERT_TRUE(trace);
  EXPECT_FALSE(analysedWindow(*trace, Steps{}));
}

}  // namespace
}  // namespace perfscope
