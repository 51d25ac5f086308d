// A recording that slowed the program: warning, less confidence, no promises. And what is not known stays
// unknown.
#include "analysis/diagnosis/recording_overhead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/report/report_builder.h"
#include "analysis/report/report_json.h"
#include "tests/support/trace_builder.h"

namespace perfscope {
namespace {

using test::TraceBuilder;
using testing::HasSubstr;

// Launch-bound: ten steps of 20 kernels of 3 us, 7 us apart.
Report reportWith(const std::string& bare, const std::string& profiled, const std::string& pairs = "5") {
  TraceBuilder b;
  for (int64_t i = 0; i < 200; ++i) {
    const int64_t at = 1'000'000 + i * 10'000;
    if (i % 20 == 0) b.range("step " + std::to_string(i / 20), at - 4'000, 199'000);
    b.kernel({.start_ns = at, .duration_ns = 3'000, .launch_ns = at - 4'000, .launch_duration_ns = 3'500});
  }
  if (!bare.empty()) b.meta("overhead.bare_ns", bare);
  if (!profiled.empty()) b.meta("overhead.profiled_ns", profiled);
  if (!pairs.empty()) b.meta("overhead.n", pairs);
  auto report = buildReport(b.write(), {});
  EXPECT_TRUE(report) << (report ? "" : report.error().sentence());
  return report ? std::move(*report) : Report{};
}

bool has(const Report& report, const std::string& id) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [&](const Finding& finding) { return finding.id == id; });
}

TEST(RecordingOverhead, AboveTenPercentWarnsLowersConfidenceAndWithholdsGains) {
  const Report fine = reportWith("1000000", "1090000");
  const Report slow = reportWith("1000000", "1250000");
  EXPECT_FALSE(has(fine, "recording_overhead"));
  ASSERT_TRUE(has(slow, "recording_overhead"));
  EXPECT_EQ(slow.verdict.binding, fine.verdict.binding);
  EXPECT_NEAR(slow.verdict.confidence, fine.verdict.confidence / 1.25, 1e-9);
  ASSERT_FALSE(fine.verdict.interventions.empty());
  EXPECT_TRUE(fine.verdict.interventions[0].predicted_gain);
  for (const Intervention& step : slow.verdict.interventions) {
    EXPECT_FALSE(step.predicted_gain);
    EXPECT_EQ(step.predicted_gain_why, "withheld, because the recording itself slowed the program by 25 %");
  }
  for (const Finding& finding : slow.findings) {
    EXPECT_FALSE(finding.predicted_gain_ns.has()) << finding.id;
    if (finding.id == "launch_bound") {
      EXPECT_THAT(finding.predicted_gain_ns.why, HasSubstr("withheld, because the recording itself"));
    }
  }
  EXPECT_TRUE(has(slow, "launch_bound"));
  EXPECT_TRUE(std::any_of(slow.trust.gated.begin(), slow.trust.gated.end(), [](const GatedMetric& gate) {
    return gate.metric == "findings.predicted_gain_ns";
  }));
  EXPECT_THAT(renderJson(slow, {}), HasSubstr("\"predicted_gain_why\": \"withheld, because the recording"));
}

TEST(RecordingOverhead, NotMeasuredIsNeitherZeroNorAWarning) {
  const Report none = reportWith("", "", "");
  EXPECT_FALSE(none.overhead.measured);
  EXPECT_THAT(none.overhead.measured_why, HasSubstr("not repeated"));
  EXPECT_FALSE(has(none, "recording_overhead"));
  EXPECT_FALSE(heavyOverhead(none.overhead));
  EXPECT_TRUE(none.verdict.interventions.at(0).predicted_gain);
}

TEST(RecordingOverhead, ADamagedMeasurementIsNone) {
  for (const auto& [bare, profiled, pairs] :
       {std::tuple("0", "1000", "5"), std::tuple("1000", "0", "5"), std::tuple("1000", "-7", "5"),
        std::tuple("1000", "5000", ""), std::tuple("1000", "5000", "0"), std::tuple("", "5000", "5"),
        std::tuple("many", "5000", "5")}) {
    const Report r = reportWith(bare, profiled, pairs);
    EXPECT_FALSE(r.overhead.measured) << bare << " " << profiled << " " << pairs;
    EXPECT_THAT(r.overhead.measured_why, HasSubstr("not whole"));
    EXPECT_FALSE(has(r, "recording_overhead"));
  }
}

TEST(RecordingOverhead, FasterThanBareIsNoise) {
  EXPECT_FALSE(has(reportWith("1000000", "990000"), "recording_overhead"));
}

}  // namespace
}  // namespace perfscope
