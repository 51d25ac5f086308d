// Number, prefix, unit: each prefix is tried with each spelling of the unit, and all of the text must be
// used.
#include "analysis/model/quantity.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace perfscope::model {
namespace {

struct Scale {
  std::string_view text;
  double factor;
};

constexpr std::array<Scale, 13> kPrefixes = {{
    {"", 1},
    {"k", 1e3},
    {"K", 1e3},
    {"M", 1e6},
    {"G", 1e9},
    {"T", 1e12},
    {"P", 1e15},
    {"E", 1e18},
    {"Ki", 1024.0},
    {"Mi", 1024.0 * 1024},
    {"Gi", 1024.0 * 1024 * 1024},
    {"Ti", 1024.0 * 1024 * 1024 * 1024},
    {"Pi", 1024.0 * 1024 * 1024 * 1024 * 1024},
}};

struct Spelling {
  std::string_view unit;  // base unit
  std::string_view text;
  double factor;
  bool takes_prefix;
};

constexpr std::array<Spelling, 32> kSpellings = {{
    {"FLOP/s", "FLOP/s", 1, true},
    {"FLOP/s", "FLOPS", 1, true},
    {"FLOP/s", "FLOPs", 1, true},
    {"FLOP/s", "flops", 1, true},
    {"FLOP/s", "op/s", 1, true},
    {"FLOP/s", "OPS", 1, true},
    {"FLOP", "FLOP", 1, true},
    {"FLOP", "FLOPs", 1, true},
    {"FLOP/byte", "FLOP/byte", 1, true},
    {"FLOP/byte", "FLOP/B", 1, true},
    {"byte", "B", 1, true},
    {"byte", "byte", 1, true},
    {"byte", "bytes", 1, true},
    {"byte/s", "B/s", 1, true},
    {"byte/s", "Bps", 1, true},
    {"byte/s", "byte/s", 1, true},
    {"byte/s", "bit/s", 0.125, true},
    {"byte/s", "bps", 0.125, true},
    {"s", "s", 1, false},
    {"s", "ms", 1e-3, false},
    {"s", "us", 1e-6, false},
    {"s", "ns", 1e-9, false},
    {"s", "min", 60, false},
    {"s", "h", 3600, false},
    {"s", "d", 86400, false},
    {"W", "W", 1, true},
    {"MHz", "MHz", 1, false},
    {"MHz", "GHz", 1e3, false},
    {"USD", "USD", 1, true},
    {"USD/h", "USD/h", 1, true},
    {"", "%", 0.01, false},
    {"", "x", 1, false},
}};

constexpr double kBillion = 1e9;

std::optional<double> scaleOf(std::string_view tail, std::string_view unit) {
  for (const Spelling& spelling : kSpellings) {
    if (spelling.unit != unit) continue;
    if (tail == spelling.text) return spelling.factor;
    if (!spelling.takes_prefix || tail.size() <= spelling.text.size()) continue;
    const std::size_t split = tail.size() - spelling.text.size();
    if (tail.substr(split) != spelling.text) continue;
    for (const Scale& prefix : kPrefixes) {
      if (tail.substr(0, split) == prefix.text) return prefix.factor * spelling.factor;
    }
  }
  for (const Scale& prefix : kPrefixes) {
    if (tail == prefix.text) return prefix.factor;
  }
  // "70b": bits would make no sense in a plain number.
  if (tail == "B" || (tail == "b" && unit.empty())) return kBillion;
  return std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// In how many letters two texts of one length differ when only capitals may; empty when in anything else.
std::optional<std::size_t> capitalsApart(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return std::nullopt;
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::size_t different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return std::nullopt;
    if (a[i] != b[i]) ++different;
  }
  return different;
}

// "gb" -> "GB": the nearest prefix and unit that would have been understood; "" when there is none.
std::string sameButForCapitals(std::string_view tail, std::string_view unit) {
  std::string best;
  std::size_t fewest = tail.size() + 1;
  const auto consider = [&](const std::string& candidate) {
    const auto apart = capitalsApart(tail, candidate);
    if (!apart || *apart >= fewest) return;
    best = candidate;
    fewest = *apart;
  };
  for (const Scale& prefix : kPrefixes) {
    consider(std::string(prefix.text));
    for (const Spelling& spelling : kSpellings) {
      if (spelling.unit == unit && (spelling.takes_prefix || prefix.text.empty()))
        consider(std::string(prefix.text) + std::string(spelling.text));
    }
  }
  return best;
}

std::string examplesFor(std::string_view unit) {
  std::string units;
  for (const Spelling& spelling : kSpellings) {
    if (spelling.unit == unit) units += (units.empty() ? "" : " ") + std::string(spelling.text);
  }
  return fmt::format("a number, then k M G T P or Ki Mi Gi Ti or B (10^9), then the unit{}{}",
                     units.empty() ? "" : ", one of ", units);
}

}  // namespace

Result<double> parseQuantity(std::string_view text, std::string_view unit) {
  const auto refuse = [&](std::string_view reason) {
    return failure(ErrorKind::Usage, fmt::format("'{}'", text), std::string(reason),
                   "write " + examplesFor(unit));
  };
  const std::string_view body = trimmed(text);
  double value = 0;
  const char* end = body.data() + body.size();
  const auto parsed = std::from_chars(body.data(), end, value);
  if (parsed.ec == std::errc::result_out_of_range) return refuse("the number is out of range");
  if (parsed.ec != std::errc{}) return refuse("it does not begin with a number");
  const auto digits = static_cast<std::size_t>(parsed.ptr - body.data());
  const std::string_view tail = trimmed(body.substr(digits));
  const auto scale = scaleOf(tail, unit);
  if (!scale) {
    const std::string reason = fmt::format("'{}' is no known prefix and unit", tail);
    const std::string meant = sameButForCapitals(tail, unit);
    if (meant.empty()) return refuse(reason);
    return failure(ErrorKind::Usage, fmt::format("'{}'", text), reason,
                   fmt::format("did you mean {}{}?", body.substr(0, digits), meant));
  }
  value *= *scale;
  if (!std::isfinite(value)) return refuse("the number is not finite");
  return value;
}

bool isBareNumber(std::string_view text) {
  const std::string_view body = trimmed(text);
  double value = 0;
  const auto parsed = std::from_chars(body.data(), body.data() + body.size(), value);
  return parsed.ec == std::errc{} && parsed.ptr == body.data() + body.size();
}

}  // namespace perfscope::model
