// Validators whose messages end up behind "perfscope: error: VERB: --option: ".
#include "cli/value_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "cli/suggest.h"

namespace perfscope::cli {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

CLI::Validator oneOf(std::vector<std::string> words) {
  return CLI::Validator(
      [words = std::move(words)](std::string& value) -> std::string {
        if (std::find(words.begin(), words.end(), value) != words.end()) return "";
        const std::string close = nearest(lower(value), words);
        return fmt::format("\"{}\" is none of {}{}", value, fmt::join(words, ", "),
                           close.empty() ? "" : "; did you mean " + close + "?");
      },
      "");
}

CLI::Validator wholeNumber(size_t least, size_t most) {
  return CLI::Validator(
      [least, most](std::string& value) -> std::string {
        size_t number = 0;
        const auto parsed = std::from_chars(value.data(), value.data() + value.size(), number);
        const bool whole = parsed.ec == std::errc() && parsed.ptr == value.data() + value.size();
        if (whole && number >= least && number <= most) return "";
        return fmt::format("\"{}\" is no whole number from {} to {}", value, least, most);
      },
      "");
}

}  // namespace perfscope::cli
