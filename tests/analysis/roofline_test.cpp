// Placement under the roofs: verdicts on both sides of each threshold.
#include "analysis/roofline/roofline.h"

#include <gtest/gtest.h>

#include "analysis/report/report_builder.h"

namespace perfscope {
namespace {

using hardware::Precision;

// Round numbers: 1000 FLOP/s-like units scaled: peak 1e15, bandwidth 1e12 -> ridge 1000 FLOP/byte; 100 SMs at
// 1 GHz with 1e4 FLOP per SM and clock give the same peak.
hardware::HardwareSpec spec() {
  hardware::HardwareSpec s;
  s.id = "test";
  s.sm_count = 100;
  s.peak(Precision::Bf16Tensor) = {1e15, 1e4, hardware::PeakOrigin::Printed, false};
  s.peak(Precision::Fp32) = {1e14, 1e3, hardware::PeakOrigin::Printed, false};
  s.dram_bandwidth_bytes_per_s = 1e12;
  return s;
}

RoofPoint point(double flops, double bytes, int64_t ns, Precision precision = Precision::Bf16Tensor) {
  RoofPoint p;
  p.flops = flops;
  p.bytes = bytes;
  p.flop_ns = p.byte_ns = ns;
  p.ns_by_precision[static_cast<size_t>(precision)] = ns;
  p.median_ns = ns;
  p.no_flops_why = "nobody counted";
  p.no_bytes_why = "types unknown";
  return p;
}

constexpr int64_t kMillisecond = 1'000'000;  // 1 ms: peak 1e12 FLOP, 1e9 bytes

RooflineReport place(const RoofPoint& p, std::optional<double> clock = {}) {
  const auto s = spec();
  return placeUnderRoofs({&s, "", clock, 100}, p);
}

TEST(Roofline, MemoryNeedsSixtyPercentOfTheBandwidthLeftOfTheRidge) {
  EXPECT_EQ(place(point(1e9, 0.61e9, kMillisecond)).verdict, "memory");
  EXPECT_EQ(place(point(1e9, 0.59e9, kMillisecond)).verdict, "below_both");
}

TEST(Roofline, ComputeNeedsSixtyPercentOfThePeak) {
  const RooflineReport r = place(point(0.7e12, 0.1e9, kMillisecond));
  EXPECT_EQ(r.verdict, "compute");
  EXPECT_NEAR(*r.fraction_of_roof, 0.7, 1e-12);
  EXPECT_EQ(r.precision, "bf16_tensor");
  EXPECT_EQ(place(point(0.5e12, 0.1e9, kMillisecond)).verdict, "below_both");
}

TEST(Roofline, RightOfTheRidgeBandwidthIsNoVerdict) {
  // 2000 FLOP/byte: 0.55 of the compute roof and 0.275 of the bandwidth.
  EXPECT_EQ(place(point(0.55e12, 0.275e9, kMillisecond)).verdict, "below_both");
}

TEST(Roofline, TheRecordedClockMovesTheComputeRoof) {
  const RoofPoint p = point(0.5e12, 0.1e9, kMillisecond);
  const RooflineReport half = place(p, 500);  // half the clock, half the peak
  EXPECT_EQ(half.verdict, "compute");
  EXPECT_DOUBLE_EQ(*half.ceiling_flops_at_clock, 0.5e15);
  EXPECT_DOUBLE_EQ(*half.ceiling_flops, 1e15);
  EXPECT_NEAR(*half.fraction_of_roof, 1.0, 1e-12);
  EXPECT_FALSE(place(p).ceiling_flops_at_clock.has());
}

TEST(Roofline, ShorterThanItsLaunchIsLaunch) {
  RoofPoint p = point(1e3, 1e3, 2000);
  p.launch_cost_ns = 5000;
  p.short_share = 1;
  EXPECT_EQ(place(p).verdict, "launch");
  p.launch_cost_ns = 1999;
  EXPECT_EQ(place(p).verdict, "below_both");
  RoofPoint fast = point(1e6, 1.9e6, 2000);  // short, but at the memory roof all the same
  fast.launch_cost_ns = 5000;
  EXPECT_EQ(place(fast).verdict, "memory");
}

TEST(Roofline, WithoutFlopsThereIsNoPointButAReason) {
  RoofPoint p = point(0, 0, 0);
  p.median_ns = 9000;
  const RooflineReport r = place(p);
  EXPECT_EQ(r.verdict, "no_flops");
  EXPECT_EQ(r.why, "nobody counted");
  EXPECT_FALSE(r.fraction_of_roof.has());
  p.launch_cost_ns = 10'000;
  p.short_share = 1;
  EXPECT_EQ(place(p).verdict, "launch");
}

TEST(Roofline, ShortLaunchesThatTakeLittleOfTheTimeAreNoLimit) {
  RoofPoint p = point(1e3, 1e3, 2000);
  p.launch_cost_ns = 5000;
  p.short_share = 0.49;
  EXPECT_EQ(place(p).verdict, "below_both");
  p.short_share = 0.5;
  EXPECT_EQ(place(p).verdict, "launch");
  EXPECT_NE(place(p).why.find("50 % of the time"), std::string::npos) << place(p).why;
}

// gpu_mix sleepgap on an H200: 821 launches of one kernel, median 5.6 us at a launch cost of 5.9 us, but its
// time is in the long ones (mean 52 us).
TEST(Roofline, AKernelThatMostlyRunsLongIsNotLaunchLimited) {
  const auto report = buildReport(std::string(PERFSCOPE_TEST_DATA) + "/h200/sleepgap.perfscope", {});
  ASSERT_TRUE(report) << report.error().sentence();
  ASSERT_EQ(report->kernels.size(), 1U);
  EXPECT_LT(report->kernels[0].duration.p50_ns, report->gaps.launch_cost.value->p50_ns);
  EXPECT_EQ(report->kernels[0].roofline.verdict, "no_flops");
  const auto decode = buildReport(std::string(PERFSCOPE_TEST_DATA) + "/h200/decode.perfscope", {});
  ASSERT_TRUE(decode) << decode.error().sentence();
  EXPECT_EQ(decode->kernels[0].roofline.verdict, "launch");  // 1,680 products of 5 us each
}

TEST(Roofline, UnknownDeviceAndUnknownBytesAreUnknownWithAReason) {
  const RoofPoint p = point(1e12, 1e9, kMillisecond);
  const RooflineReport no_device = placeUnderRoofs({nullptr, "no such GPU", {}, {}}, p);
  EXPECT_EQ(no_device.verdict, "unknown");
  EXPECT_EQ(no_device.ceiling_flops.why, "no such GPU");
  EXPECT_EQ(place(point(1e12, 0, kMillisecond)).why, "types unknown");
}

TEST(Roofline, MixedPrecisionsGetATimeWeightedRoof) {
  RoofPoint p = point(1e11, 1e6, 2 * kMillisecond);
  p.ns_by_precision[static_cast<size_t>(Precision::Bf16Tensor)] = kMillisecond;
  p.ns_by_precision[static_cast<size_t>(Precision::Fp32)] = kMillisecond;
  const RooflineReport r = place(p);
  EXPECT_DOUBLE_EQ(*r.ceiling_flops, (1e15 + 1e14) / 2);
  EXPECT_NE(r.precision.find("(mixed)"), std::string::npos);
  EXPECT_NE(r.ceiling_flops.provenance.find("time_weighted"), std::string::npos);
}

TEST(Roofline, NoPeakForThePrecisionIsUnknownNotAnotherPeak) {
  const RooflineReport r = place(point(1e12, 1e9, kMillisecond, Precision::Fp4Tensor));
  EXPECT_EQ(r.verdict, "unknown");
  EXPECT_FALSE(r.ceiling_flops.has());
}

RoofPoint measuredPoint(double flops, double bytes) {
  RoofPoint p = point(flops, bytes, kMillisecond);
  p.boundary = "dram";
  p.byte_provenance = "measured:sampled";
  return p;
}

TEST(Roofline, MeasuredBytesGiveTheDramBoundaryAndTheirOrigin) {
  const RooflineReport r = place(measuredPoint(1e9, 0.61e9));
  EXPECT_EQ(r.boundary, "dram");
  EXPECT_EQ(r.verdict, "memory");
  EXPECT_EQ(r.fraction_of_roof.provenance, "counted:api, measured:sampled / datasheet");
  EXPECT_EQ(place(point(1e9, 0.61e9, kMillisecond)).boundary, "algorithmic");
}

TEST(Roofline, MeasuredTrafficAloneShowsWhoFillsTheMemory) {
  const RooflineReport full = place(measuredPoint(0, 0.7e9));
  EXPECT_EQ(full.verdict, "memory");
  EXPECT_NEAR(*full.fraction_of_roof, 0.7, 1e-12);
  const RooflineReport half = place(measuredPoint(0, 0.5e9));
  EXPECT_EQ(half.verdict, "no_flops");
  EXPECT_FALSE(half.fraction_of_roof.has()) << "without FLOPs nothing says that memory is its roof";
  EXPECT_EQ(place(point(0, 0.7e9, kMillisecond)).verdict, "no_flops") << "algorithmic bytes are no traffic";
}

TEST(Roofline, NamesTrafficBeyondTheOperands) {
  RoofPoint p = measuredPoint(1e9, 0.6e9);
  p.algorithmic_bytes_per_ns = 0.3e9 / kMillisecond;
  EXPECT_NE(place(p).why.find("moves 2.0 x its operands and result"), std::string::npos);
  p.algorithmic_bytes_per_ns = 0.55e9 / kMillisecond;
  EXPECT_EQ(place(p).why.find("operands"), std::string::npos);
}

// Calibrated at 2 GHz: 8e14 FLOP/s and 9e11 bytes/s; at half the clock half the compute roof.
TEST(Roofline, CalibratedRoofsStandBesideTheOthers) {
  const auto s = spec();
  Calibration c;
  CalibrationValue peak, read, copy;
  peak.id = "bf16_tensor", peak.best = 8e14, peak.clocks.sm_clock_mhz = 2000;
  read.id = "dram_read", read.best = 9e11;
  copy.id = "dram_copy", copy.best = 8.5e11;
  c.values = {copy, peak, read};
  const RoofPoint p = point(0.4e12, 0.1e9, kMillisecond);  // 4e14 FLOP/s at 4000 FLOP/byte
  const auto with_clock = placeUnderRoofs({&s, "", 1000, 100, &c, ""}, p);
  EXPECT_DOUBLE_EQ(*with_clock.ceiling_flops_calibrated, 4e14);
  EXPECT_EQ(with_clock.ceiling_flops_calibrated.provenance, "calibrated:at_clock");
  EXPECT_DOUBLE_EQ(*with_clock.ceiling_bytes_per_s_calibrated, 9e11) << "the fastest of read, write and copy";
  EXPECT_EQ(with_clock.ceiling_bytes_per_s_calibrated.provenance, "calibrated:dram_read");
  EXPECT_NEAR(*with_clock.fraction_of_calibrated, 1.0, 1e-12);
  const auto no_clock = placeUnderRoofs({&s, "", {}, 100, &c, ""}, p);
  EXPECT_DOUBLE_EQ(*no_clock.ceiling_flops_calibrated, 8e14);
  EXPECT_EQ(no_clock.ceiling_flops_calibrated.provenance, "calibrated");
  EXPECT_EQ(no_clock.verdict, place(p).verdict) << "verdicts rest on the data sheet, calibrated or not";
  const auto other =
      placeUnderRoofs({&s, "", {}, 100, &c, ""}, point(1e12, 1e9, kMillisecond, Precision::Fp32));
  EXPECT_FALSE(other.ceiling_flops_calibrated.has());
  EXPECT_EQ(other.ceiling_flops_calibrated.why, "the calibration has no fp32");
  EXPECT_EQ(place(p).ceiling_flops_calibrated.why, kNoCalibration);
}

}  // namespace
}  // namespace perfscope
