// `perfscope report FILE...`: a profile -> text, JSON, Markdown or CSV on standard output.
#include <CLI/CLI.hpp>

#include <memory>
#include <optional>

#include "analysis/report/report_builder.h"
#include "analysis/report/report_csv.h"
#include "analysis/report/report_json.h"
#include "analysis/report/report_markdown.h"
#include "analysis/report/report_sections.h"
#include "analysis/report/report_text.h"
#include "cli/command_table.h"
#include "cli/value_checks.h"

namespace perfscope::cli {
namespace {

constexpr size_t kDefaultTop = 15;

struct Values {
  std::vector<std::string> files;
  std::string format = "text";
  std::string sections;
  std::string by = "kernel";
  std::optional<size_t> top;
  std::string hardware;
  std::string step_marker;
  std::string calibration = "auto";
};

std::string render(const Report& report, const Values& values, const std::vector<std::string>& sections,
                   const KernelGroups* groups, const Console& console) {
  if (values.format == "json") return renderJson(report, {values.top, groups, 2});
  if (values.format == "csv") return renderCsv(report, {values.top, groups});
  const size_t top = values.top.value_or(kDefaultTop);
  if (values.format == "markdown") return renderMarkdown(report, {top, sections, groups});
  return renderText(report, {console.columns, console.colorOut(), console.utf8, top, sections, groups});
}

int reportOne(Console& console, const Values& values, const std::vector<std::string>& sections,
              const std::string& file) {
  ReportOptions options;
  options.step_marker = values.step_marker;
  options.hardware_spec = values.hardware;
  options.calibration = values.calibration == "off" ? "" : values.calibration;
  const auto report = buildReport(file, options);
  if (!report) return fail(console, report.error());
  std::optional<KernelGroups> groups;
  if (values.by != "kernel") {
    auto grouped = groupKernels(*report, values.by);
    if (!grouped) return fail(console, grouped.error());
    groups = std::move(*grouped);
  }
  console.out << render(*report, values, sections, groups ? &*groups : nullptr, console);
  return 0;
}

// One profile that cannot be read does not keep the others from being reported; the first error decides the
// exit code.
int reportAll(Console& console, const Values& values) {
  const bool for_people = values.format == "text" || values.format == "markdown";
  if (!for_people && values.files.size() > 1) {
    return fail(console, {ErrorKind::Usage, "report", "--format " + values.format + " takes one file",
                          "call it once for each file"});
  }
  if (!for_people && !values.sections.empty()) {
    return fail(console, {ErrorKind::Usage, "--section", "--format " + values.format + " is always whole",
                          "pick what you need from it, or use text or markdown"});
  }
  const auto sections = parseSections(values.sections);
  if (!sections) return fail(console, sections.error());
  int first_error = 0;
  for (const auto& file : values.files) {
    const int code = reportOne(console, values, *sections, file);
    if (code == static_cast<int>(ErrorKind::Usage)) return code;  // the options are wrong for every file
    if (code == 0 && values.files.size() > 1) console.out << '\n';
    if (first_error == 0) first_error = code;
  }
  return first_error;
}

std::string sectionNames() {
  std::string list;
  for (const auto& section : kReportSections) list += (list.empty() ? "" : ", ") + std::string(section.id);
  return list;
}

Runner define(CLI::App& app) {
  auto values = std::make_shared<Values>();
  app.add_option("FILE", values->files,
                 "profiles made by `perfscope run`; one that cannot be read does not hold up the others")
      ->required();
  app.add_option("--format", values->format,
                 "text, json (stable, for programs), markdown (for a pull request) or csv (the kernels; "
                 "`schema csv` explains its columns)")
      ->check(oneOf({"text", "json", "markdown", "csv"}))
      ->type_name("NAME");
  app.add_option("--section", values->sections, "only these, separated by commas: " + sectionNames())
      ->type_name("LIST");
  app.add_option("--top", values->top, "rows of the long tables (text 15, markdown 15, json and csv all)")
      ->check(wholeNumber(1, 1'000'000))
      ->type_name("N");
  app.add_option("--by", values->by, "group kernel time by kernel, class, stream or rank")
      ->check(oneOf({"kernel", "class", "stream", "rank"}))
      ->type_name("WHAT");
  app.add_option("--hw", values->hardware,
                 "compare with this product of the hardware catalogue instead of the recorded one, e.g. H200")
      ->type_name("SPEC");
  app.add_option(
         "--calibration", values->calibration,
         "a file of `perfscope calibrate`, or off; default: the stored one of the recorded GPU, else of "
         "another of the same product")
      ->type_name("FILE|off");
  app.add_option("--step-marker", values->step_marker,
                 "regular expression of the NVTX range that is one step")
      ->type_name("REGEX");
  return [values](Console& console, const std::vector<std::string>&) { return reportAll(console, *values); };
}

}  // namespace

Command reportCommand() {
  return {"report",
          "the full report of a profile: what binds it, trust, devices, steps, kernels, idle time, findings",
          "[options] FILE...",
          {{"report train.perfscope", "everything, for reading in a terminal"},
           {"report train.perfscope --section verdict,gaps --top 5", "only two sections, short tables"},
           {"report train.perfscope --by class", "kernel time by kind of work instead of by name"},
           {"report train.perfscope --format json | jq .verdict.text", "for programs"}},
          false,
          define};
}

}  // namespace perfscope::cli
