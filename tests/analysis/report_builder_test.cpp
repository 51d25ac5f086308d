// The whole report of small profiles: sections, provenance, absent values with reasons.
#include "analysis/report/report_builder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "schemas/tables.h"
#include "tests/support/trace_builder.h"

namespace perfscope {
namespace {

using test::TraceBuilder;

Report reportOf(const std::string& path, const ReportOptions& options = {}) {
  auto report = buildReport(path, options);
  EXPECT_TRUE(report) << (report ? "" : report.error().sentence());
  return report ? std::move(*report) : Report{};
}

TEST(ReportBuilder, AnEmptyProfileSaysWhatItLacks) {
  TraceBuilder b;
  const Report r = reportOf(b.write());
  EXPECT_TRUE(r.closed);
  EXPECT_TRUE(r.trust.complete);
  ASSERT_EQ(r.devices.size(), 1U);
  EXPECT_EQ(r.devices[0].kernel_count, 0);
  EXPECT_EQ(r.steps.source, "none");
  EXPECT_FALSE(r.steps.why.empty());
  EXPECT_FALSE(r.utilisation.busy.has());
  EXPECT_FALSE(r.gaps.launch_latency.has());
  EXPECT_FALSE(r.memory.peak_bytes.has());
  EXPECT_EQ(r.schema_version, kSchemaVersion);
}

TEST(ReportBuilder, OneKernel) {
  TraceBuilder b;
  b.kernel({.name = "only", .start_ns = 100, .duration_ns = 50, .launch_ns = 10});
  const Report r = reportOf(b.write());
  ASSERT_EQ(r.kernels.size(), 1U);
  EXPECT_EQ(r.kernels[0].count, 1);
  EXPECT_DOUBLE_EQ(r.kernels[0].share, 1.0);
  EXPECT_EQ(r.kernels[0].duration.p50_ns, 50);
  EXPECT_EQ(r.devices[0].busy_ns, 50);
  EXPECT_EQ(r.devices[0].idle_ns, 0);
  EXPECT_DOUBLE_EQ(*r.utilisation.busy, 1.0);
  EXPECT_EQ(r.gaps.count, 0);
}

TEST(ReportBuilder, KernelsAreSortedByTimeThenName) {
  TraceBuilder b;
  b.kernel({.name = "b", .start_ns = 0, .duration_ns = 10});
  b.kernel({.name = "a", .start_ns = 20, .duration_ns = 10});
  b.kernel({.name = "c", .start_ns = 40, .duration_ns = 30});
  const Report r = reportOf(b.write());
  ASSERT_EQ(r.kernels.size(), 3U);
  EXPECT_EQ(r.kernels[0].name, "c");
  EXPECT_EQ(r.kernels[1].name, "a");
  EXPECT_EQ(r.kernels[2].name, "b");
}

TEST(ReportBuilder, DevicesAreSortedByIdAndMatched) {
  TraceBuilder b;
  b.device(3, "NVIDIA Wonder 9000").device(2);
  const Report r = reportOf(b.write());
  ASSERT_EQ(r.devices.size(), 3U);
  EXPECT_EQ(r.devices[0].id, 1);
  EXPECT_EQ(r.devices[2].id, 3);
  EXPECT_EQ(r.devices[0].spec, "h200-sxm-141gb");
  EXPECT_FALSE(r.devices[2].spec_why.empty());
}

TEST(ReportBuilder, ANamedProductReplacesTheDeviceAndAWrongNameIsUsage) {
  TraceBuilder b;
  const std::string path = b.write();
  EXPECT_EQ(reportOf(path, {.hardware_spec = "h200-sxm-141gb"}).devices[0].spec, "h200-sxm-141gb");
  const auto wrong = buildReport(path, {.hardware_spec = "nothing like it"});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::Usage);
}

TEST(ReportBuilder, AnUnclosedProfileOpensAndSaysSo) {
  TraceBuilder b;
  b.kernel({.start_ns = 1, .duration_ns = 1}).process(1, {}, "killed");
  const Report r = reportOf(b.writeUnclosed());
  EXPECT_FALSE(r.closed);
  EXPECT_FALSE(r.trust.complete);
  std::vector<std::string> ids;
  for (const auto& loss : r.trust.losses) ids.push_back(loss.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"unclosed", "killed_process"}));
  EXPECT_FALSE(r.trust.gated.empty());
}

TEST(ReportBuilder, LossesKeepTheirGradeAndNoticesAreNoLoss) {
  TraceBuilder b;
  b.kernel({.start_ns = 1, .duration_ns = 1})
      .loss("unmatched_launch", 3)
      .loss("cupti_dropped", 0)
      .loss("from_the_future", 2);
  LedgerRow note;
  note.id = 1, note.severity = "info", note.name = "hint", note.text = "something was assumed";
  b.row(note);
  const Report r = reportOf(b.write());
  ASSERT_EQ(r.trust.losses.size(), 2U);
  EXPECT_EQ(r.trust.losses[0].id, "unmatched_launch");
  EXPECT_EQ(r.trust.losses[0].severity, "notice");
  EXPECT_EQ(r.trust.losses[1].severity, "data_loss");  // unknown counters are not harmless
  EXPECT_FALSE(r.trust.complete);
  ASSERT_FALSE(r.trust.assumptions.empty());
  EXPECT_EQ(r.trust.assumptions[0].id, "hint");
}

TEST(ReportBuilder, MemoryPeakIsTheLargestRunningSum) {
  TraceBuilder b;
  b.memoryEvent(1, 10, 100, 0xa).memoryEvent(1, 20, 50, 0xb).memoryEvent(2, 30, 100, 0xa);
  b.memoryEvent(1, 40, 60, 0xc).memoryEvent(2, 50, 999, 0xdead);  // a release of something older
  b.kernel({.start_ns = 1, .duration_ns = 1});
  EXPECT_EQ(*reportOf(b.write()).memory.peak_bytes, 150);
}

TEST(ReportBuilder, CopiesByKindWithWhatIsHidden) {
  TraceBuilder b;
  b.kernel({.start_ns = 0, .duration_ns = 100});
  b.copy({.start_ns = 50, .duration_ns = 100, .bytes = 1000, .kind = 1, .stream = 8});
  b.copy(
      {.start_ns = 200, .duration_ns = 10, .bytes = 7, .kind = 2, .src_kind = 3, .dst_kind = 1, .stream = 8});
  const Report r = reportOf(b.write());
  ASSERT_EQ(r.memory.copies.size(), 2U);
  EXPECT_EQ(r.memory.copies[0].kind, "HtoD");
  EXPECT_EQ(r.memory.copies[0].hidden_ns, 50);
  EXPECT_DOUBLE_EQ(*r.memory.copies[0].rate_bytes_per_s, 1000 / 100e-9);
  EXPECT_EQ(r.memory.copies[1].kind, "DtoH");
  EXPECT_TRUE(r.memory.copies[1].pageable);
}

TEST(ReportBuilder, MachineStateComesFromTheWindow) {
  TraceBuilder b;
  for (int i = 0; i < 6; ++i) {
    b.range("step " + std::to_string(i), 1000 * i, 900);
    b.kernel({.start_ns = 1000 * i + 10, .duration_ns = 500, .launch_ns = 1000 * i});
  }
  b.smClock(-500, 300).smClock(1000, 1900).smClock(2000, 1800).smClock(3000, 1850).smClock(90'000, 300);
  const Report r = reportOf(b.write());
  ASSERT_TRUE(r.devices[0].sm_clock_mhz.has());
  EXPECT_DOUBLE_EQ(r.devices[0].sm_clock_mhz.value->median, 1850);
  EXPECT_DOUBLE_EQ(r.devices[0].sm_clock_mhz.value->min, 1800);
  EXPECT_FALSE(r.devices[0].power_w.has());
  EXPECT_FALSE(r.devices[0].power_w.why.empty());
}

TEST(ReportBuilder, MeasuredOverheadAndLabelsComeFromMeta) {
  TraceBuilder b;
  b.meta("overhead.bare_ns", "1000")
      .meta("overhead.profiled_ns", "1020")
      .meta("overhead.n", "5")
      .meta("label.batch", "8");
  const Report r = reportOf(b.write());
  ASSERT_TRUE(r.overhead.measured);
  EXPECT_DOUBLE_EQ(r.overhead.measured->ratio, 1.02);
  EXPECT_EQ(r.overhead.measured->n, 5);
  EXPECT_EQ(r.contract.workload.at("batch"), "8");
}

TEST(ReportBuilder, OpaqueGraphsGateIdleTime) {
  TraceBuilder b;
  b.kernel({.start_ns = 0, .duration_ns = 10});
  GraphLaunchRow graph;
  graph.id = 1, graph.process_id = 1, graph.device_id = 1, graph.graph_id = 1, graph.start_ns = 20,
  graph.duration_ns = 30;
  b.row(graph);
  const Report r = reportOf(b.write());
  EXPECT_DOUBLE_EQ(*r.devices[0].opaque_graph_ns, 30);
  EXPECT_FALSE(r.utilisation.hfu.has());
  EXPECT_NE(r.utilisation.hfu.why.find("as a whole"), std::string::npos);
  EXPECT_EQ(r.trust.gated[0].metric, "devices.idle_ns");
}

TEST(ReportBuilder, TopBoundsTheListOfGapsOnly) {
  TraceBuilder b;
  for (int i = 0; i < 30; ++i)
    b.kernel({.name = "k" + std::to_string(i), .start_ns = 100 * i, .duration_ns = 10 + i});
  ReportOptions options;
  options.top = 3;
  const Report r = reportOf(b.write(), options);
  EXPECT_EQ(r.gaps.largest.size(), 3U);
  EXPECT_EQ(r.gaps.count, 29);
  EXPECT_EQ(r.kernels.size(), 30U);
  EXPECT_GE(r.gaps.largest[0].duration_ns, r.gaps.largest[1].duration_ns);
}

TEST(ReportBuilder, EnergyIsWithheldWhereTheCounterCannotTellIt) {
  const auto report = buildReport(std::string(PERFSCOPE_TEST_DATA) + "/h200/train.perfscope", {});
  ASSERT_TRUE(report) << report.error().sentence();
  // 165 W over 130 ms are 21 J; the board's counter, which moves every 100 ms, differs by 35 J in that time.
  ASSERT_EQ(report->devices.size(), 1U);
  EXPECT_FALSE(report->devices[0].energy_j.has());
  EXPECT_TRUE(report->devices[0].power_w.has());
}

}  // namespace
}  // namespace perfscope
