// Profiles recorded in windows: what lies between them is unknown, neither idle nor busy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/facts/profile_facts.h"
#include "analysis/report/report_builder.h"
#include "tests/support/trace_builder.h"

namespace perfscope {
namespace {

using test::TraceBuilder;
using testing::HasSubstr;

void window(TraceBuilder& b, int64_t time_ns, bool on, const std::string& reason, int64_t process = 1) {
  static int64_t id = 0;
  WindowRow row;
  row.id = ++id, row.process_id = process, row.time_ns = time_ns, row.collecting = on ? 1 : 0;
  row.reason = reason;
  b.row(row);
}

ProfileFacts factsOf(TraceBuilder& b) {
  auto facts = gatherFacts(b.write(), {});
  EXPECT_TRUE(facts) << (facts ? "" : facts.error().sentence());
  return facts ? std::move(*facts) : ProfileFacts{};
}

int64_t sumOf(const CauseTotals& totals) {
  int64_t sum = 0;
  for (const CauseTotal& total : totals) sum += total.ns;
  return sum;
}

//  time   1000   1100    1200    1300   2000    3000   3100    3200      4000
//  window  on ............................off          on(2900) ............ off
//  GPU     [k]   idle     [k]    idle   | paused |idle [k]     [k........]
TraceBuilder& twoWindows(TraceBuilder& b) {
  window(b, 900, true, "delay");
  b.kernel({.start_ns = 1000, .duration_ns = 100, .launch_ns = 950});
  b.kernel({.start_ns = 1200, .duration_ns = 100, .launch_ns = 1150});
  window(b, 2000, false, "duration");
  window(b, 2900, true, "nvtx_capture");
  b.kernel({.start_ns = 3000, .duration_ns = 100, .launch_ns = 2950});
  b.kernel({.start_ns = 3100, .duration_ns = 400, .launch_ns = 3000});
  window(b, 4000, false, "exit");
  return b;
}

TEST(RecordingWindows, TheTimeBetweenThemIsLeftOutOfSpanAndIdle) {
  TraceBuilder b;
  const ProfileFacts facts = factsOf(twoWindows(b));
  const DeviceTimes& t = facts.devices[0].all;
  EXPECT_EQ(t.first_ns, 1000);
  EXPECT_EQ(t.last_ns, 3500);
  EXPECT_EQ(t.unrecorded_ns, 900);  // 2000..2900
  EXPECT_EQ(t.span_ns, 1600);
  EXPECT_EQ(t.busy_ns, 700);
  EXPECT_EQ(t.idle_ns, 900);  // 1100..1200, 1300..2000, 2900..3000
  EXPECT_EQ(facts.devices[0].window.unrecorded_ns, 900);
  EXPECT_EQ(facts.devices[0].window.idle_ns, 900);
}

TEST(RecordingWindows, GapsAreCutAtThemAndStillAddUpToTheIdleTime) {
  TraceBuilder b;
  const ProfileFacts facts = factsOf(twoWindows(b));
  EXPECT_EQ(sumOf(facts.gaps.devices[0].all), facts.devices[0].all.idle_ns);
  EXPECT_EQ(sumOf(facts.gaps.devices[0].window), facts.devices[0].window.idle_ns);
  ASSERT_EQ(facts.gaps.largest.size(), 3U);
  EXPECT_EQ(facts.gaps.largest[0].gap.range, (Interval{1300, 2000}));
  EXPECT_EQ(facts.gaps.largest[0].cause, IdleCause::Unknown);
}

TEST(RecordingWindows, ACutGapNamesThePauseAndTrustTellsItsLength) {
  TraceBuilder b;
  const auto r = buildReport(twoWindows(b).write(), {});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->devices[0].unrecorded_ns, 900);
  EXPECT_EQ(r->devices[0].last_ns - r->devices[0].first_ns, r->devices[0].span_ns + 900);
  EXPECT_NEAR(*r->utilisation.busy, 700.0 / 1600, 1e-9);
  EXPECT_EQ(r->gaps.largest[0].after, "(recording paused)");
  EXPECT_NE(r->gaps.largest[0].before, "(recording paused)");
  EXPECT_THAT(r->gaps.largest[0].evidence, HasSubstr("paused"));
  const auto line = std::find_if(r->trust.assumptions.begin(), r->trust.assumptions.end(),
                                 [](const AssumptionReport& a) { return a.id == "recording_windows"; });
  ASSERT_NE(line, r->trust.assumptions.end());
  EXPECT_THAT(line->text, HasSubstr("900 ns on GPU 1"));
  EXPECT_EQ(line->text.find("still count"), std::string::npos);
}

// A kernel that began in the window and ran on after it was recorded: its time is known.
TEST(RecordingWindows, ARecordThatRunsBeyondTheBorderCountsWhole) {
  TraceBuilder b;
  window(b, 0, true, "start");
  b.kernel({.start_ns = 100, .duration_ns = 1000});
  window(b, 500, false, "profiler_api");
  window(b, 2000, true, "profiler_api");
  b.kernel({.start_ns = 2000, .duration_ns = 100});
  const DeviceTimes t = factsOf(b).devices[0].all;
  EXPECT_EQ(t.unrecorded_ns, 900);  // 1100..2000
  EXPECT_EQ(t.busy_ns, 1100);
  EXPECT_EQ(t.idle_ns, 0);
}

TEST(RecordingWindows, AWholeRecordingHasNone) {
  TraceBuilder b;
  window(b, 50, true, "start");
  b.kernel({.start_ns = 100, .duration_ns = 10}).kernel({.start_ns = 200, .duration_ns = 10});
  window(b, 300, false, "exit");
  const auto r = buildReport(b.write(), {});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->devices[0].unrecorded_ns, 0);
  EXPECT_EQ(r->devices[0].idle_ns, 90);
  EXPECT_TRUE(r->trust.assumptions.empty());
}

// One process ended, the next one began: both were recorded as long as they lived, the GPU idled between
// them.
TEST(RecordingWindows, TimeBeforeAndAfterAProcessIsNoPause) {
  TraceBuilder b;
  b.process(2);
  window(b, 0, true, "start", 1);
  b.kernel({.start_ns = 100, .duration_ns = 100});
  window(b, 300, false, "exit", 1);
  window(b, 5000, true, "start", 2);
  b.kernel({.start_ns = 6000, .duration_ns = 100, .process = 2});
  window(b, 7000, false, "exit", 2);
  const ProfileFacts facts = factsOf(b);
  EXPECT_EQ(facts.devices[0].all.unrecorded_ns, 0);
  EXPECT_EQ(facts.devices[0].all.idle_ns, 5800);
  EXPECT_EQ(sumOf(facts.gaps.devices[0].all), 5800);
}

// While one of two processes on a GPU is not recorded, nobody knows that the GPU idles.
TEST(RecordingWindows, APauseOfOneProcessHidesTheDevice) {
  TraceBuilder b;
  b.process(2);
  window(b, 0, true, "start", 1);
  window(b, 0, true, "start", 2);
  b.kernel({.start_ns = 100, .duration_ns = 100}).kernel({.start_ns = 900, .duration_ns = 100});
  b.kernel({.start_ns = 200, .duration_ns = 100, .process = 2});
  window(b, 400, false, "nvtx_capture", 2);
  window(b, 700, true, "nvtx_capture", 2);
  const DeviceTimes t = factsOf(b).devices[0].all;
  EXPECT_EQ(t.unrecorded_ns, 300);
  EXPECT_EQ(t.idle_ns, 300);  // 300..400, 700..900
}

// 30 periods of two kernels; the recording pauses after the tenth: no step reaches over the pause, and the
// longer run of steps is what is analysed.
TEST(RecordingWindows, APeriodicStepDoesNotReachOverAPause) {
  TraceBuilder b;
  window(b, 0, true, "start");
  int64_t at = 1000;
  for (int i = 0; i < 30; ++i, at += 10'000) {
    if (i == 10) {
      window(b, at, false, "profiler_api");
      at += 50'000'000;
      window(b, at - 1'000, true, "profiler_api");
    }
    b.kernel({.name = "a", .start_ns = at, .duration_ns = 3'000, .launch_ns = at - 500});
    b.kernel({.name = "b", .start_ns = at + 4'000, .duration_ns = 3'000, .launch_ns = at + 3'500});
  }
  const ProfileFacts facts = factsOf(b);
  ASSERT_EQ(facts.steps.source, "periodicity");
  for (const Step& step : facts.steps.list) EXPECT_LT(step.range.length(), 20'000);
  EXPECT_EQ(facts.steps.loopCount(), 2);
  ASSERT_TRUE(facts.window);
  EXPECT_LT(facts.window->length(), 1'000'000);
  EXPECT_EQ(facts.devices[0].window.unrecorded_ns, 0);
}

}  // namespace
}  // namespace perfscope
