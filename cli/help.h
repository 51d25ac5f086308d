// The texts of `perfscope --help` and `perfscope VERB --help`: laid out for so many columns, but for the
// examples, which are there to be copied. Pure.
#pragma once

#include <string>

#include "cli/command.h"

namespace perfscope::cli {

[[nodiscard]] std::string mainHelp(size_t columns);
[[nodiscard]] std::string verbHelp(const Command& command, const CLI::App& app, size_t columns);

}  // namespace perfscope::cli
