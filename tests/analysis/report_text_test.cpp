// The text report: what a reader must find in it, and that no line ever leaves the page.
#include "analysis/report/report_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "analysis/report/glyphs.h"
#include "analysis/report/report_markdown.h"
#include "analysis/report/report_sections.h"
#include "analysis/report/roofline_chart.h"
#include "analysis/report/text_page.h"
#include "tests/support/sample_report.h"

namespace perfscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> linesOf(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void expectOnPage(const std::string& text, size_t columns) {
  for (const auto& line : linesOf(text)) {
    EXPECT_LE(glyphs::width(line), columns) << line;
    EXPECT_EQ(line, glyphs::clean(line));
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

std::string section(const Report& report, const std::string& id) {
  TextOptions options;
  options.sections = {id};
  return renderText(report, options);
}

TEST(ReportText, EveryLineFitsThePage) {
  for (const auto& report : {test::sampleReport(), test::emptyReport(), test::hostileReport()}) {
    for (const size_t columns : {60U, 80U, 100U}) {
      TextOptions options;
      options.columns = columns;
      expectOnPage(renderText(report, options), columns);
      expectOnPage(renderSummary(report, options), columns);
    }
  }
}

TEST(ReportText, NothingThatIsNoNumberIsPrinted) {
  Report hostile = test::hostileReport();
  const std::string text = renderText(hostile, {});
  for (const char* bad : {"nan", "inf ", "inf%", "-inf"}) EXPECT_THAT(text, Not(HasSubstr(bad)));
}

TEST(ReportText, TheVerdictComesFirst) {
  const auto lines = linesOf(renderText(test::sampleReport(), {}));
  ASSERT_GT(lines.size(), 4U);
  EXPECT_EQ(lines[0], "PerfScope report  train.perfscope");
  EXPECT_EQ(lines[2], "VERDICT  Host-bound  (confidence 82 %)");
  EXPECT_EQ(
      lines[3],
      "  The GPU waits for the program on the CPU: 20.0 % of the steps the GPU waits for the next launch.");
}

TEST(ReportText, InterventionsNameGainAndWhatComesNext) {
  const std::string text = section(test::sampleReport(), "verdict");
  EXPECT_THAT(text,
              HasSubstr("    1. Capture the step in a CUDA graph\n"
                        "       predicted: up to 18.0 % less time; after that it would be compute-bound\n"));
}

// Two kernels of memory's kind without counted bytes against one whose bytes were counted.
TEST(ReportText, AMemoryVerdictByKindIsOnlyPresumed) {
  Report report = test::sampleReport();
  report.verdict.binding = "memory";
  ASSERT_EQ(report.kernels[1].kernel_class, "elementwise");
  EXPECT_THAT(section(report, "verdict"),
              AllOf(HasSubstr("VERDICT  Presumably memory-bound"), HasSubstr("little arithmetic per byte"),
                    Not(HasSubstr("as fast as the memory"))));
  EXPECT_THAT(renderMarkdown(report), testing::StartsWith("### Presumably memory-bound"));
  report.verdict.binding = "launch";
  report.verdict.interventions[0].next_bottleneck = "memory";
  EXPECT_THAT(section(report, "verdict"), HasSubstr("after that it would be presumably memory-bound"));
  report.verdict.binding = "memory";
  report.kernels[0].roofline.verdict = "memory";  // 480 ms counted, 320 ms presumed
  EXPECT_THAT(section(report, "verdict"),
              AllOf(HasSubstr("VERDICT  Memory-bound"), HasSubstr("as fast as the memory")));
}

TEST(ReportText, LossesStandBeforeTheNumbersAndNameWhatIsWithheld) {
  const std::string text = renderText(test::sampleReport(), {});
  EXPECT_LT(text.find("TRUST"), text.find("DEVICES"));
  EXPECT_THAT(text, HasSubstr("this recording is not whole"));
  EXPECT_THAT(
      text, HasSubstr("  ring_overflow       1,234: NVTX records dropped because a thread wrote too fast\n"));
  EXPECT_THAT(text, HasSubstr("  withheld            mfu: not measured, because records were lost\n"));
  EXPECT_THAT(text, HasSubstr("+1.2 % measured: 1.00 s bare, 1.01 s profiled (medians of 5 pairs of runs)"));
}

TEST(ReportText, ACompleteRecordingSaysSo) {
  EXPECT_THAT(section(test::emptyReport(), "trust"),
              HasSubstr("everything the program did on the GPU was recorded"));
  Report open = test::emptyReport();
  open.closed = false;
  EXPECT_THAT(section(open, "trust"), HasSubstr("not closed"));
}

TEST(ReportText, DevicesShowBusyAndReasons) {
  const std::string text = section(test::sampleReport(), "devices");
  EXPECT_THAT(text, HasSubstr("74.0 % of 1.00 s"));
  EXPECT_THAT(text, HasSubstr("  SM clock            1,755 MHz (median; 1,200 to 1,980)\n"));
  EXPECT_THAT(text, HasSubstr("  temperature         not measured, because NVML gave no temperature\n"));
  EXPECT_THAT(text, HasSubstr("  clock held back by  sw_power_cap\n"));
}

TEST(ReportText, ManyDevicesAreATable) {
  Report report = test::sampleReport();
  while (report.devices.size() < 8) {
    report.devices.push_back(report.devices[0]);
    report.devices.back().id = static_cast<int64_t>(report.devices.size()) - 1;
  }
  const std::string text = section(report, "devices");
  EXPECT_THAT(text, HasSubstr("comm exposed"));
  EXPECT_LT(linesOf(text).size(), 20U);
  expectOnPage(text, 100);
}

TEST(ReportText, KernelTableGolden) {
  Report report = test::sampleReport();
  report.devices.resize(1);
  // Widths follow from the content; the name column takes what is left of 100.
  EXPECT_EQ(
      section(report, "kernels"),
      "PerfScope report  train.perfscope\n"
      "\n"
      "KERNELS  programs that ran on the GPU, by time; share = of all kernel time of that GPU\n"
      "   share   total  calls   median  kernel                                     rate  of roof  limit\n"
      "  60.0 %  480 ms  1,200   400 us  sm90_xmma_gemm_bf16...ze128x128x64  500 TFLOP/s   50.6 %  compute\n"
      "  25.0 %  200 ms  8,000  25.0 us  elementwise_kernel                            -        -  no FLOPs\n"
      "  15.0 %  120 ms  3,145  38.2 us  reduce_kernel                                 -        -  no FLOPs\n"
      "  - rate of 2 kernels above not measured, because no cuBLAS call was seen for this kernel\n");
}

// On the narrowest page whole columns go, the least important first, and the table says so; numbers are never
// cut.
TEST(ReportText, KernelTableOnANarrowPage) {
  Report report = test::sampleReport();
  report.devices.resize(1);
  TextOptions options;
  options.sections = {"kernels"};
  options.columns = 60;
  EXPECT_EQ(renderText(report, options),
            "PerfScope report  train.perfscope\n"
            "\n"
            "KERNELS\n"
            "  programs that ran on the GPU, by time; share = of all\n"
            "  kernel time of that GPU\n"
            "   share   total  calls   median  kernel            limit\n"
            "  60.0 %  480 ms  1,200   400 us  sm90_xmm...28x64  compute\n"
            "  25.0 %  200 ms  8,000  25.0 us  elementw...ernel  no FLOPs\n"
            "  15.0 %  120 ms  3,145  38.2 us  reduce_kernel     no FLOPs\n"
            "  columns left out on this narrow page: rate, of roof\n"
            "  - rate of 2 kernels above not measured, because no\n"
            "    cuBLAS call was seen for this kernel\n");
}

TEST(ReportText, NarrowPagesCutNoNumberAndDrawWholePictures) {
  const Report report = test::sampleReport();
  TextOptions narrow;
  narrow.columns = 60;
  for (const char* id : {"devices", "gaps", "roofline", "memory", "steps"}) {
    TextOptions wide;
    wide.sections = narrow.sections = {id};
    const std::string text = renderText(report, narrow);
    expectOnPage(text, 60);
    EXPECT_THAT(text, Not(testing::ContainsRegex("[0-9]\\.\\.\\.[ 0-9]"))) << text;
    // Every line of a picture has its axis; one that flowed over would begin without it.
    const auto bars = [](const std::string& drawn) {
      size_t count = 0;
      for (const auto& line : linesOf(drawn)) count += line.find("│") != std::string::npos ? 1 : 0;
      return count;
    };
    EXPECT_EQ(bars(text), bars(renderText(report, wide))) << text;
  }
}

TEST(ReportText, TotalsOfCopiesAreCalledTotals) {
  Report report = test::sampleReport();
  report.devices[0].memcpy_count = 105;
  report.devices[0].memcpy_bytes = 840;
  EXPECT_THAT(section(report, "devices"), HasSubstr("105 copies: 840 B in sum, in "));
  report.devices[0].memcpy_count = 1;
  report.devices[0].kernel_count = 1;
  EXPECT_THAT(section(report, "devices"), AllOf(HasSubstr("1 copy: 840 B"), HasSubstr("1 launch, ")));
}

TEST(ReportText, TopLimitsTheTablesAndSaysSo) {
  TextOptions options;
  options.sections = {"kernels"};
  options.top = 1;
  const std::string text = renderText(test::sampleReport(), options);
  EXPECT_THAT(text, AllOf(HasSubstr("sm90_xmma"), Not(HasSubstr("elementwise_kernel")),
                          HasSubstr("and 2 more with 320 ms in sum (--top)")));
}

TEST(ReportText, GroupsReplaceTheKernelTable) {
  const Report report = test::sampleReport();
  const KernelGroups groups = groupByClass(report);
  TextOptions options;
  options.sections = {"kernels"};
  options.groups = &groups;
  const std::string text = renderText(report, options);
  EXPECT_THAT(text, AllOf(HasSubstr("KERNELS BY class"), HasSubstr("60.0 %  480 ms  1,200  gemm"),
                          Not(HasSubstr("elementwise_kernel"))));
}

TEST(ReportText, GapCausesAreExplainedLargestFirst) {
  const std::string text = section(test::sampleReport(), "gaps");
  EXPECT_THAT(text, HasSubstr("IDLE TIME  260 ms in 900 gaps"));
  EXPECT_LT(text.find("host submission"), text.find("synchronisation"));
  EXPECT_THAT(text, HasSubstr("76.9 %     200 ms  in 700 gaps\n"));
  EXPECT_THAT(text, HasSubstr("the launch call came after the GPU had run dry"));
  EXPECT_THAT(text, HasSubstr("queue depth         not measured, because no launch call was recorded"));
}

TEST(ReportText, AnEmptyReportStillExplainsItself) {
  const std::string text = renderText(test::emptyReport(), {});
  EXPECT_THAT(text, HasSubstr("No GPU did any work in this recording."));
  EXPECT_THAT(text, HasSubstr("No kernel ran."));
  EXPECT_THAT(text, HasSubstr("Mark them with NVTX ranges"));
  EXPECT_THAT(text, HasSubstr("HFU                 not measured, because no GPU work was recorded"));
}

TEST(ReportText, ColoursOnlyWhereWantedAndNeverInTheWords) {
  TextOptions plain;
  TextOptions color;
  color.color = true;
  const std::string with = renderText(test::sampleReport(), color);
  EXPECT_THAT(renderText(test::sampleReport(), plain), Not(HasSubstr("\033")));
  EXPECT_THAT(with, HasSubstr("\033[1mVERDICT"));
  std::string stripped = with;
  for (size_t at = stripped.find('\033'); at != std::string::npos; at = stripped.find('\033')) {
    stripped.erase(at, stripped.find('m', at) + 1 - at);
  }
  EXPECT_EQ(stripped, renderText(test::sampleReport(), plain));
}

TEST(ReportText, AsciiForTerminalsWithoutUtf8) {
  TextOptions options;
  options.utf8 = false;
  const std::string text = renderText(test::hostileReport(), options);
  for (const char c : text) ASSERT_LT(static_cast<unsigned char>(c), 0x80);
  EXPECT_THAT(text, HasSubstr("####"));
}

TEST(ReportText, SectionsAreParsedAndRefused) {
  EXPECT_EQ(parseSections(" kernels, gaps ").value(), (std::vector<std::string>{"kernels", "gaps"}));
  EXPECT_TRUE(parseSections("").value().empty());
  const auto bad = parseSections("kernels,nonsense");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().kind, ErrorKind::Usage);
  EXPECT_THAT(bad.error().sentence(), AllOf(HasSubstr("nonsense"), HasSubstr("verdict")));
}

TEST(TextTable, GivesWayInTheFlexibleColumnFirst) {
  Page page({40, false, true});
  TextTable table({{"n"}, {"name", true, true}, {"v"}});
  table.row({{"1"}, {std::string(80, 'x')}, {"123456789"}});
  table.print(page, 0);
  EXPECT_THAT(page.text(), HasSubstr("123456789"));
  expectOnPage(page.text(), 40);
}

TEST(TextTable, ColumnsAreLeftOutByRankAndNamed) {
  Page page({40, false, true});
  TextTable table(
      {{"n"}, {"name", true, true}, {"first to go", false, false, 2}, {"second", false, false, 1}});
  table.row({{"1"}, {std::string(30, 'x')}, {"12345678901"}, {"1.25 ms"}});
  table.print(page, 0);
  EXPECT_THAT(page.text(), AllOf(HasSubstr("1.25 ms"), Not(HasSubstr("12345678901")),
                                 HasSubstr("columns left out on this narrow page:\n  first to go\n")));
  expectOnPage(page.text(), 40);
}

TEST(TextTable, FlexibleColumnsShrinkToTheSameWidth) {
  Page page({50, false, true});
  TextTable table({{"a", true, true}, {"b", true, true}});
  table.row({{std::string(90, 'x')}, {std::string(60, 'y')}});
  table.print(page, 0);
  const auto line = linesOf(page.text())[1];
  EXPECT_EQ(line.find('y') - 2, 24U);
  EXPECT_EQ(line.size(), 50U);
}

// Ridge 100 FLOP/byte; a point on the roof right of the ridge and one at a tenth of it.
TEST(RooflineChart, PointsStandUnderTheRoof) {
  const auto lines = rooflineChart({1e14, 1e12}, {{1000, 1e14, 'a'}, {1000, 1e13, 'b'}}, {41, 11});
  ASSERT_EQ(lines.size(), 12U);
  EXPECT_THAT(lines[0], AllOf(HasSubstr("100 TFLOP/s"), HasSubstr("a")));
  size_t row_of_b = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find('b') != std::string::npos && lines[i].find("byte") == std::string::npos) row_of_b = i;
  }
  EXPECT_GT(row_of_b, 0U);
  EXPECT_THAT(lines.back(), AllOf(HasSubstr("1000"), HasSubstr("FLOP/byte")));
}

TEST(RooflineChart, ImpossiblePointsDrawNothing) {
  EXPECT_TRUE(rooflineChart({1e14, 1e12}, {{0, 1e14, 'a'}, {10, -1, 'b'}}, {40, 10}).empty());
  EXPECT_TRUE(rooflineChart({0, 1e12}, {{10, 1e12, 'a'}}, {40, 10}).empty());
  EXPECT_FALSE(rooflineChart({1e14, 1e12}, {{1e-9, 1, 'a'}, {1e12, 1e18, 'b'}}, {40, 10}).empty());
}

}  // namespace
}  // namespace perfscope
