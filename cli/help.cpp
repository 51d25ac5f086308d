// Layout of the help.
#include "cli/help.h"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "analysis/report/glyphs.h"
#include "cli/command_table.h"

namespace perfscope::cli {
namespace {

// "  left      right", the right side wrapped in its own column; a long left side gets a line of its own.
void twoColumns(std::string& text, const std::string& left, const std::string& right, size_t width,
                size_t columns) {
  const auto lines = glyphs::wrap(right, columns - width - 2);
  std::string margin = "  " + glyphs::padRight(left, width);
  if (left.size() + 2 > width) {
    text += "  " + left + "\n";
    margin = std::string(width + 2, ' ');
  }
  for (const auto& line : lines) {
    text += margin + line + "\n";
    margin = std::string(width + 2, ' ');
  }
}

std::string wrapped(const std::string& words, size_t columns) {
  std::string text;
  for (const auto& line : glyphs::wrap(words, columns)) text += line + "\n";
  return text;
}

std::string optionNames(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true, false);
  std::string names;
  for (const auto& name : option.get_snames()) names += (names.empty() ? "-" : ", -") + name;
  for (const auto& name : option.get_lnames()) names += (names.empty() ? "--" : ", --") + name;
  if (option.get_items_expected_max() > 0) {
    // CLI11 appends what its checks accept ("N:POSITIVE"); the description says it in words.
    const std::string type = option.get_type_name();
    names += " " + type.substr(0, type.find(':'));
  }
  return names;
}

}  // namespace

std::string mainHelp(size_t columns) {
  std::string text =
      wrapped("perfscope: why is this GPU program not faster, and what would make it so?", columns) +
      "\nusage: perfscope VERB [options]\n\nverbs\n";
  for (const auto& command : commandTable()) twoColumns(text, command.name, command.summary, 14, columns);
  text += "\noptions\n";
  twoColumns(text, "--color WHEN", "colours: auto (on a terminal, unless NO_COLOR is set), always, never", 14,
             columns);
  twoColumns(text, "--version", "the version", 14, columns);
  twoColumns(text, "-h, --help", "this text; `perfscope VERB --help` explains a verb, with examples", 14,
             columns);
  text += "\nexamples\n";
  twoColumns(text, "perfscope run -- python train.py", "record, say what holds it back", 37, columns);
  twoColumns(text, "perfscope report python-*.perfscope", "the full report of the recording", 37, columns);
  return text + "\n" +
         wrapped(
             "Reports go to standard output, everything else to standard error. Text is laid out for the "
             "width of the terminal, 60 to 100 columns; COLUMNS overrides it. Exit codes: 0 done, 2 wrong "
             "usage, 65 input refused, 66 input missing, 69 a needed part is missing, 70 internal error, 73 "
             "output cannot be written, 77 no permission; `run` passes on the status of the program.",
             columns);
}

std::string verbHelp(const Command& command, const CLI::App& app, size_t columns) {
  std::string text;
  text += wrapped("perfscope " + command.name + ": " + command.summary, columns) + "\n";
  text += "usage: perfscope " + command.name + " " + command.usage + "\n";
  std::string arguments, options;
  for (const auto* option : app.get_options()) {
    const bool positional = option->get_positional();
    twoColumns(positional ? arguments : options, optionNames(*option), option->get_description(), 28,
               columns);
  }
  if (!arguments.empty()) text += "\narguments\n" + arguments;
  text += "\noptions\n" + options + "\nexamples\n";
  for (const auto& example : command.examples) {
    text += "  perfscope " + example.line + "\n";
    for (const auto& line : glyphs::wrap(example.meaning, columns - 6)) text += "      " + line + "\n";
  }
  return text;
}

}  // namespace perfscope::cli
