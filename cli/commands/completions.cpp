// `perfscope completions SHELL`: a completion script for the reader's shell.
#include "cli/completions.h"

#include <CLI/CLI.hpp>

#include <memory>

#include "cli/command_line.h"
#include "cli/command_table.h"
#include "cli/value_checks.h"

namespace perfscope::cli {
namespace {

std::vector<VerbWords> verbsOf(const CLI::App& app) {
  std::vector<VerbWords> verbs;
  for (const auto& command : commandTable()) {
    VerbWords verb{command.name, command.summary, {}};
    for (const auto* option : app.get_subcommand(command.name)->get_options()) {
      OptionWords words{{}, option->get_description(), option->get_items_expected_max() > 0};
      for (const auto& name : option->get_snames()) words.names.push_back("-" + name);
      for (const auto& name : option->get_lnames()) words.names.push_back("--" + name);
      if (!words.names.empty()) verb.options.push_back(std::move(words));
    }
    verbs.push_back(std::move(verb));
  }
  return verbs;
}

Runner define(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  app.add_option("SHELL", *shell, "bash, zsh or fish")->check(oneOf({"bash", "zsh", "fish"}))->required();
  return [shell](Console& console, const std::vector<std::string>&) {
    const Parser parser = buildParser(console);
    console.out << completionScript(*shell, verbsOf(*parser.app));
    return 0;
  };
}

}  // namespace

Command completionsCommand() {
  return {"completions",
          "print a completion script for bash, zsh or fish",
          "SHELL",
          {{"completions bash > ~/.local/share/bash-completion/completions/perfscope", "for every new bash"},
           {"completions fish | source", "for this fish"}},
          false,
          define};
}

}  // namespace perfscope::cli
