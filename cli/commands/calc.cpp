// `perfscope calc NAME key=value ...`: the model formulas by hand.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

#include "analysis/hardware/precision.h"
#include "analysis/model/calculator.h"
#include "analysis/report/format.h"
#include "analysis/report/text_page.h"
#include "cli/command_table.h"
#include "cli/suggest.h"

namespace perfscope::cli {
namespace {

std::string withUnit(double value, const std::string& unit) {
  if (unit == "FLOP/s") return format::flopsPerSecond(value);
  if (unit == "FLOP") return format::flops(value);
  if (unit == "byte") return format::bytes(value);
  if (unit == "byte/s") return format::bytesPerSecond(value);
  if (unit == "s") return format::duration(value * 1e9);
  if (unit == "share") return format::percent(value);
  if (unit.empty() || unit == "count") return format::number(value);
  return format::number(value) + " " + unit;
}

std::string listAll(const Console& console) {
  Page page({console.columns, console.colorOut(), console.utf8});
  page.text(0, "Calculators (`perfscope calc NAME` shows the inputs of one and an example)");
  page.blank();
  for (const auto& calculator : model::calculators()) {
    page.item(calculator.name, calculator.doc);
  }
  return page.text();
}

bool takesPeak(const model::Calculator& calculator) {
  return std::any_of(calculator.inputs.begin(), calculator.inputs.end(),
                     [](const model::InputSpec& input) { return input.from_gpu == model::GpuCell::Peak; });
}

std::string precisionNames() {
  std::string names;
  for (const auto precision : hardware::allPrecisions()) {
    names += (names.empty() ? "" : ", ") + std::string(hardware::name(precision));
    if (precision == model::kDefaultPrecision) names += " (default)";
  }
  return names;
}

std::string describe(const model::Calculator& calculator, const Console& console) {
  Page page({console.columns, console.colorOut(), console.utf8});
  page.line({{std::string(calculator.name), Ink::Bold}, {"  " + std::string(calculator.doc), Ink::Plain}});
  page.blank();
  for (const auto& input : calculator.inputs) {
    std::string words(input.doc);
    if (!input.unit.empty()) words += " [" + std::string(input.unit) + "]";
    if (!input.default_text.empty()) words += ", default " + std::string(input.default_text);
    if (input.from_gpu != model::GpuCell::None) words += ", from the catalogue with gpu=";
    if (input.optional) words += ", optional";
    page.item(input.name, words);
  }
  if (calculator.takesGpu())
    page.item("gpu", "a product of the catalogue, e.g. H200 (`perfscope hardware list`)");
  if (takesPeak(calculator)) page.item("precision", "whose peak gpu= stands for: " + precisionNames());
  // Not wrapped: it is there to be copied.
  return page.text() + "\nexample\n  perfscope calc " + std::string(calculator.name) + " " +
         std::string(calculator.example) + "\n";
}

// `perfscope calc decode --help` is about decode.
std::string detail(const CLI::App& app, const Console& console) {
  const auto& names = app.get_option("NAME")->results();
  if (names.empty()) return "";
  const auto calculator = model::findCalculator(names.front());
  return calculator ? describe(**calculator, console) : std::string();
}

std::string show(const model::Calculator& calculator, const model::Evaluation& evaluation,
                 const Console& console) {
  Page page({console.columns, console.colorOut(), console.utf8});
  page.line({{std::string(calculator.name), Ink::Bold}, {"  " + std::string(calculator.doc), Ink::Dim}});
  page.blank();
  for (const auto& value : evaluation.values) {
    page.item(value.name, withUnit(value.value, value.unit), Ink::Bold);
    if (!value.formula.empty()) page.item("", "= " + value.formula, Ink::Dim);
    if (!value.note.empty()) page.item("", value.note);
  }
  page.blank();
  page.text(0, "with", Ink::Dim);
  for (const auto& input : evaluation.inputs) {
    page.item(input.name, withUnit(input.value, input.unit) + " (" + input.source + ")", Ink::Dim);
  }
  return page.text();
}

int unknownCalculator(Console& console, const std::string& name, Error error) {
  std::vector<std::string> names;
  for (const auto& calculator : model::calculators()) names.emplace_back(calculator.name);
  const std::string close = nearest(name, names);
  if (!close.empty()) error.remedy = "did you mean " + close + "? `perfscope calc` lists all";
  return fail(console, error);
}

int calc(Console& console, const std::string& name, const std::vector<std::string>& words) {
  if (name.empty()) {
    console.out << listAll(console);
    return 0;
  }
  const auto calculator = model::findCalculator(name);
  if (!calculator) return unknownCalculator(console, name, calculator.error());
  if (words.empty()) {
    console.out << describe(**calculator, console);
    return 0;
  }
  const auto arguments = model::parseArguments(words);
  if (!arguments) return fail(console, arguments.error());
  const auto evaluation = model::evaluate(**calculator, *arguments);
  if (!evaluation) return fail(console, evaluation.error());
  console.out << show(**calculator, *evaluation, console);
  return 0;
}

Runner define(CLI::App& app) {
  struct Values {
    std::string name;
    std::vector<std::string> words;
  };
  auto values = std::make_shared<Values>();
  app.add_option("NAME", values->name, "the calculator; without it all are listed");
  app.add_option(
      "KEY=VALUE", values->words,
      "its inputs, with units and prefixes: bandwidth=3.35TB/s params=70B; without them they are listed");
  return [values](Console& console, const std::vector<std::string>&) {
    return calc(console, values->name, values->words);
  };
}

}  // namespace

Command calcCommand() {
  return {
      "calc",
      "the model formulas: ridge, roofline, decode, mfu, ring, amdahl, ...",
      "[NAME [KEY=VALUE...]]",
      {{"calc", "what can be calculated"},
       {"calc decode", "the inputs of one calculator; so does calc decode --help"},
       {"calc ridge gpu=H200 precision=bf16_tensor", "peak and bandwidth taken from the hardware catalogue"}},
      false,
      define,
      detail};
}

}  // namespace perfscope::cli
