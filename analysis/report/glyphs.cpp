// A small UTF-8 walker; everything else in this room is built on it.
#include "analysis/report/glyphs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "analysis/report/line_bonds.h"

namespace perfscope::glyphs {
namespace {

constexpr char32_t kInvalid = 0xFFFFFFFF;

struct Glyph {
  char32_t code = kInvalid;
  size_t size = 1;  // bytes
};

bool isContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// First character of a non-empty text; overlong forms, surrogates and values past U+10FFFF are invalid (RFC
// 3629).
Glyph first(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {};
  char32_t code = lead & (0xFFU >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if (!isContinuation(text[i])) return {};
    code = (code << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, size};
}

struct Range {
  char32_t low, high;
};

// Blocks of Unicode's EastAsianWidth.txt that terminals draw two columns wide, coarsely.
constexpr std::array<Range, 8> kWide = {{{0x1100, 0x115F},
                                         {0x2E80, 0x303E},
                                         {0x3041, 0xA4CF},
                                         {0xAC00, 0xD7A3},
                                         {0xF900, 0xFAFF},
                                         {0xFE30, 0xFE6F},
                                         {0xFF00, 0xFF60},
                                         {0x1F300, 0x1FAFF}}};
constexpr std::array<Range, 4> kZero = {
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};

template <size_t N>
bool within(const std::array<Range, N>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& r) { return code >= r.low && code <= r.high; });
}

size_t widthOf(char32_t code) {
  if (code == kInvalid) return 1;
  if (within(kZero, code)) return 0;
  return within(kWide, code) ? 2 : 1;
}

// C0 and C1 controls, DEL, and the marks that reorder text: all of them can make a terminal lie.
bool isHarmful(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

// Longest prefix that fits.
std::string_view head(std::string_view text, size_t columns) {
  size_t bytes = 0;
  size_t used = 0;
  while (bytes < text.size()) {
    const Glyph glyph = first(text.substr(bytes));
    if (used + widthOf(glyph.code) > columns) break;
    used += widthOf(glyph.code);
    bytes += glyph.size;
  }
  return text.substr(0, bytes);
}

// Longest suffix that fits.
std::string_view tail(std::string_view text, size_t columns) {
  size_t start = text.size();
  size_t used = 0;
  while (start > 0) {
    size_t before = start - 1;
    while (before > 0 && isContinuation(text[before]) && start - before < 4) --before;
    const size_t w = width(text.substr(before, start - before));
    if (used + w > columns) break;
    used += w;
    start = before;
  }
  return text.substr(start);
}

constexpr std::array<std::pair<char32_t, char>, 24> kLookalikes = {{
    {U'█', '#'}, {U'▉', '#'}, {U'▊', '#'}, {U'▋', '#'}, {U'▌', '='}, {U'▍', '='},  {U'▎', '-'}, {U'▏', '-'},
    {U'░', '.'}, {U'─', '-'}, {U'│', '|'}, {U'╱', '/'}, {U'·', '.'}, {U'•', '*'},  {U'×', 'x'}, {U'µ', 'u'},
    {U'–', '-'}, {U'−', '-'}, {U'→', '>'}, {U'≤', '<'}, {U'≥', '>'}, {U'’', '\''}, {U'“', '"'}, {U'”', '"'},
}};

char lookalike(char32_t code) {
  const auto* found = std::find_if(kLookalikes.begin(), kLookalikes.end(),
                                   [&](const auto& pair) { return pair.first == code; });
  return found == kLookalikes.end() ? '?' : found->second;
}

}  // namespace

size_t width(std::string_view text) {
  size_t columns = 0;
  for (size_t at = 0; at < text.size();) {
    const Glyph glyph = first(text.substr(at));
    columns += widthOf(glyph.code);
    at += glyph.size;
  }
  return columns;
}

std::string clean(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Glyph glyph = first(text.substr(at));
    if (glyph.code == U'\n' || glyph.code == U'\t' || glyph.code == U'\r') {
      result += ' ';
    } else if (glyph.code == kInvalid || isHarmful(glyph.code)) {
      result += '?';
    } else {
      result += text.substr(at, glyph.size);
    }
    at += glyph.size;
  }
  return result;
}

std::string shorten(std::string_view text, size_t columns) {
  if (width(text) <= columns) return std::string(text);
  constexpr std::string_view kDots = "...";
  if (columns <= kDots.size() + 2) return std::string(head(text, columns));
  const size_t room = columns - kDots.size();
  const size_t front = (room * 3 + 4) / 5;  // the front names the operation, the end the variant
  return std::string(head(text, front)) + std::string(kDots) + std::string(tail(text, room - front));
}

std::string padRight(std::string_view text, size_t columns) {
  std::string result(text);
  const size_t used = width(text);
  if (used < columns) result.append(columns - used, ' ');
  return result;
}

std::string padLeft(std::string_view text, size_t columns) {
  const size_t used = width(text);
  return (used < columns ? std::string(columns - used, ' ') : std::string()) + std::string(text);
}

std::vector<std::string> wrap(std::string_view text, size_t columns) {
  columns = std::max<size_t>(columns, 2);  // a wide character needs two
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    size_t end = unbreakableBytes(text);
    if (width(text.substr(0, end)) > columns) end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const size_t used = width(lines.back());
    if (used > 0 && used + 1 + width(word) > columns) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    while (width(lines.back()) + width(word) > columns) {
      const auto piece = head(word, columns);
      lines.back() += piece;
      word.remove_prefix(piece.size());
      lines.emplace_back();
    }
    lines.back() += word;
  }
  return lines;
}

std::string toAscii(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Glyph glyph = first(text.substr(at));
    if (glyph.code < 0x80) {
      result += static_cast<char>(glyph.code);
    } else {
      result.append(widthOf(glyph.code), lookalike(glyph.code));
    }
    at += glyph.size;
  }
  return result;
}

std::string bar(double fraction, size_t columns) {
  static constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!std::isfinite(fraction)) fraction = 0;
  const double cells = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(columns);
  auto eighths = static_cast<size_t>(std::llround(cells * 8));
  if (fraction > 0 && eighths == 0) eighths = 1;
  std::string result;
  size_t used = 0;
  for (; used < eighths / 8; ++used) result += "█";
  if (eighths % 8 != 0) {
    result += kEighths[eighths % 8];
    ++used;
  }
  for (; used < columns; ++used) result += "░";
  return result;
}

}  // namespace perfscope::glyphs
