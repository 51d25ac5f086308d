// Ranges told while open, through the whole recorder: the end takes their place, death leaves them open.
#include <gtest/gtest.h>

#include "injector/recorder/recorder.h"
#include "schemas/trace_reader.h"
#include "tests/support/spool_builder.h"
#include "tests/support/temp_dir.h"

namespace perfscope {
namespace {

spool::NvtxRange range(uint64_t start_ns, uint64_t end_ns, uint32_t text, uint16_t flags) {
  auto record = test::blank<spool::NvtxRange>(spool::Kind::NvtxRange, 7, flags);
  record.start_ns = test::kSpoolBaseNs + start_ns;
  record.end_ns = end_ns == 0 ? 0 : test::kSpoolBaseNs + end_ns;
  record.text_id = text;
  return record;
}

TEST(OpenRanges, TheEndTakesTheirPlaceAndDeathLeavesThemOpen) {
  const test::TempDir dir;
  test::SpoolBuilder spool(99999999);  // no such process: killed
  const auto ended = spool.text("ended");
  const auto open = spool.text("open");
  const auto lost = spool.text("lost");
  const auto closed_open = spool.text("closed while open");
  spool.add(range(10, 0, ended, spool::kFlagOpenRange))
      .add(range(20, 0, open, spool::kFlagOpenRange))
      .add(range(20, 0, open, spool::kFlagOpenRange))  // told twice: still one range
      .add(range(30, 0, lost, spool::kFlagOpenRange))
      .add(range(40, 0, closed_open, spool::kFlagOpenRange))
      .add(range(10, 500, ended, 0))
      .add(range(30, 0, lost, spool::kFlagForgotten))
      .add(range(40, 600, closed_open, spool::kFlagOpenRange));
  spool.write(dir.file("s"));
  RecorderOptions options;
  options.output = dir.file("p.perfscope");
  options.session_dir = dir.file("s");
  options.time_base_ns = static_cast<int64_t>(test::kSpoolBaseNs);
  auto recorder = Recorder::create(options);
  ASSERT_TRUE(recorder);
  ASSERT_TRUE((*recorder)->finish(std::nullopt));
  const auto profile = TraceReader::open(options.output);
  ASSERT_TRUE(profile);
  const auto rows = profile->database().scalar(
      "SELECT group_concat(text || ' ' || coalesce(duration_ns, 'open'), ', ') FROM (SELECT * FROM "
      "v_nvtx_range "
      "ORDER BY start_ns)");
  ASSERT_TRUE(rows) << rows.error().sentence();
  EXPECT_EQ(rows->value_or(""), "ended 490, open open, closed while open open");
}

}  // namespace
}  // namespace perfscope
