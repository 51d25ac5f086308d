// The cut at collection windows.
#include "injector/recorder/window_filter.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "injector/run_session.h"
#include "schemas/trace_reader.h"
#include "tests/support/spool_builder.h"
#include "tests/support/temp_dir.h"

namespace perfscope {
namespace {

using Pairs = std::vector<std::pair<std::optional<int64_t>, std::optional<int64_t>>>;

Pairs off(const std::vector<WindowEdge>& edges, bool configured = true) {
  Pairs pairs;
  for (const auto& interval : offIntervals(edges, configured))
    pairs.emplace_back(interval.begin_ns, interval.end_ns);
  return pairs;
}

TEST(OffIntervals, WithoutWindowsNothingIsCut) {
  EXPECT_EQ(off({{90, false, "exit"}}, false), Pairs{}) << "the beginning of the spool was lost";
  EXPECT_EQ(off({{5, true, "start"}, {90, false, "exit"}}, false), Pairs{});
  EXPECT_EQ(off({}, false), Pairs{});
}

TEST(OffIntervals, NeverOpened) {
  EXPECT_EQ(off({}), (Pairs{{std::nullopt, std::nullopt}}));
}

TEST(OffIntervals, BeforeBetweenAndAfter) {
  EXPECT_EQ(off({{10, true, "step_window"},
                 {20, false, "step_window"},
                 {30, true, "step_window"},
                 {40, false, "step_window"}}),
            (Pairs{{std::nullopt, 10}, {20, 30}, {40, std::nullopt}}));
}

TEST(OffIntervals, DurationBeginsOpen) {
  EXPECT_EQ(off({{0, true, "start"}, {300, false, "duration"}}), (Pairs{{300, std::nullopt}}));
}

TEST(OffIntervals, RepeatedEdgesCountOnce) {
  EXPECT_EQ(off({{10, true, "nvtx_capture"},
                 {12, true, "nvtx_capture"},
                 {20, false, "nvtx_capture"},
                 {25, false, "exit"}}),
            (Pairs{{std::nullopt, 10}, {20, std::nullopt}}));
}

spool::Window edge(uint64_t time_ns, bool on) {
  auto window = test::blank<spool::Window>(spool::Kind::Window, 0, on ? 1 : 0);
  window.time_ns = test::kSpoolBaseNs + time_ns;
  window.reason = spool::WindowReason::StepWindow;
  return window;
}

TEST(WindowFilter, LaunchTimeDecides) {
  const test::TempDir dir;
  test::SpoolBuilder spool;
  spool.device(0);
  const auto name = spool.text("k");
  const auto shape = spool.shape();
  // Window [1000, 2000). 1: before. 2: launched inside, runs after. 3: launched before, runs inside. 4: a
  // graph launched inside. 5: after, without its call. The edge comes later in the spool than what it cuts.
  spool.api(1, 500, 510).kernel(1, 600, 700, name, shape);
  spool.api(2, 1900, 1910).kernel(2, 2500, 2600, name, shape);
  spool.api(3, 900, 910).kernel(3, 1100, 1200, name, shape);
  spool.api(4, 1990, 1995, 100, test::kCudaGraphLaunch);
  spool.kernel(4, 2100, 2110, name, shape, 7, 0, spool::kFlagGraphNode);
  spool.kernel(5, 2200, 2300, name, shape);
  spool.api(6, 2050, 2060, 100, test::kCudaDeviceSynchronize);
  spool.add(edge(1000, true)).add(edge(2000, false)).state(spool::ProcessState::Closed);
  spool.write(dir.file("p.session"));
  const auto outcome = recoverSession(dir.file("p.session"), dir.file("p.perfscope"), false);
  ASSERT_TRUE(outcome) << outcome.error().sentence();
  EXPECT_EQ(outcome->gpu_records, 2);
  const auto reader = TraceReader::open(dir.file("p.perfscope"));
  const auto value = [&](const char* sql) { return reader->database().scalar(sql)->value_or("NULL"); };
  EXPECT_EQ(value("SELECT group_concat(correlation_id) FROM (SELECT * FROM kernel ORDER BY id)"), "2,4");
  EXPECT_EQ(value("SELECT group_concat(correlation_id) FROM api_call"), "4");
  // Kernel 5 came without its call, but it is not in the profile: nothing is missing there.
  EXPECT_EQ(value("SELECT count(*) FROM loss WHERE count > 0"), "0");
}

}  // namespace
}  // namespace perfscope
