// Number, prefix, unit: each prefix is tried with each spelling of the unit, and all of the text must be
// used.
#include "analysis/model/quantity.h"

#include <fmt/format.h>

#include <array>
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
  if (tail == "B") return kBillion;
  return std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
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
  const auto scale = scaleOf(trimmed(body.substr(static_cast<std::size_t>(parsed.ptr - body.data()))), unit);
  if (!scale) return refuse("the part after the number is no known prefix and unit");
  value *= *scale;
  if (!std::isfinite(value)) return refuse("the number is not finite");
  return value;
}

}  // namespace perfscope::model
