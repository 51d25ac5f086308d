// The texts of `perfscope --help` and `perfscope VERB --help`: 100 columns, examples at the end. Pure.
#pragma once

#include <string>

#include "cli/command.h"

namespace perfscope::cli {

[[nodiscard]] std::string mainHelp();
[[nodiscard]] std::string verbHelp(const Command& command, const CLI::App& app);

}  // namespace perfscope::cli
