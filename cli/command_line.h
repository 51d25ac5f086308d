// Words of the command line -> verb -> exit code. The only place that maps parser errors to exit codes.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"

namespace CLI {
class App;
}

namespace perfscope::cli {

// `words` without the program's name. Never throws: what escapes a verb is reported as an internal error
// (70).
int runCommandLine(const std::vector<std::string>& words, Console& console);

struct Parser {
  std::unique_ptr<CLI::App> app;
  std::vector<std::pair<const Command*, Runner>> runners;  // in the order of the table
};

// A parser with all verbs; also read by the help and the completions.
[[nodiscard]] Parser buildParser(Console& console);

}  // namespace perfscope::cli
