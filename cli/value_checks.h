// Checks of option values for the parser, with messages people can act on. Pure.
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace perfscope::cli {

// Accepts exactly these words; the message lists them and names the nearest one to what was typed.
[[nodiscard]] CLI::Validator oneOf(std::vector<std::string> words);

// Accepts a whole number from `least` to `most`.
[[nodiscard]] CLI::Validator wholeNumber(size_t least, size_t most);

}  // namespace perfscope::cli
