// Numbers and units as format.h writes them, told by their looks: the texts come from many places.
#include "analysis/report/line_bonds.h"

#include <algorithm>
#include <array>

namespace perfscope {
namespace {

constexpr std::array<std::string_view, 10> kPlainUnits = {"%",   "ns", "us", "ms", "s",
                                                          "min", "h",  "C",  "x",  "d"};
constexpr std::array<std::string_view, 10> kScaledUnits = {"B",    "B/s",   "FLOP", "FLOP/s", "FLOP/byte",
                                                           "op/s", "bit/s", "Hz",   "W",      "J"};
constexpr std::string_view kPrefixes = "kMGTPE";

template <size_t N>
bool isOneOf(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Without the marks that may stand around a value in a sentence.
std::string_view bare(std::string_view word) {
  const size_t begin = word.find_first_not_of("([\"'+-~");
  if (begin == std::string_view::npos) return {};
  const size_t end = word.find_last_not_of(".,;:!?)]\"'");
  return end == std::string_view::npos || end < begin ? std::string_view()
                                                      : word.substr(begin, end - begin + 1);
}

bool isNumber(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789.,e+-") == std::string_view::npos &&
         word.find_first_of("0123456789") != std::string_view::npos;
}

bool isUnit(std::string_view word) {
  if (isOneOf(kPlainUnits, word) || isOneOf(kScaledUnits, word)) return true;
  return word.size() > 1 && kPrefixes.find(word[0]) != std::string_view::npos &&
         isOneOf(kScaledUnits, word.substr(1));
}

bool endsSentence(std::string_view word) {
  return !word.empty() && std::string_view(".,;:!?)]").find(word.back()) != std::string_view::npos;
}

}  // namespace

bool belongTogether(std::string_view left, std::string_view right) {
  if (endsSentence(left)) return false;
  const std::string_view after = bare(right);
  if (left == "<" || left == ">" || left == "+-") return isNumber(after);
  if (left == "min" || left == "h") return isNumber(after);
  return isNumber(bare(left)) && isUnit(after);
}

size_t unbreakableBytes(std::string_view text) {
  size_t begin = 0;  // of the last word taken
  size_t end = std::min(text.find(' '), text.size());
  while (end < text.size()) {
    const size_t next = std::min(text.find(' ', end + 1), text.size());
    if (!belongTogether(text.substr(begin, end - begin), text.substr(end + 1, next - end - 1))) break;
    begin = end + 1;
    end = next;
  }
  return end;
}

}  // namespace perfscope
