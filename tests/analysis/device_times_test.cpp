// Device times on hand-computed cases. Definitions: metric catalogue, "time on the device".
#include "analysis/timeline/device_times.h"

#include <gtest/gtest.h>

#include "analysis/trace/load_trace.h"
#include "tests/support/trace_builder.h"

namespace perfscope {
namespace {

using test::TraceBuilder;

DeviceTimes timesOf(TraceBuilder& builder, size_t device = 0, Interval window = kAllTime) {
  const auto trace = loadTrace(builder.write(), {});
  EXPECT_TRUE(trace);
  return deviceTimes(*trace, device, communicationNames(*trace), window);
}

TEST(DeviceTimes, UnionsOverlapsAndExposureByHand) {
  //      0    10   20   30   40   50   60   70
  // a    [---------)                            compute 0..20
  // nccl      [--------------)                  comm   10..40
  // b                        [----)             compute 40..50 (touches: no gap)
  // copy                [---------)             30..50
  // fill                               [---)    60..70
  TraceBuilder b;
  b.kernel({.name = "void gemm()", .start_ns = 0, .duration_ns = 20});
  b.kernel({.name = "ncclDevKernel_AllReduce_Sum_f32(ncclDevKernelArgs)",
            .start_ns = 10,
            .duration_ns = 30,
            .stream = 17});
  b.kernel({.name = "b", .start_ns = 40, .duration_ns = 10});
  b.copy({.start_ns = 30, .duration_ns = 20, .bytes = 1000});
  b.fill(60, 10);
  const DeviceTimes t = timesOf(b);
  EXPECT_EQ(t.kernel_count, 3);
  EXPECT_EQ(t.kernel_sum_ns, 60);
  EXPECT_EQ(t.span_ns, 70);
  EXPECT_EQ(t.busy_ns, 60);  // 0..50 and 60..70
  EXPECT_EQ(t.idle_ns, 10);  // 50..60
  EXPECT_EQ(t.kernel_busy_ns, 50);
  EXPECT_EQ(t.compute_ns, 30);
  EXPECT_EQ(t.comm_ns, 30);
  EXPECT_EQ(t.comm_count, 1);
  EXPECT_EQ(t.overlap_ns, 10);       // 10..20
  EXPECT_EQ(t.exposed_comm_ns, 20);  // 20..40
  EXPECT_EQ(t.memcpy_ns, 20);
  EXPECT_EQ(t.copy_hidden_ns, 10);  // 40..50
  EXPECT_EQ(t.memset_ns, 10);
  EXPECT_EQ(t.memcpy_bytes, 1000);
  EXPECT_EQ(t.streams, 2);
}

TEST(DeviceTimes, ZeroLengthRecordsCountButTakeNoTime) {
  TraceBuilder b;
  b.kernel({.start_ns = 100, .duration_ns = 0}).kernel({.start_ns = 200, .duration_ns = 10});
  const DeviceTimes t = timesOf(b);
  EXPECT_EQ(t.kernel_count, 2);
  EXPECT_EQ(t.busy_ns, 10);
  EXPECT_EQ(t.span_ns, 110);  // the span is from the first to the last record, empty ones too
}

TEST(DeviceTimes, SumsMayExceedUnions) {
  TraceBuilder b;
  b.kernel({.start_ns = 0, .duration_ns = 100}).kernel({.start_ns = 0, .duration_ns = 100, .stream = 8});
  const DeviceTimes t = timesOf(b);
  EXPECT_EQ(t.kernel_sum_ns, 200);
  EXPECT_EQ(t.kernel_busy_ns, 100);
}

TEST(DeviceTimes, ThreeDevicesAreKeptApart) {
  TraceBuilder b;
  b.device(2).device(3);
  for (int64_t device = 1; device <= 3; ++device) {
    b.kernel({.start_ns = 1000 * device, .duration_ns = 10 * device, .device = device});
  }
  const auto trace = loadTrace(b.write(), {});
  ASSERT_TRUE(trace);
  const auto names = communicationNames(*trace);
  for (size_t i = 0; i < 3; ++i) {
    const DeviceTimes t = deviceTimes(*trace, i, names);
    EXPECT_EQ(t.busy_ns, 10 * static_cast<int64_t>(i + 1));
    EXPECT_EQ(t.idle_ns, 0);
  }
}

TEST(DeviceTimes, AWindowClipsRecordsAndIsTheSpan) {
  TraceBuilder b;
  b.kernel({.start_ns = 0, .duration_ns = 100}).kernel({.start_ns = 150, .duration_ns = 100});
  const DeviceTimes t = timesOf(b, 0, {50, 200});
  EXPECT_EQ(t.span_ns, 150);
  EXPECT_EQ(t.busy_ns, 100);  // 50..100 and 150..200
  EXPECT_EQ(t.idle_ns, 50);
  EXPECT_EQ(t.kernel_sum_ns, 100);
}

TEST(DeviceTimes, NoRecordsGiveZeros) {
  TraceBuilder b;
  const DeviceTimes t = timesOf(b);
  EXPECT_EQ(t.kernel_count, 0);
  EXPECT_EQ(t.span_ns, 0);
  EXPECT_EQ(t.idle_ns, 0);
}

TEST(CommunicationNames, ByTheBeginOfTheNameOnly) {
  TraceBuilder b;
  for (const auto* name :
       {"ncclKernel_AllReduce", "void ncclDevKernel_X", "rcclGenericKernel", "my_ncclKernel", "gemm"}) {
    b.kernel({.name = name, .start_ns = 1, .duration_ns = 1});
  }
  const auto trace = loadTrace(b.write(), {});
  ASSERT_TRUE(trace);
  EXPECT_EQ(communicationNames(*trace), (std::vector<bool>{true, true, true, false, false}));
}

}  // namespace
}  // namespace perfscope
