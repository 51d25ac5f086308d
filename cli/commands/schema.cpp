// `perfscope schema WHAT`: the live documentation, printed from the same lists the program runs on.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <array>
#include <memory>

#include "analysis/metrics/metrics.h"
#include "analysis/report/report_csv.h"
#include "analysis/report/report_sections.h"
#include "analysis/report/text_page.h"
#include "cli/command_table.h"
#include "cli/value_checks.h"
#include "schemas/collector_config.h"
#include "schemas/ddl.h"
#include "schemas/loss_counters.h"
#include "schemas/notes.h"
#include "schemas/report_schema.h"

namespace perfscope::cli {
namespace {

std::string_view severityName(Severity severity) {
  static constexpr std::array<std::string_view, 4> kNames = {"info", "notice", "data_loss", "error"};
  return kNames[static_cast<size_t>(severity)];
}

std::string reportSchema(const Console&) {
  return std::string(reportJsonSchema()) + (reportJsonSchema().ends_with('\n') ? "" : "\n");
}

std::string csvTable(const Console& console) {
  Page page({console.columns, console.colorOut(), console.utf8});
  page.text(0, "One line a kernel, most time first; an empty cell means \"not measured\".");
  for (const auto& column : csvColumns()) {
    page.line({{std::string(column.name), Ink::Bold}});
    page.text(4, column.doc);
  }
  return page.text();
}

std::string tables(const Console&) {
  return schemaDocumentation();
}

std::string config(const Console&) {
  std::string text = "What `perfscope run` tells the collector, in the variable " +
                     std::string(kConfigVariable) + ". The keys with their defaults:\n";
  std::string line = printConfig(CollectorConfig{});
  for (size_t at = 0; at < line.size();) {
    const size_t end = std::min(line.find(';', at), line.size());
    text += "  " + line.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text;
}

std::string losses(const Console& console) {
  Page page({console.columns, console.colorOut(), console.utf8});
  page.text(0, "Everything that can be lost while recording; a report lists what was.");
  for (const auto& loss : kLossCounters) {
    page.item(loss.name, fmt::format("{} [{}]", loss.sentence, severityName(loss.severity)));
  }
  page.blank();
  page.text(0, "Notes the collector may leave in the ledger");
  for (const auto& note : kNotes) {
    if (!note.sentence.empty())
      page.item(note.name, fmt::format("{} [{}]", note.sentence, severityName(note.severity)));
  }
  return page.text();
}

std::string metricCatalogue(const Console& console) {
  Page page({console.columns, console.colorOut(), console.utf8});
  for (const auto& metric : metrics()) {
    page.line({{std::string(metric.id), Ink::Bold}, {"  " + std::string(metric.title), Ink::Plain}});
    page.item("answers", metric.question);
    page.item("formula", metric.unit.empty() ? std::string(metric.formula)
                                             : fmt::format("{} [{}]", metric.formula, metric.unit));
    if (!metric.inputs.empty()) page.item("made of", metric.inputs);
    if (!metric.convention.empty()) page.item("convention", metric.convention);
    page.blank();
  }
  return page.text();
}

std::string sections(const Console& console) {
  Page page({console.columns, console.colorOut(), console.utf8});
  for (const auto& section : kReportSections) page.item(section.id, section.doc);
  return page.text();
}

struct Topic {
  const char* name;
  const char* doc;
  std::string (*print)(const Console&);
};

constexpr std::array<Topic, 7> kTopics = {{
    {"report", "JSON Schema of `report --format json`", reportSchema},
    {"csv", "columns of `report --format csv`", csvTable},
    {"tables", "tables and views of a profile (as `query --schema`)", tables},
    {"config", "what the collector can be told", config},
    {"metrics", "every metric: question, formula, unit, convention", metricCatalogue},
    {"losses", "what can be lost, and the notes of the collector", losses},
    {"sections", "sections of the text report", sections},
}};

int schema(Console& console, const std::string& name) {
  Page list({console.columns, console.colorOut(), console.utf8});
  for (const auto& topic : kTopics) {
    if (name == topic.name) console.out << topic.print(console);
    list.item(topic.name, topic.doc);
  }
  if (name.empty()) console.out << list.text();
  return 0;
}

Runner define(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  std::vector<std::string> names;
  names.reserve(std::size(kTopics));
  for (const auto& topic : kTopics) names.emplace_back(topic.name);
  app.add_option("WHAT", *name,
                 "report, csv, tables, config, metrics, losses or sections; without it they are listed")
      ->check(oneOf(names));
  return [name](Console& console, const std::vector<std::string>&) { return schema(console, *name); };
}

}  // namespace

Command schemaCommand() {
  return {"schema",
          "print the formats this version reads and writes, with their documentation",
          "[WHAT]",
          {{"schema report > report.schema.json", "JSON Schema to validate `report --format json` with"},
           {"schema csv", "every column of `report --format csv`"},
           {"schema tables", "every table and column of a profile"}},
          false,
          define};
}

}  // namespace perfscope::cli
