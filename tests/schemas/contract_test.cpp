// The pure contracts: configuration and names print and parse; upgrade steps; lists are complete and in
// order.
#include <gtest/gtest.h>

#include "schemas/collector_config.h"
#include "schemas/ddl.h"
#include "schemas/loss_counters.h"
#include "schemas/notes.h"
#include "schemas/spool_names.h"
#include "schemas/upgrade.h"

namespace perfscope {
namespace {

TEST(CollectorConfig, PrintsAndParsesBack) {
  CollectorConfig config;
  config.session_dir = "/a b/;%=\n";
  config.api = ApiTracing::All;
  config.graphs = GraphTracing::Graph;
  config.capture = Capture::Nvtx;
  config.capture_range = "step é";
  config.duration_ns = ~0ULL;
  config.nvtx = false;
  config.ranks = {0, 8, 4294967295U};
  const auto text = printConfig(config);
  std::vector<std::string> unknown;
  const auto back = parseConfig(text, &unknown);
  ASSERT_TRUE(back.has_value()) << back.error().sentence();
  EXPECT_EQ(printConfig(*back), text);
  EXPECT_EQ(back->session_dir, config.session_dir);
  EXPECT_EQ(back->capture_range, config.capture_range);
  EXPECT_EQ(back->duration_ns, config.duration_ns);
  EXPECT_EQ(back->ranks, config.ranks);
  EXPECT_TRUE(unknown.empty());
}

TEST(CollectorConfig, BadValuesNameTheKey) {
  for (const auto* text : {"nvtx=2", "api=7", "buffer_bytes=x", "delay_ns=-1", "ranks=1,a", "session=%zz",
                           "session=%4", "nvtx"}) {
    const auto parsed = parseConfig(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    const std::string key = std::string(text).substr(0, std::string(text).find('='));
    EXPECT_NE(parsed.error().where.find(key), std::string::npos) << parsed.error().sentence();
  }
}

TEST(CollectorConfig, UnknownKeysAreReportedNotFatal) {
  std::vector<std::string> unknown;
  const auto parsed = parseConfig("future=1;flush_ms=9", &unknown);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->flush_ms, 9U);
  EXPECT_EQ(unknown, std::vector<std::string>{"future"});
}

TEST(SpoolNames, MakeAndParse) {
  const auto folder = parseProcessFolderName(processFolderName({4242, 1700000000123456789ULL}));
  ASSERT_TRUE(folder.has_value());
  EXPECT_EQ(folder->pid, 4242U);
  EXPECT_EQ(folder->start_ns, 1700000000123456789ULL);
  EXPECT_EQ(segmentFileName(7), "seg-000007.spool");
  EXPECT_EQ(parseSegmentFileName(segmentFileName(1234567)), 1234567U);
  for (const auto* bad : {"", "seg-.spool", "seg-1x.spool", "control", "seg-1", "seg-99999999999.spool"}) {
    EXPECT_FALSE(parseSegmentFileName(bad).has_value()) << bad;
  }
  for (const auto* bad : {"", "1", "-", "1-", "-1", "a-b", "1-2-3"})
    EXPECT_FALSE(parseProcessFolderName(bad).has_value()) << bad;
}

TEST(Lists, LossCountersAndNotesStandAtTheirIndex) {
  for (size_t i = 0; i < kLossCounters.size(); ++i) EXPECT_EQ(static_cast<size_t>(kLossCounters[i].id), i);
  for (size_t i = 0; i < kNotes.size(); ++i) EXPECT_EQ(static_cast<size_t>(kNotes[i].id), i);
}

TEST(Ddl, EveryColumnHasADocAndUnitsAreNamed) {
  forEachTable([]<class Row>() {
    EXPECT_FALSE(TableOf<Row>::kDoc.empty());
    const auto check = [](const auto& c) { EXPECT_FALSE(c.doc.empty()) << c.name; };
    std::apply([&](const auto&... c) { (check(c), ...); }, TableOf<Row>::kColumns);
  });
  const auto documentation = schemaDocumentation();
  EXPECT_NE(documentation.find("TABLE kernel\n"), std::string::npos);
  EXPECT_NE(documentation.find("v_gap"), std::string::npos);
}

TEST(Upgrade, MissingStepIsRefusedAndStepsRunInOrder) {
  auto db = Database::open(":memory:", Database::Mode::ReadWrite);
  ASSERT_TRUE(db.has_value());
  ASSERT_TRUE(db->execute("CREATE TABLE old (a); INSERT INTO old VALUES (3)").has_value());
  const std::vector<UpgradeStep> steps = {{1, "", "CREATE TEMP VIEW mid AS SELECT a + 1 AS a FROM old"},
                                          {2, "", "CREATE TEMP VIEW newest AS SELECT a * 2 AS a FROM mid"}};
  EXPECT_TRUE(upgradeForReading(*db, 1, steps, 3).has_value());
  EXPECT_EQ(*db->scalar("SELECT a FROM newest"), "8");
  EXPECT_FALSE(upgradeForReading(*db, 0, steps, 3).has_value());
  EXPECT_FALSE(upgradeForReading(*db, 4, steps, 3).has_value());
}

}  // namespace
}  // namespace perfscope
