// What lies outside the analysed window (start-up, warm-up) must not move a figure about the window.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/report/report_builder.h"
#include "tests/support/trace_builder.h"

namespace perfscope {
namespace {

using test::TraceBuilder;

Report reportOf(TraceBuilder& b) {
  auto report = buildReport(b.write(), {});
  EXPECT_TRUE(report) << (report ? "" : report.error().sentence());
  return report ? std::move(*report) : Report{};
}

const Finding* find(const Report& report, const std::string& id) {
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [&](const Finding& finding) { return finding.id == id; });
  return found == report.findings.end() ? nullptr : &*found;
}

constexpr int64_t kBegin = 100'000'000, kStep = 1'000'000;

// Ten steps of 1 ms, each one kernel that fills what the copies leave of it.
void addSteps(TraceBuilder& b, int64_t copy_ns, int64_t src_kind = 1) {
  for (int64_t i = 0; i < 10; ++i) {
    const int64_t at = kBegin + i * kStep;
    b.range("step " + std::to_string(i), at - 2'000, kStep - 10);
    if (copy_ns > 0) {
      b.copy({.start_ns = at,
              .duration_ns = copy_ns,
              .bytes = 1'000'000,
              .src_kind = src_kind,
              .launch_ns = at - 1'000});
    }
    b.kernel({.name = "mystery",
              .start_ns = at + copy_ns,
              .duration_ns = kStep - copy_ns - 100,
              .launch_ns = at - 500});
  }
}

TEST(AnalysedWindow, PageableCopiesBeforeTheStepsAreNoFinding) {
  TraceBuilder b;
  for (int64_t i = 0; i < 50; ++i)  // the model is loaded: half of the profile's span
    b.copy({.start_ns = i * kStep, .duration_ns = kStep, .bytes = 1 << 24, .src_kind = 1});
  addSteps(b, 0);
  const Report r = reportOf(b);
  ASSERT_EQ(r.memory.copies.size(), 1U);
  EXPECT_EQ(r.memory.copies[0].count, 50);  // of the profile: still told
  EXPECT_EQ(find(r, "pageable_copies"), nullptr);
}

TEST(AnalysedWindow, PageableCopiesInTheStepsGainWhatTheyTakeThere) {
  TraceBuilder b;
  for (int64_t i = 0; i < 50; ++i)
    b.copy({.start_ns = i * kStep, .duration_ns = kStep, .bytes = 1 << 24, .src_kind = 1});
  addSteps(b, 300'000);
  const Report r = reportOf(b);
  const Finding* finding = find(r, "pageable_copies");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, "critical");
  EXPECT_NE(finding->evidence[0].text.find("10 pageable copies"), std::string::npos)
      << finding->evidence[0].text;
  EXPECT_NEAR(static_cast<double>(*finding->predicted_gain_ns), 10 * 300'000, 5'000);  // not 53 ms
}

TEST(AnalysedWindow, CopiesHiddenBehindOtherWorkGainNothing) {
  TraceBuilder b;
  addSteps(b, 0);
  for (int64_t i = 0; i < 10; ++i)
    b.copy({.start_ns = kBegin + i * kStep + 100'000,
            .duration_ns = 300'000,
            .bytes = 1 << 20,
            .src_kind = 1,
            .stream = 8});
  EXPECT_EQ(find(reportOf(b), "pageable_copies"), nullptr);
}

// A kernel of low occupancy that ran in the warm-up only is no advice about the steps.
TEST(AnalysedWindow, KernelsOfTheStartUpEarnNoFinding) {
  TraceBuilder b;
  b.kernel({.name = "setup_kernel",
            .start_ns = 0,
            .duration_ns = 50'000'000,
            .grid = 132 * 100,
            .block = 256,
            .shared_bytes = 200 * 1024});
  addSteps(b, 0);
  const Report r = reportOf(b);
  ASSERT_EQ(r.kernels[0].name, "setup_kernel");
  EXPECT_EQ(r.kernels[0].window_ns, 0);
  EXPECT_EQ(r.kernels[0].window_count, 0);
  EXPECT_GT(r.kernels[0].share, 0.8);
  for (const Finding& finding : r.findings) EXPECT_NE(finding.id, "low_occupancy");
}

// The start-up's 50 ms of elementwise kernels would be "memory-bound by nature"; the steps are not.
TEST(AnalysedWindow, TheMixOfKernelsIsThatOfTheWindow) {
  TraceBuilder b;
  b.kernel({.name = "elementwise_kernel", .start_ns = 0, .duration_ns = 50'000'000});
  addSteps(b, 0);
  const Report r = reportOf(b);
  EXPECT_EQ(r.verdict.binding, "none");
  EXPECT_NE(r.verdict.text.find("not known"), std::string::npos) << r.verdict.text;
}

// 2000 short launches of the start-up must not make long kernels launch-bound.
TEST(AnalysedWindow, MedianKernelAndLaunchCostAreThoseOfTheWindow) {
  TraceBuilder b;
  for (int64_t i = 0; i < 2'000; ++i)
    b.kernel({.name = "tiny",
              .start_ns = i * 10'000,
              .duration_ns = 1'000,
              .launch_ns = i * 10'000 - 4'000,
              .launch_duration_ns = 3'500});
  for (int64_t i = 0; i < 10; ++i) {
    const int64_t at = kBegin + i * kStep;
    b.range("step " + std::to_string(i), at - 4'000, kStep - 10);
    b.kernel({.name = "long", .start_ns = at, .duration_ns = kStep / 2, .launch_ns = at - 3'000});
  }
  const Report r = reportOf(b);
  EXPECT_EQ(r.verdict.binding, "host");
  EXPECT_EQ(find(r, "launch_bound"), nullptr);
}

// 4096^3 in bf16 took 179.5 us on an H200: 765.9 TFLOP/s of 989.5 (ncu recording, launch 12). As many
// products again before the steps, and a start-up of ten times their length, change nothing.
TEST(AnalysedWindow, HfuCountsFlopsAndTimeOfTheWindow) {
  TraceBuilder b;
  constexpr int64_t kProduct = 179'456;
  const auto product = [&](int64_t at) {
    b.gemm({.start_ns = at - 80'000, .duration_ns = 5'000, .m = 4096, .n = 4096, .k = 4096});
    b.kernel({.name = "nvjet_sm90_tst", .start_ns = at, .duration_ns = kProduct, .launch_ns = at - 79'000});
  };
  for (int64_t i = 0; i < 12; ++i) product(1'000'000 + i * 1'000'000);
  for (int64_t i = 0; i < 12; ++i) {
    const int64_t at = kBegin + i * 2 * kProduct;
    b.range("step " + std::to_string(i), at - 90'000, 2 * kProduct - 10);
    product(at);
    b.kernel(
        {.name = "mystery", .start_ns = at + kProduct, .duration_ns = kProduct, .launch_ns = at - 1'000});
  }
  const Report r = reportOf(b);
  ASSERT_TRUE(r.utilisation.hfu.has()) << r.utilisation.hfu.why;
  EXPECT_NEAR(*r.utilisation.hfu, 765.9 / 989.5 / 2, 0.01);
  const auto gemm = std::find_if(r.kernels.begin(), r.kernels.end(),
                                 [](const KernelReport& k) { return k.kernel_class == "gemm"; });
  ASSERT_NE(gemm, r.kernels.end());
  EXPECT_DOUBLE_EQ(*gemm->flops.algorithmic, 24 * 2.0 * 4096 * 4096 * 4096);
  EXPECT_DOUBLE_EQ(*gemm->flops.algorithmic_in_window, 12 * 2.0 * 4096 * 4096 * 4096);
}

TEST(AnalysedWindow, HfuIsNotMeasuredWhereNoFlopsLieInIt) {
  TraceBuilder b;
  b.gemm({.start_ns = 0, .duration_ns = 5'000, .m = 4096, .n = 4096, .k = 4096});
  b.kernel({.name = "nvjet_sm90_tst", .start_ns = 10'000, .duration_ns = 200'000, .launch_ns = 1'000});
  addSteps(b, 0);
  const Report r = reportOf(b);
  EXPECT_FALSE(r.utilisation.hfu.has());
  EXPECT_FALSE(r.utilisation.hfu.why.empty());
}

// A training recording whose 5 steps are 2 % of its span. By hand, from its tables: 32.792 TFLOP of the
// matrix products launched inside library calls, in 130.117 ms, at 1070.5 TFLOP/s (bf16 at the recorded 1980
// MHz).
TEST(AnalysedWindow, HfuOfATrainingRecording) {
  const auto report = buildReport(std::string(PERFSCOPE_TEST_DATA) + "/h200/train.perfscope", {});
  ASSERT_TRUE(report) << report.error().sentence();
  ASSERT_TRUE(report->utilisation.hfu.has()) << report->utilisation.hfu.why;
  EXPECT_NEAR(*report->utilisation.hfu, 32.792e12 / (0.130117 * 1070.53e12), 1e-4);
  EXPECT_GT(*report->utilisation.busy, 0.8);
}

}  // namespace
}  // namespace perfscope
