// Small pure rooms of the command line: values, suggestions, SQL text.
#include <gtest/gtest.h>

#include "cli/console.h"
#include "cli/parse_values.h"
#include "cli/sql_text.h"
#include "cli/suggest.h"

namespace perfscope::cli {
namespace {

TEST(ParseValues, Durations) {
  EXPECT_EQ(parseDurationNs("--delay", "250ms").value(), 250'000'000U);
  EXPECT_EQ(parseDurationNs("--delay", "5s").value(), 5'000'000'000U);
  EXPECT_EQ(parseDurationNs("--delay", "1.5min").value(), 90'000'000'000U);
  EXPECT_EQ(parseDurationNs("--delay", "2h").value(), 7'200'000'000'000U);
  EXPECT_EQ(parseDurationNs("--delay", "0s").value(), 0U);
  for (const char* bad : {"", "5", "s", "-1s", "5 s", "5sec", "1e300s", "nans", "infs", "5s5"}) {
    const auto result = parseDurationNs("--delay", bad);
    ASSERT_FALSE(result) << bad;
    EXPECT_EQ(result.error().kind, ErrorKind::Usage);
    EXPECT_EQ(result.error().where, "--delay");
  }
}

TEST(ParseValues, Steps) {
  CollectorConfig config;
  ASSERT_TRUE(parseSteps("5:2:10", config));
  EXPECT_EQ(config.steps_wait, 5U);
  EXPECT_EQ(config.steps_warmup, 2U);
  EXPECT_EQ(config.steps_active, 10U);
  EXPECT_EQ(config.steps_repeat, 0U);
  ASSERT_TRUE(parseSteps("0:0:1:3", config));
  EXPECT_EQ(config.steps_repeat, 3U);
  for (const char* bad :
       {"", "5", "1:2", "1:2:3:4:5", "a:b:c", "1:2:0", "1:2:", "-1:0:1", "1:2:99999999999"}) {
    EXPECT_FALSE(parseSteps(bad, config)) << bad;
  }
}

TEST(ParseValues, CaptureRateLabelRanks) {
  CollectorConfig config;
  ASSERT_TRUE(parseCapture("nvtx:train: step", config));
  EXPECT_EQ(config.capture, Capture::Nvtx);
  EXPECT_EQ(config.capture_range, "train: step");
  EXPECT_TRUE(parseCapture("cuda-profiler-api", config));
  EXPECT_EQ(config.capture, Capture::ProfilerApi);
  EXPECT_FALSE(parseCapture("nvtx", config));
  EXPECT_EQ(parseNvmlRate("20Hz").value(), 20);
  EXPECT_EQ(parseNvmlRate("0.5").value(), 0.5);
  EXPECT_EQ(parseNvmlRate("off").value(), 0);
  for (const char* bad : {"", "0", "-1Hz", "1000Hz", "fast", "nan"}) EXPECT_FALSE(parseNvmlRate(bad)) << bad;
  EXPECT_EQ(parseLabel("batch=64").value(), (std::pair<std::string, std::string>("batch", "64")));
  EXPECT_EQ(parseLabel("note=a=b").value().second, "a=b");
  for (const char* bad : {"", "=x", "batch", "a b=c"}) EXPECT_FALSE(parseLabel(bad)) << bad;
  EXPECT_EQ(parseRanks("0,8").value(), (std::vector<uint32_t>{0, 8}));
  for (const char* bad : {"", "0,", "a", "-1"}) EXPECT_FALSE(parseRanks(bad)) << bad;
}

TEST(Suggest, DistancesAndNearness) {
  EXPECT_EQ(editDistance("", ""), 0U);
  EXPECT_EQ(editDistance("abc", ""), 3U);
  EXPECT_EQ(editDistance("report", "report"), 0U);
  EXPECT_EQ(editDistance("repotr", "report"), 1U);  // neighbours swapped
  EXPECT_EQ(editDistance("kitten", "sitting"), 3U);
  const std::vector<std::string> verbs = {"run", "report", "recover", "query"};
  EXPECT_EQ(nearest("reprt", verbs), "report");
  EXPECT_EQ(nearest("rum", verbs), "run");
  EXPECT_EQ(nearest("xyz", verbs), "");
  EXPECT_EQ(nearest("import", verbs), "");
  EXPECT_EQ(nearest(std::string(10000, 'r'), verbs), "");
}

TEST(SqlText, CountsStatementsAroundQuotesAndComments) {
  EXPECT_EQ(countStatements(""), 0U);
  EXPECT_EQ(countStatements(" ; ;"), 0U);
  EXPECT_EQ(countStatements("select 1"), 1U);
  EXPECT_EQ(countStatements("select 1;"), 1U);
  EXPECT_EQ(countStatements("select 1; -- done"), 1U);
  EXPECT_EQ(countStatements("select ';' , \";\", [;], `;` /* ; */"), 1U);
  EXPECT_EQ(countStatements("select 'it''s; fine'"), 1U);
  EXPECT_EQ(countStatements("select 1; select 2"), 2U);
  EXPECT_EQ(countStatements("select 'open; end"), 1U);
}

TEST(SqlText, FirstKeyword) {
  EXPECT_EQ(firstKeyword("  select 1"), "SELECT");
  EXPECT_EQ(firstKeyword("/* hi */ -- there\n With x as"), "WITH");
  EXPECT_EQ(firstKeyword(";;delete from x"), "DELETE");
  EXPECT_EQ(firstKeyword("'text'"), "");
  EXPECT_EQ(firstKeyword(""), "");
}

TEST(Console, TextIsAsWideAsTheTerminalWithinLimits) {
  EXPECT_EQ(textColumns("", 0), 100U);  // no terminal
  EXPECT_EQ(textColumns("", 80), 80U);
  EXPECT_EQ(textColumns("", 240), 100U);
  EXPECT_EQ(textColumns("", 20), 60U);
  EXPECT_EQ(textColumns("72", 90), 72U);  // COLUMNS is stronger
  EXPECT_EQ(textColumns("72", 0), 72U);
  for (const char* bad : {"0", "-5", "wide", "72x", "99999999999999999999999"})
    EXPECT_EQ(textColumns(bad, 90), 90U) << bad;
}

}  // namespace
}  // namespace perfscope::cli
