// What a verb is: its words for the help, the options it declares, and what it does. One file a verb in
// commands/, one line a verb in command_table.cpp.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.h"

namespace CLI {
class App;
}

namespace perfscope::cli {

struct Example {
  std::string line;     // as typed, without "perfscope"
  std::string meaning;  // what it is good for
};

// Runs a verb after its options were parsed; `rest` is what stood behind "--" (only for verbs with
// takes_rest). Returns the exit code of the process.
using Runner = std::function<int(Console& console, const std::vector<std::string>& rest)>;

struct Command {
  std::string name;
  std::string summary;  // one sentence, begins in lower case
  std::string usage;    // arguments as the help shows them: "[options] FILE..."
  std::vector<Example> examples;
  bool takes_rest = false;
  // Declares the options on the verb's parser and returns what runs with their values; the returned function
  // owns the values.
  std::function<Runner(CLI::App& app)> define;
  // Help about the words already typed before --help (`calc decode --help`); empty text: the help of the
  // verb.
  std::function<std::string(const CLI::App& app, const Console& console)> detail = nullptr;
};

}  // namespace perfscope::cli
