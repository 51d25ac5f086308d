// Profiles with next to nothing in them, or with nonsense: every form of the report must come out whole,
// without a made-up number.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

#include "analysis/report/report_builder.h"
#include "analysis/report/report_csv.h"
#include "analysis/report/report_json.h"
#include "analysis/report/report_markdown.h"
#include "analysis/report/report_text.h"
#include "schemas/report_schema.h"
#include "tests/support/json_schema.h"
#include "tests/support/trace_builder.h"

namespace perfscope {
namespace {

using test::TraceBuilder;
using testing::HasSubstr;
using testing::IsEmpty;

// Builds and renders in every form; the JSON is valid, and no form holds the word of a number that is none.
Report wholeReportOf(TraceBuilder& b) {
  const auto report = buildReport(b.write(), {});
  EXPECT_TRUE(report) << (report ? "" : report.error().sentence());
  if (!report) return {};
  const std::string json = renderJson(*report, {});
  EXPECT_THAT(test::schemaViolations(nlohmann::json::parse(reportJsonSchema()), nlohmann::json::parse(json)),
              IsEmpty());
  static const std::regex kNoNumber("(^|[^A-Za-z_])-?(nan|inf)([^A-Za-z_]|$)");
  for (const std::string& text :
       {json, renderText(*report, {}), renderMarkdown(*report), renderCsv(*report)}) {
    EXPECT_FALSE(std::regex_search(text, kNoNumber)) << text;
  }
  return *report;
}

// "Not measured" with a reason, everywhere where a kernel would be needed.
void expectNothingKnownOfKernels(const Report& r) {
  EXPECT_TRUE(r.kernels.empty());
  EXPECT_FALSE(r.utilisation.hfu.has());
  EXPECT_FALSE(r.gaps.launch_latency.has());
  EXPECT_FALSE(r.gaps.launch_cost.has());
  EXPECT_FALSE(r.gaps.queue_depth.has());
  EXPECT_FALSE(r.steps.median_ns.has());
  EXPECT_FALSE(r.steps.why.empty());
}

TEST(EdgeInputs, NothingAtAll) {
  TraceBuilder b;
  const Report r = wholeReportOf(b);
  expectNothingKnownOfKernels(r);
  EXPECT_FALSE(r.utilisation.busy.has());
  EXPECT_EQ(r.verdict.binding, "none");
  EXPECT_EQ(r.verdict.confidence, 0);
}

TEST(EdgeInputs, OnlyCopies) {
  TraceBuilder b;
  for (int64_t i = 0; i < 5; ++i)
    b.copy({.start_ns = 1000 + i * 1000, .duration_ns = 600, .bytes = 1 << 20, .src_kind = 1});
  const Report r = wholeReportOf(b);
  expectNothingKnownOfKernels(r);
  EXPECT_DOUBLE_EQ(*r.utilisation.busy, 3000.0 / 4600);
  EXPECT_NE(r.verdict.text, "the profile has no GPU work to judge");
  ASSERT_EQ(r.findings.size(), 1U);
  EXPECT_EQ(r.findings[0].id, "pageable_copies");
}

TEST(EdgeInputs, OnlyNvtxRanges) {
  TraceBuilder b;
  for (int64_t i = 0; i < 5; ++i) b.range("step " + std::to_string(i), 1000 * i, 900);
  const Report r = wholeReportOf(b);
  EXPECT_TRUE(r.kernels.empty());
  EXPECT_FALSE(r.utilisation.busy.has());
  EXPECT_FALSE(r.utilisation.hfu.has());
  EXPECT_EQ(r.verdict.binding, "none");
  EXPECT_TRUE(r.findings.empty());
}

TEST(EdgeInputs, OneKernelWithAndWithoutTime) {
  for (const int64_t duration : {0, 1, 50}) {
    TraceBuilder b;
    b.kernel({.start_ns = 1000, .duration_ns = duration, .launch_ns = 10});
    const Report r = wholeReportOf(b);
    ASSERT_EQ(r.kernels.size(), 1U);
    EXPECT_EQ(r.kernels[0].total_ns, duration);
    EXPECT_EQ(r.gaps.count, 0);
    EXPECT_EQ(r.utilisation.busy.has(), duration > 0);
  }
}

TEST(EdgeInputs, OneStep) {
  TraceBuilder b;
  b.range("step 0", 1000, 5000);
  b.kernel({.start_ns = 2000, .duration_ns = 1000, .launch_ns = 1500});
  const Report r = wholeReportOf(b);
  EXPECT_EQ(r.steps.count, 1);
  EXPECT_EQ(r.steps.warmup, 0);
  EXPECT_EQ(*r.steps.median_ns, 5000);
  EXPECT_FALSE(r.steps.drift.has());
  EXPECT_FALSE(r.steps.drift.why.empty());
}

TEST(EdgeInputs, AStepOfNoLength) {
  TraceBuilder b;
  b.range("step 0", 1000, 0).range("step 1", 1000, 0);
  b.kernel({.start_ns = 1000, .duration_ns = 0, .launch_ns = 1000});
  wholeReportOf(b);
}

TEST(EdgeInputs, AllKernelsOfZeroLength) {
  TraceBuilder b;
  for (int64_t i = 0; i < 50; ++i)
    b.kernel(
        {.start_ns = 1000 + i * 100, .duration_ns = 0, .launch_ns = 900 + i * 100, .launch_duration_ns = 50});
  const Report r = wholeReportOf(b);
  ASSERT_EQ(r.kernels.size(), 1U);
  EXPECT_EQ(r.kernels[0].count, 50);
  EXPECT_FALSE(r.utilisation.busy.has());
  EXPECT_THAT(r.utilisation.busy.why, HasSubstr("takes any time"));
  EXPECT_FALSE(r.kernels[0].achieved_flops.has());
}

TEST(EdgeInputs, AClockThatGoesBackwardsIsLossNotTime) {
  TraceBuilder b;
  b.kernel({.start_ns = 1000, .duration_ns = 100, .launch_ns = 900});
  b.kernel({.start_ns = 5000, .duration_ns = -400, .launch_ns = 4900});
  b.copy({.start_ns = 6000, .duration_ns = -1, .bytes = 10});
  b.kernel({.start_ns = 2000, .duration_ns = 100, .launch_ns = 9000});  // launched "after" it ran
  const Report r = wholeReportOf(b);
  EXPECT_EQ(r.kernels[0].count, 2);
  EXPECT_EQ(r.devices[0].last_ns, 2100);
  EXPECT_FALSE(r.trust.complete);
  ASSERT_FALSE(r.trust.losses.empty());
  EXPECT_EQ(r.trust.losses[0].id, "rejected_records");
  EXPECT_EQ(r.trust.losses[0].count, 2);
}

TEST(EdgeInputs, KernelsOfAnUnknownDeviceAreLossNotAnotherDevices) {
  TraceBuilder b;
  b.kernel({.start_ns = 1000, .duration_ns = 100});
  b.kernel({.start_ns = 2000, .duration_ns = 100, .device = 77});
  const Report r = wholeReportOf(b);
  EXPECT_EQ(r.devices.size(), 1U);
  EXPECT_EQ(r.devices[0].kernel_count, 1);
  EXPECT_EQ(r.trust.losses.at(0).id, "rejected_records");
}

TEST(EdgeInputs, TwoDevicesOfDifferentModels) {
  TraceBuilder b;
  b.device(2, "NVIDIA Wonder 9000");
  for (int64_t i = 0; i < 10; ++i) {
    b.gemm({.start_ns = 1'000'000 * i, .duration_ns = 5'000, .m = 4096, .n = 4096, .k = 4096});
    b.kernel({.name = "nvjet_sm90_tst",
              .start_ns = 1'000'000 * i + 10'000,
              .duration_ns = 200'000,
              .launch_ns = 1'000'000 * i + 1'000});
    b.kernel({.name = "nvjet_sm90_tst",
              .start_ns = 1'000'000 * i + 20'000,
              .duration_ns = 200'000,
              .launch_ns = 1'000'000 * i + 500'000,
              .device = 2});
  }
  const Report r = wholeReportOf(b);
  ASSERT_EQ(r.kernels.size(), 2U);
  EXPECT_NE(r.devices[0].spec, r.devices[1].spec);
  for (const KernelReport& kernel : r.kernels) {
    EXPECT_EQ(kernel.flops.algorithmic.has(), kernel.device == 1);
    EXPECT_EQ(kernel.roofline.verdict == "no_flops", kernel.device == 2);
  }
  EXPECT_TRUE(r.utilisation.hfu.has());
}

TEST(EdgeInputs, ADeviceThatSaysNothingOfItself) {
  TraceBuilder b;
  DeviceRow row;
  row.id = 1, row.host_id = 1, row.name = "";
  row.sm_count = 0, row.memory_bytes = 0, row.core_clock_khz = 0, row.max_warps_per_sm = 0;
  row.memory_bandwidth_bytes_per_s = 0, row.registers_per_sm = 0, row.warp_size = 0;
  row.power_limit_w = std::numeric_limits<double>::infinity();
  b.deviceRow(row);
  b.gemm({.start_ns = 0, .duration_ns = 5'000, .m = 4096, .n = 4096, .k = 4096});
  b.kernel({.name = "nvjet_sm90_tst", .start_ns = 10'000, .duration_ns = 200'000, .launch_ns = 1'000});
  const Report r = wholeReportOf(b);
  EXPECT_FALSE(r.kernels.at(0).waves.has());
  EXPECT_FALSE(r.kernels.at(0).roofline.fraction_of_roof.has());
  EXPECT_FALSE(r.utilisation.hfu.has());
  EXPECT_FALSE(r.contract.gpus.at(0).sm_count);
  EXPECT_FALSE(r.contract.gpus.at(0).power_limit_w);
}

TEST(EdgeInputs, NoSmCountOnAKnownDevice) {
  TraceBuilder b;
  DeviceRow row = TraceBuilder::h200(1);
  row.sm_count = 0;
  row.power_limit_w = std::nan("");
  b.deviceRow(row);
  b.kernel({.start_ns = 10'000, .duration_ns = 200'000, .launch_ns = 1'000, .grid = 500});
  const Report r = wholeReportOf(b);
  EXPECT_FALSE(r.kernels.at(0).waves.has());
  EXPECT_FALSE(r.kernels.at(0).tail.has());
  EXPECT_FALSE(r.contract.gpus.at(0).power_limit_w);
}

// NVML rows of a driver that could not tell: no clock, 0 MHz, 0 W, an energy counter that runs backwards.
TEST(EdgeInputs, NvmlReadingsThatAreNone) {
  TraceBuilder b;
  b.gemm({.start_ns = 0, .duration_ns = 5'000, .m = 4096, .n = 4096, .k = 4096});
  b.kernel({.name = "nvjet_sm90_tst", .start_ns = 10'000, .duration_ns = 3'000'000'000, .launch_ns = 1'000});
  for (int64_t i = 0; i < 4; ++i) {
    MachineSampleRow sample;
    sample.id = i + 1, sample.device_id = 1, sample.time_ns = 20'000 + i * 950'000'000;
    if (i > 0) sample.sm_clock_mhz = 0, sample.power_mw = 0, sample.energy_mj = 1'000'000 - i;
    b.row(sample);
  }
  const Report r = wholeReportOf(b);
  EXPECT_FALSE(r.devices[0].sm_clock_mhz.has());
  EXPECT_FALSE(r.devices[0].sm_clock_mhz.why.empty());
  EXPECT_FALSE(r.devices[0].power_w.has());
  EXPECT_FALSE(r.devices[0].energy_j.has());
  EXPECT_FALSE(r.devices[0].temperature_c.has());
  EXPECT_FALSE(r.kernels.at(0).roofline.ceiling_flops_at_clock.has());
  EXPECT_TRUE(r.kernels.at(0).roofline.fraction_of_roof.has());  // by the data sheet
}

TEST(EdgeInputs, TimesAtTheEndOfTheRange) {
  TraceBuilder b;
  constexpr int64_t kLate = std::numeric_limits<int64_t>::max() - 1'000;
  b.kernel({.start_ns = kLate, .duration_ns = 5'000});  // its end is no number
  b.kernel({.start_ns = kLate, .duration_ns = 500});    // nor is its distance from the next one
  b.kernel({.start_ns = -kLate, .duration_ns = 500});
  b.kernel({.start_ns = 1'000, .duration_ns = 100});
  const Report r = wholeReportOf(b);
  EXPECT_EQ(r.kernels.at(0).count, 1);
  EXPECT_EQ(r.devices[0].span_ns, 100);
  EXPECT_EQ(r.trust.losses.at(0).id, "rejected_records");
  EXPECT_EQ(r.trust.losses.at(0).count, 3);
}

}  // namespace
}  // namespace perfscope
