// The roofline picture and its renderings: coordinates by hand, escapes, refusals, empty profiles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "analysis/report/roofline_svg.h"
#include "tests/support/sample_report.h"
#include "tests/support/temp_dir.h"

namespace perfscope {
namespace {

using testing::HasSubstr;
using testing::Not;

Measured<double> value(double v, const char* provenance = "counted:api") {
  return Measured<double>::of(v, provenance);
}

KernelReport kernel(const std::string& name, std::int64_t total_ns, double intensity, double flops_per_s) {
  KernelReport k;
  k.name = k.short_name = name;
  k.kernel_class = "gemm";
  k.total_ns = total_ns;
  k.count = 10;
  k.share = static_cast<double>(total_ns) / 1e6;
  k.intensity_algorithmic = value(intensity);
  k.achieved_flops = value(flops_per_s);
  k.flops.algorithmic = value(flops_per_s * static_cast<double>(total_ns) / 1e9);
  k.flops.executed = k.bytes.l2 = k.intensity_dram = Measured<double>::absent("no counters");
  k.roofline.precision = "bf16_tensor";
  k.roofline.verdict = "compute";
  k.roofline.ceiling_flops = value(1e15, "datasheet");
  k.roofline.ceiling_flops_at_clock = value(9e14, "datasheet at clock");
  k.roofline.ceiling_bytes_per_s = value(1e13, "datasheet");  // ridge: 100 FLOP/byte
  k.roofline.fraction_of_roof = value(0.5);
  return k;
}

Report report() {
  Report r;
  DeviceReport device;
  device.name = "Test GPU";
  device.kernel_sum_ns = 1'000'000;
  r.devices = {device};
  r.kernels = {kernel("big", 600'000, 1000, 1e14), kernel("small", 300'000, 10, 1e13)};
  KernelReport none = kernel("<none> & \"more\"", 100'000, 1, 1);
  none.intensity_algorithmic = none.achieved_flops = none.flops.algorithmic =
      Measured<double>::absent("nobody counted");
  none.roofline.precision.clear();
  r.kernels.push_back(none);
  return r;
}

RooflinePicture picture(const Report& r, const PictureOptions& options = {}) {
  const auto made = rooflinePicture(r, options);
  EXPECT_TRUE(made) << made.error().sentence();
  return made ? *made : RooflinePicture{};
}

// By hand: x from min(100/30, 10) = 3.33 -> 10^0 to max(100*5, 1000) -> 10^3 (the ridge at clock is 90: 3 ->
// 10^0); y from min(1e13, 9e14/30 = 3e13) -> 10^13 to 1e15. 640 wide over 3 decades from 90, 460 high over 2
// from 110.
TEST(RooflinePicture, CoordinatesByHand) {
  const Report r = report();
  const auto p = picture(r);
  const PlotFrame f = plotFrame(p);
  EXPECT_EQ(f.x_low, 0);
  EXPECT_EQ(f.x_high, 3);
  EXPECT_EQ(f.y_low, 13);
  EXPECT_EQ(f.y_high, 15);
  EXPECT_NEAR(f.x(100), 108 + 622.0 * 2 / 3, 1e-9);  // ridge of the data sheet
  EXPECT_NEAR(f.y(1e15), 110, 1e-9);
  EXPECT_NEAR(f.y(1e14), 110 + 230, 1e-9);
  const std::string svg = rooflineSvg(p, r);
  // big: intensity 1000 at the right edge, 1e14 in the middle; radius 4 + 14 * sqrt(0.6) = 14.8.
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"730.0\" cy=\"340.0\" r=\"14.8\" class=\"k0 hollow\">"));
  // small: 10 is a third, 1e13 the bottom; 4 + 14 * sqrt(0.3) = 11.7.
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"315.3\" cy=\"570.0\" r=\"11.7\" class=\"k0 hollow\">"));
  // Data sheet: from intensity 1 (1e13 = bottom) to the ridge at 522.7 to the right edge.
  EXPECT_THAT(svg, HasSubstr("points=\"108.0,570.0 522.7,110.0 730.0,110.0\""));
  EXPECT_THAT(svg, HasSubstr("ridge 100 FLOP/byte"));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
}

TEST(RooflinePicture, KernelsWithoutAPointAreListedWithTheReason) {
  const Report r = report();
  const auto p = picture(r);
  ASSERT_EQ(p.points.size(), 2U);
  ASSERT_EQ(p.without.size(), 1U);
  EXPECT_EQ(p.without[0].why, "no FLOPs: nobody counted");
  const std::string svg = rooflineSvg(p, r);
  EXPECT_THAT(svg, HasSubstr("nobody counted"));
  EXPECT_THAT(svg, HasSubstr("&lt;none&gt; &amp; &quot;more&quot;"));
  EXPECT_THAT(svg, Not(HasSubstr("<none>")));
  EXPECT_THAT(rooflineHtml(p, r), Not(HasSubstr("<none>")));
  EXPECT_THAT(rooflineCsv(p, r), HasSubstr("\"<none> & \"\"more\"\"\",gemm"));
}

TEST(RooflinePicture, MeasuredAndAlgorithmicPointAreJoinedAndHaveWhiskers) {
  Report r = report();
  KernelReport& k = r.kernels[0];
  k.intensity_dram = value(100, "measured:sampled");
  k.flops.executed = value(1.2e14 * 600'000 / 1e9, "measured:sampled");  // 1.2e14 FLOP/s
  k.flops.executed_low = *k.flops.executed.value / 2;
  k.flops.executed_high = *k.flops.executed.value * 2;
  const auto p = picture(r);
  ASSERT_TRUE(p.points[0].measured);
  EXPECT_NEAR(p.points[0].measured->flops_per_s, 1.2e14, 1);
  EXPECT_NEAR(*p.points[0].measured->low_flops_per_s, 0.6e14, 1);
  const std::string svg = rooflineSvg(p, r);
  EXPECT_THAT(svg, HasSubstr("class=\"join\""));
  EXPECT_THAT(svg, HasSubstr("class=\"whisker k0\""));
  EXPECT_THAT(svg, HasSubstr("measured:sampled"));
  EXPECT_THAT(rooflineCsv(p, r), HasSubstr(",measured,100,"));
  EXPECT_THAT(rooflineCsv(p, r), HasSubstr(",algorithmic,1000,"));
}

TEST(RooflinePicture, CalibratedCeilingIsDrawnSolidAndElseItsAbsenceSaid) {
  Report r = report();
  EXPECT_THAT(picture(r).notes, testing::Contains(HasSubstr("no measured ceiling: no calibration")));
  for (auto& k : r.kernels) {
    k.roofline.ceiling_flops_calibrated = value(8e14, "calibrated:at_clock");
    k.roofline.ceiling_bytes_per_s_calibrated = value(9e12, "calibrated:dram_read");
  }
  const auto p = picture(r);
  ASSERT_EQ(p.ceilings.size(), 3U);
  EXPECT_EQ(p.ceilings[2].kind, CeilingKind::Calibrated);
  EXPECT_NEAR(p.ceilings[2].ridge(), 8e14 / 9e12, 1e-9);
  EXPECT_THAT(rooflineSvg(p, r), HasSubstr("class=\"roof calibrated\""));
}

// Data sheets: A100 SXM 80GB 312 TFLOP/s bf16 and 2039 GB/s; V100 has no bf16.
TEST(RooflinePicture, OverlaysShareThePrecisionOrAreRefused) {
  const Report r = report();
  const auto p = picture(r, {"dram", "", {"A100-80", "V100"}, 20});
  ASSERT_EQ(p.ceilings.size(), 3U);
  EXPECT_EQ(p.ceilings[2].kind, CeilingKind::Overlay);
  EXPECT_NEAR(p.ceilings[2].flops_per_s, 312e12, 1e9);
  EXPECT_THAT(p.notes, testing::Contains(
                           testing::AllOf(HasSubstr("V100"), HasSubstr("refused: it has no bf16_tensor"))));
  const auto unknown = rooflinePicture(r, {"dram", "", {"H9000"}, 20});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::Usage);
}

TEST(RooflinePicture, L2NeedsCountersAndTakesNoDataSheet) {
  Report r = report();
  auto p = picture(r, {"l2", "", {"A100-80"}, 20});
  EXPECT_TRUE(p.points.empty());
  EXPECT_THAT(p.without[0].why, HasSubstr("no L2 bytes: no counters"));
  r.kernels[0].bytes.l2 = value(6e8, "measured:replay");  // 6e10 FLOP / 6e8 bytes
  r.kernels[0].roofline.ceiling_flops_calibrated = value(8e14, "calibrated");
  r.kernels[0].roofline.ceiling_l2_bytes_per_s_calibrated = value(7e12, "calibrated:l2_read");
  p = picture(r, {"l2", "", {"A100-80"}, 20});
  ASSERT_EQ(p.points.size(), 1U);
  EXPECT_NEAR(p.points[0].measured->intensity, 100, 1e-9);
  ASSERT_EQ(p.ceilings.size(), 1U);
  EXPECT_EQ(p.ceilings[0].bytes_per_s, 7e12);
  EXPECT_THAT(p.notes, testing::Contains(HasSubstr("refused: no data sheet prints an L2 bandwidth")));
}

TEST(RooflinePicture, OtherPrecisionsAreAnotherChart) {
  Report r = report();
  r.kernels[1].roofline.precision = "fp32";
  auto p = picture(r);
  ASSERT_EQ(p.points.size(), 1U);
  EXPECT_THAT(p.without[0].why, HasSubstr("computes in fp32, another roof"));
  p = picture(r, {"dram", "fp32", {}, 20});
  ASSERT_EQ(p.points.size(), 1U);
  EXPECT_EQ(p.points[0].label, "small");
  const auto none = rooflinePicture(r, {"dram", "fp8_tensor", {}, 20});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().remedy, HasSubstr("bf16_tensor"));
  EXPECT_FALSE(rooflinePicture(r, {"l3", "", {}, 20}));
}

TEST(RooflinePicture, EmptyProfileSaysSo) {
  const Report r = test::emptyReport();
  const auto p = picture(r);
  EXPECT_THAT(p.notes, testing::Contains(HasSubstr("no kernel ran")));
  EXPECT_THAT(rooflineSvg(p, r), HasSubstr("no kernel ran"));
  EXPECT_THAT(rooflineCsv(p, r), testing::StartsWith("kernel,class,"));
}

// Python's parser is the judge; hostile names, infinities and NaN must not leave the document broken.
TEST(RooflinePicture, SvgIsWellFormedXml) {
  if (std::system("python3 -c 'import xml.dom.minidom' >/dev/null 2>&1") != 0) GTEST_SKIP() << "no python3";
  const test::TempDir folder;
  int number = 0;
  for (const Report& r : {report(), test::sampleReport(), test::hostileReport(), test::emptyReport()}) {
    const std::string path = folder.file(std::to_string(number++) + ".svg");
    const std::string svg = rooflineSvg(picture(r), r);
    std::ofstream(path) << svg;
    const std::string command = "python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' " + path;
    EXPECT_EQ(std::system(command.c_str()), 0) << svg.substr(0, 2000);
    EXPECT_THAT(svg, Not(HasSubstr("\"nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf\"")));
  }
}

}  // namespace
}  // namespace perfscope
