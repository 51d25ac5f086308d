// Every cause of idle time: a case in which it is found, and the nearest one in which it is not.
#include "analysis/timeline/gaps.h"

#include <gtest/gtest.h>

#include "analysis/trace/load_trace.h"
#include "tests/support/trace_builder.h"

namespace perfscope {
namespace {

using test::KernelSpec;
using test::TraceBuilder;

// Two kernels: the first ends at 100 us, the second starts at 200 us; the gap is [100 us, 200 us).
constexpr int64_t kGapStart = 100'000, kGapEnd = 200'000;

struct Case {
  TraceBuilder b;
  // launch_ns: when the second kernel's launch call began (empty: not seen).
  explicit Case(std::optional<int64_t> launch_ns, int64_t stream = 7) {
    b.kernel({.name = "first", .start_ns = 50'000, .duration_ns = 50'000, .launch_ns = 40'000});
    b.kernel({.name = "second",
              .start_ns = kGapEnd,
              .duration_ns = 10'000,
              .launch_ns = launch_ns,
              .stream = stream});
  }
  std::string cause() {
    const auto trace = loadTrace(b.write(), {});
    EXPECT_TRUE(trace);
    const GapAnalysis gaps = analyseGaps(*trace, kAllTime, 10);
    EXPECT_EQ(gaps.largest.size(), 1U);
    evidence = gapEvidence(*trace, gaps.largest[0].gap, gaps.largest[0].cause);
    EXPECT_EQ(gaps.largest[0].gap.range, (Interval{kGapStart, kGapEnd}));
    return std::string(name(gaps.largest[0].cause));
  }
  std::string evidence;
};

constexpr int64_t kLate = 190'000;  // launched in the gap
constexpr int64_t kEarly = 45'000;  // launched long before it

TEST(GapCause, LateLaunchIsHostSubmission) {
  Case c(kLate);
  EXPECT_EQ(c.cause(), "host_submission");
  EXPECT_NE(c.evidence.find("90.0 us after"), std::string::npos) << c.evidence;
}

TEST(GapCause, ALaunchStillBeingSubmittedIsHostSubmission) {
  TraceBuilder b;
  b.kernel({.start_ns = 50'000, .duration_ns = 50'000, .launch_ns = 40'000});
  b.kernel({.start_ns = kGapEnd, .duration_ns = 1, .launch_ns = 95'000, .launch_duration_ns = 100'000});
  const auto trace = loadTrace(b.write(), {});
  ASSERT_TRUE(trace);
  EXPECT_EQ(analyseGaps(*trace, kAllTime, 1).largest[0].cause, IdleCause::HostSubmission);
}

TEST(GapCause, QueuedButUnexplainedIsUnknown) {
  EXPECT_EQ(Case(kEarly).cause(), "unknown");
}

TEST(GapCause, UnseenLaunchIsUnknownAndSaysSo) {
  Case c(std::nullopt);
  EXPECT_EQ(c.cause(), "unknown");
  EXPECT_NE(c.evidence.find("not seen"), std::string::npos);
}

TEST(GapCause, ProfilerOverheadMustCoverMostOfTheGap) {
  constexpr int64_t kBufferFlush = 1 << 16;
  Case most(kLate);
  most.b.overhead(kBufferFlush, 110'000, 60'000);
  EXPECT_EQ(most.cause(), "profiler");
  Case little(kLate);
  little.b.overhead(kBufferFlush, 110'000, 20'000);
  EXPECT_EQ(little.cause(), "host_submission");
}

TEST(GapCause, AFullCommandBufferIsNotTheProfilersFault) {
  constexpr int64_t kCommandBufferFull = 6 << 16;
  Case c(kLate);
  c.b.overhead(kCommandBufferFull, 100'000, 100'000);
  EXPECT_EQ(c.cause(), "host_submission");
}

TEST(GapCause, ModuleLoading) {
  constexpr int64_t kLazyLoading = 5 << 16;
  Case overhead(kLate);
  overhead.b.overhead(kLazyLoading, 105'000, 80'000);
  EXPECT_EQ(overhead.cause(), "module_load_or_jit");
  Case call(kLate);
  call.b.api("cuModuleLoadData", 105'000, 80'000);
  EXPECT_EQ(call.cause(), "module_load_or_jit");
  Case event(kLate);
  event.b.row(ModuleEventRow{1, 1, 1, 1, 150'000, 0, {}});
  EXPECT_EQ(event.cause(), "module_load_or_jit");
  Case unload(kLate);
  unload.b.row(ModuleEventRow{1, 1, 1, 1, 150'000, 1, {}});
  EXPECT_EQ(unload.cause(), "host_submission");
  Case outside(kLate);
  outside.b.row(ModuleEventRow{1, 1, 1, 1, 250'000, 0, {}});
  EXPECT_EQ(outside.cause(), "host_submission");
}

TEST(GapCause, Allocation) {
  Case call(kLate);
  call.b.api("cudaMalloc", 110'000, 70'000);
  EXPECT_EQ(call.cause(), "allocation");
  Case brief(kLate);
  brief.b.api("cudaMalloc", 110'000, 5'000);
  EXPECT_EQ(brief.cause(), "host_submission");
  Case instant(kLate);  // calls not traced: the event alone has to do
  instant.b.memoryEvent(1, 150'000, 1 << 20, 64);
  EXPECT_EQ(instant.cause(), "allocation");
}

TEST(GapCause, SynchronisationNeedsAWaitOverTheMomentTheGpuRanDry) {
  constexpr int64_t kStreamWait = 3;
  Case waiting(kLate);
  waiting.b.wait(kStreamWait, 60'000, 45'000);  // returns at 105 us, 5 us after the kernel ended
  EXPECT_EQ(waiting.cause(), "synchronisation");
  Case before(kLate);
  before.b.wait(kStreamWait, 60'000, 20'000);  // over long before
  EXPECT_EQ(before.cause(), "host_submission");
  Case queued(kEarly);
  queued.b.wait(kStreamWait, 60'000, 45'000);  // the next kernel was queued: the wait cost nothing
  EXPECT_EQ(queued.cause(), "unknown");
}

TEST(GapCause, InputNeedsTheLaunchingThreadInADataRange) {
  Case loading(kLate);
  loading.b.range("load batch", 101'000, 80'000);
  EXPECT_EQ(loading.cause(), "input");
  Case other_thread(kLate);
  other_thread.b.range("load batch", 101'000, 80'000, 1, 2);
  EXPECT_EQ(other_thread.cause(), "host_submission");
  Case after_wait(kLate);  // a wait that returned at once does not explain 80 us of loading
  after_wait.b.wait(3, 60'000, 41'000).range("load batch", 102'000, 80'000);
  EXPECT_EQ(after_wait.cause(), "input");
}

TEST(GapCause, CopyThatHoldsTheHost) {
  TraceBuilder b;  // pageable copy ends at 100 us, the next launch comes after it
  b.copy({.start_ns = 50'000,
          .duration_ns = 50'000,
          .bytes = 1,
          .src_kind = 1,
          .launch_ns = 40'000,
          .launch_duration_ns = 61'000});
  b.kernel({.start_ns = kGapEnd, .duration_ns = 1, .launch_ns = kLate});
  auto trace = loadTrace(b.write(), {});
  ASSERT_TRUE(trace);
  EXPECT_EQ(analyseGaps(*trace, kAllTime, 1).largest[0].cause, IdleCause::Copy);

  TraceBuilder pinned;
  pinned.copy({.start_ns = 50'000, .duration_ns = 50'000, .bytes = 1, .launch_ns = 40'000});
  pinned.kernel({.start_ns = kGapEnd, .duration_ns = 1, .launch_ns = kLate});
  trace = loadTrace(pinned.write(), {});
  ASSERT_TRUE(trace);
  EXPECT_EQ(analyseGaps(*trace, kAllTime, 1).largest[0].cause, IdleCause::HostSubmission);

  TraceBuilder staging;  // the gap is the staging of the copy that ends it
  staging.kernel({.start_ns = 50'000, .duration_ns = 50'000, .launch_ns = 40'000});
  staging.copy({.start_ns = kGapEnd,
                .duration_ns = 10,
                .bytes = 1,
                .src_kind = 1,
                .launch_ns = 101'000,
                .launch_duration_ns = 99'500});
  trace = loadTrace(staging.write(), {});
  ASSERT_TRUE(trace);
  EXPECT_EQ(analyseGaps(*trace, kAllTime, 1).largest[0].cause, IdleCause::Copy);
}

TEST(GapCause, DependencyNeedsAStreamWait) {
  Case waits(kEarly, 8);
  waits.b.wait(2, 44'000, 0, 8);  // stream 8 waits for an event
  EXPECT_EQ(waits.cause(), "dependency");
  Case none(kEarly, 8);
  EXPECT_EQ(none.cause(), "unknown");
}

TEST(GapCause, ShortGapOfAQueuedKernelIsLaunchLatencyUpToTheMeasuredFloor) {
  TraceBuilder b;
  int64_t end = 0;
  for (int i = 0; i < 20; ++i) {  // queued far ahead, 1 us apart: the floor is 3 x 1 us
    b.kernel({.start_ns = 100'000 + i * 11'000, .duration_ns = 10'000, .launch_ns = 1'000 + i * 2'000});
    end = 100'000 + i * 11'000 + 10'000;
  }
  b.kernel({.start_ns = end + 2'900, .duration_ns = 1'000, .launch_ns = 50'000});
  b.kernel({.start_ns = end + 2'900 + 1'000 + 3'100, .duration_ns = 1'000, .launch_ns = 52'000});
  const auto trace = loadTrace(b.write(), {});
  ASSERT_TRUE(trace);
  const GapAnalysis gaps = analyseGaps(*trace, kAllTime, 2);
  EXPECT_TRUE(gaps.devices[0].floor_is_measured);
  EXPECT_EQ(gaps.devices[0].latency_floor_ns, 3'000);
  EXPECT_EQ(gaps.largest[0].gap.range.length(), 3'100);
  EXPECT_EQ(gaps.largest[0].cause, IdleCause::Unknown);
  EXPECT_EQ(gaps.largest[1].cause, IdleCause::LaunchLatency);
}

TEST(Gaps, OfADeviceAddUpToItsIdleTimeAndTheWindowClips) {
  TraceBuilder b;
  b.device(2);
  b.kernel({.start_ns = 0, .duration_ns = 100, .launch_ns = 0});
  b.kernel({.start_ns = 50, .duration_ns = 10, .launch_ns = 10, .stream = 8});  // inside the first: no gap
  b.kernel({.start_ns = 300, .duration_ns = 100, .launch_ns = 250});
  b.fill(1000, 100, 900);
  b.kernel({.start_ns = 500, .duration_ns = 100, .launch_ns = 490, .device = 2});
  const auto trace = loadTrace(b.write(), {});
  ASSERT_TRUE(trace);
  const GapAnalysis gaps = analyseGaps(*trace, {350, 700}, 10);
  int64_t all = 0, window = 0;
  for (size_t cause = 0; cause < kIdleCauseCount; ++cause) {
    all += gaps.devices[0].all[cause].ns;
    window += gaps.devices[0].window[cause].ns;
  }
  EXPECT_EQ(all, 200 + 600);
  EXPECT_EQ(window, 300);  // 400..700
  ASSERT_EQ(gaps.largest.size(), 2U);
  EXPECT_EQ(gaps.largest[0].gap.range.length(), 600);
}

TEST(Gaps, ZeroLengthRecordsNeitherEndNorFillAGap) {
  TraceBuilder b;
  b.kernel({.start_ns = 0, .duration_ns = 10, .launch_ns = 0});
  b.kernel({.start_ns = 20, .duration_ns = 0, .launch_ns = 0});
  b.kernel({.start_ns = 30, .duration_ns = 10, .launch_ns = 0});
  const auto trace = loadTrace(b.write(), {});
  ASSERT_TRUE(trace);
  const GapAnalysis gaps = analyseGaps(*trace, kAllTime, 10);
  ASSERT_EQ(gaps.largest.size(), 1U);
  EXPECT_EQ(gaps.largest[0].gap.range, (Interval{10, 30}));
}

}  // namespace
}  // namespace perfscope
