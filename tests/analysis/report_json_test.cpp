// The machine forms: JSON against its schema, nulls with reasons, CSV quoting, Markdown escaping.
#include "analysis/report/report_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "analysis/report/report_csv.h"
#include "analysis/report/report_markdown.h"
#include "schemas/report_schema.h"
#include "tests/support/json_schema.h"
#include "tests/support/sample_report.h"

namespace perfscope {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

json parsed(const Report& report, const JsonOptions& options = {}) {
  return json::parse(renderJson(report, options));
}

json schema() {
  return json::parse(reportJsonSchema());
}

// Visits every object member of a document.
template <class Visit>
void walk(const json& value, const std::string& at, Visit&& visit) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      visit(value, key, member, at + "/" + key);
      walk(member, at + "/" + key, visit);
    }
  } else if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) walk(value[i], at + "/" + std::to_string(i), visit);
  }
}

TEST(ReportJson, EveryReportIsValid) {
  for (const auto& report : {test::sampleReport(), test::emptyReport()}) {
    EXPECT_THAT(test::schemaViolations(schema(), parsed(report)), IsEmpty());
  }
}

// Confidence NaN becomes null: the one place where the hostile report breaks its own type.
TEST(ReportJson, AHostileReportIsStillJson) {
  const auto violations = test::schemaViolations(schema(), parsed(test::hostileReport()));
  EXPECT_THAT(violations, ElementsAre(HasSubstr("/verdict/confidence")));
}

TEST(ReportJson, TheCheckItselfFindsViolations) {
  auto document = parsed(test::sampleReport());
  document["devices"][0].erase("busy_ns");
  document["verdict"]["binding"] = "mood";
  document["kernels"][1]["occupancy"] = nullptr;  // without occupancy_why
  EXPECT_THAT(test::schemaViolations(schema(), document),
              testing::UnorderedElementsAre(HasSubstr("lacks busy_ns"), HasSubstr("mood"),
                                            HasSubstr("lacks occupancy_why")));
}

// The list of spec'd keys, top level and the nested ones named in the contract.
TEST(ReportJson, HasTheFieldsOfTheContract) {
  const auto document = parsed(test::sampleReport());
  for (const char* key : {"report_version", "perfscope", "source", "trust", "contract", "overhead", "verdict",
                          "processes", "devices", "steps", "kernels", "gaps", "communication", "memory",
                          "phases", "iron_law", "utilisation", "findings"}) {
    EXPECT_TRUE(document.contains(key)) << key;
  }
  const auto& kernel = document["kernels"][0];
  EXPECT_EQ(kernel["flops"]["algorithmic"]["value"], 2.4e14);
  EXPECT_EQ(kernel["flops"]["algorithmic"]["provenance"], "counted:api");
  EXPECT_EQ(kernel["roofline"]["ceiling_bytes_per_s"], 4.8e12);
  EXPECT_EQ(kernel["class"], "gemm");
  EXPECT_EQ(kernel["grid"], (json{132, 1, 1}));
  EXPECT_EQ(document["gaps"]["by_cause"]["host_submission"]["ns"], 200'000'000);
  EXPECT_EQ(document["overhead"]["measured"]["ratio"], 1.012);
  EXPECT_EQ(document["memory"]["copies"][0]["hidden"], 0.75);
  EXPECT_EQ(document["verdict"]["interventions"][0]["next_bottleneck"], "compute");
  EXPECT_EQ(document["processes"][1]["command"], nullptr);
}

TEST(ReportJson, UnknownIsNullWithAReason) {
  const auto document = parsed(test::sampleReport());
  EXPECT_EQ(document["utilisation"]["mfu"], nullptr);
  EXPECT_EQ(document["utilisation"]["mfu_why"], "no model description was given");
  EXPECT_EQ(document["devices"][0]["temperature_c"], nullptr);
  EXPECT_EQ(document["devices"][0]["temperature_c_why"], "NVML gave no temperature");
  EXPECT_EQ(document["gaps"]["queue_depth_why"], "no launch call was recorded");
  EXPECT_FALSE(document["utilisation"].contains("busy_why"));
}

TEST(ReportJson, AReasonIsNeverEmpty) {
  for (const auto& report : {test::sampleReport(), test::emptyReport(), test::hostileReport()}) {
    walk(parsed(report), "",
         [](const json& parent, const std::string& key, const json& member, const std::string& at) {
           if (key.ends_with("_why") && parent.contains(key.substr(0, key.size() - 4)) &&
               parent[key.substr(0, key.size() - 4)].is_null()) {
             EXPECT_TRUE(member.is_string() && !member.get<std::string>().empty()) << at;
           }
         });
  }
}

TEST(ReportJson, NotFiniteBecomesNullWithAReason) {
  const std::string text = renderJson(test::hostileReport());
  EXPECT_THAT(text, AllOf(Not(HasSubstr(": nan")), Not(HasSubstr(": inf"))));
  const auto kernel = json::parse(text)["kernels"][0];
  EXPECT_EQ(kernel["achieved_flops"], nullptr);
  EXPECT_EQ(kernel["achieved_flops_why"], "the value is not finite");
}

TEST(ReportJson, TopCountsWhatItLeavesOut) {
  JsonOptions options;
  options.top = 1;
  const auto document = parsed(test::sampleReport(), options);
  EXPECT_EQ(document["kernels"].size(), 1U);
  EXPECT_EQ(document["kernels_left_out"], 2);
  EXPECT_EQ(parsed(test::sampleReport())["kernels_left_out"], 0);
}

TEST(ReportJson, GroupsAreAdded) {
  const auto report = test::sampleReport();
  const auto groups = groupByClass(report);
  JsonOptions options;
  options.groups = &groups;
  const auto document = parsed(report, options);
  EXPECT_EQ(document["kernel_groups"]["by"], "class");
  EXPECT_EQ(document["kernel_groups"]["list"][0]["name"], "gemm");
  EXPECT_EQ(document["kernel_groups"]["list"][0]["share"], 0.6);
  EXPECT_THAT(test::schemaViolations(schema(), document), IsEmpty());
}

TEST(ReportCsv, OneHeaderAndOneRowAKernelInBaseUnits) {
  const std::string text = renderCsv(test::sampleReport());
  EXPECT_TRUE(text.starts_with("device,name,short_name,class,count,total_ns,share,"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_THAT(text, HasSubstr("\r\n0,\"void elementwise_kernel<float, 4>(float*, "
                              "int)\",elementwise_kernel,elementwise,8000,200000000,0.25,"));
  EXPECT_THAT(text, HasSubstr(",132x1x1,256x1x1,"));
  EXPECT_THAT(text, HasSubstr("\"not measured, because no cuBLAS call was seen for this kernel\","));
}

std::vector<std::string> cellsOf(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

TEST(ReportCsv, CeilingsStandSideBySide) {
  Report report = test::sampleReport();
  auto& roof = report.kernels[0].roofline;
  report.kernels[0].name = report.kernels[0].short_name = "k";  // no commas
  roof.ceiling_flops = Measured<double>::of(9.9e14, "datasheet");
  roof.ceiling_flops_at_clock = Measured<double>::of(8.8e14, "datasheet at the recorded clock");
  roof.ceiling_bytes_per_s = Measured<double>::of(4.8e12, "datasheet");
  roof.fraction_of_roof = Measured<double>::of(0.5, "counted:api");
  std::istringstream stream(renderCsv(report));
  std::string header, row;
  std::getline(stream, header, '\r');
  std::getline(stream, row, '\r');
  const auto names = cellsOf(header);
  const auto cells = cellsOf(row);
  const auto at =
      static_cast<size_t>(std::find(names.begin(), names.end(), "ceiling_flops_per_s") - names.begin());
  ASSERT_LT(at + 3, names.size());
  EXPECT_EQ(names[at + 1], "ceiling_flops_at_clock");
  EXPECT_EQ(names[at + 2], "ceiling_bytes_per_s");
  EXPECT_EQ(names[at + 3], "fraction_of_roof");
  EXPECT_DOUBLE_EQ(std::stod(cells[at]), 9.9e14);
  EXPECT_DOUBLE_EQ(std::stod(cells[at + 1]), 8.8e14);
  EXPECT_DOUBLE_EQ(std::stod(cells[at + 2]), 4.8e12);
  EXPECT_DOUBLE_EQ(std::stod(cells[at + 3]), 0.5);
}

TEST(ReportCsv, EveryColumnIsExplained) {
  const std::string header = renderCsv(test::emptyReport());
  std::string names;
  for (const auto& column : csvColumns()) {
    EXPECT_FALSE(column.doc.empty()) << column.name;
    names += (names.empty() ? "" : ",") + std::string(column.name);
  }
  EXPECT_EQ(header, names + "\r\n");
}

TEST(ReportCsv, QuotesByRfc4180) {
  EXPECT_EQ(csvCell("plain"), "plain");
  EXPECT_EQ(csvCell("a,b"), "\"a,b\"");
  EXPECT_EQ(csvCell("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csvCell("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csvCell(""), "");
}

TEST(ReportMarkdown, ShowsVerdictLossesAndTables) {
  const std::string text = renderMarkdown(test::sampleReport());
  EXPECT_THAT(text, HasSubstr("### Host-bound (confidence 82 %)"));
  EXPECT_THAT(text, HasSubstr("- ring\\_overflow (1,234)"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "| elementwise\\_kernel | 0 | 25.0 % | 200 ms | 8,000 | 25.0 us | not measured | no FLOPs |"));
  EXPECT_THAT(text, HasSubstr("| host submission | 200 ms | 76.9 % | 700 |"));
}

TEST(ReportMarkdown, ForeignTextCannotBecomeMarkup) {
  EXPECT_EQ(escapeMarkdown("a|b<c>`d`*e*_f_[g](h)@i\n# j"),
            "a\\|b&lt;c&gt;\\`d\\`\\*e\\*\\_f\\_\\[g\\](h)&#64;i \\# j");
  const std::string text = renderMarkdown(test::hostileReport());
  EXPECT_THAT(text, AllOf(Not(HasSubstr("<b>")), Not(HasSubstr("@user")), Not(HasSubstr("\033")),
                          Not(HasSubstr("nan"))));
}

TEST(ReportMarkdown, SectionsAndTop) {
  MarkdownOptions options;
  options.sections = {"kernels"};
  options.top = 1;
  const std::string text = renderMarkdown(test::sampleReport(), options);
  EXPECT_THAT(text, AllOf(Not(HasSubstr("Host-bound")), HasSubstr("2 more kernels are not shown")));
}

}  // namespace
}  // namespace perfscope
