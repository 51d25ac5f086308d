// The unit ladders and their rounding: 999.6 us must become "1.00 ms", never "1000 us".
#include "analysis/report/format.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>
#include <string_view>

namespace perfscope::format {
namespace {

constexpr const char* kNone = "-";

struct Unit {
  double size;
  const char* name;
};

// "1.23", "12.3", "123": three significant digits of a value in [0, 1000).
std::string threeDigits(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

std::string withUnit(double value, std::span<const Unit> ladder) {
  if (!std::isfinite(value)) return kNone;
  const std::string sign = value < 0 ? "-" : "";
  const double size = std::fabs(value);
  if (size == 0) return fmt::format("0 {}", ladder.front().name);
  size_t step = 0;
  // 999.5 is where three digits would round up to four.
  while (step + 1 < ladder.size() && size / ladder[step].size >= 999.5) ++step;
  const double scaled = size / ladder[step].size;
  if (scaled >= 999.5) {
    return scaled < 1e15 ? fmt::format("{}{} {}", sign, count(static_cast<int64_t>(std::llround(scaled))),
                                       ladder[step].name)
                         : fmt::format("{}{:.2e} {}", sign, scaled, ladder[step].name);
  }
  if (step == 0 && scaled == std::floor(scaled))
    return fmt::format("{}{:.0f} {}", sign, scaled, ladder[step].name);
  if (step == 0 && scaled < 0.005) return fmt::format("{}{:.2e} {}", sign, scaled, ladder[step].name);
  return fmt::format("{}{} {}", sign, threeDigits(scaled), ladder[step].name);
}

template <size_t N>
std::array<Unit, N> ladderOf(const std::array<const char*, N>& names) {
  std::array<Unit, N> ladder{};
  double size = 1;
  for (size_t i = 0; i < N; ++i, size *= 1000) ladder[i] = {size, names[i]};
  return ladder;
}

}  // namespace

std::string duration(double ns) {
  static const auto kLadder = ladderOf<4>({"ns", "us", "ms", "s"});
  constexpr double kMinute = 60e9;
  if (!std::isfinite(ns) || std::fabs(ns) < 3 * kMinute) return withUnit(ns, kLadder);
  if (std::fabs(ns) > 1e18) return fmt::format("{:.2e} s", ns / 1e9);
  const std::string sign = ns < 0 ? "-" : "";
  const int64_t seconds = std::llround(std::fabs(ns) / 1e9);
  if (seconds < 3600) return fmt::format("{}{} min {:02} s", sign, seconds / 60, seconds % 60);
  return fmt::format("{}{} h {:02} min", sign, count(seconds / 3600), seconds % 3600 / 60);
}

std::string bytes(double value) {
  static const auto kLadder = ladderOf<6>({"B", "kB", "MB", "GB", "TB", "PB"});
  return withUnit(value, kLadder);
}

std::string bytesPerSecond(double value) {
  static const auto kLadder = ladderOf<6>({"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"});
  return withUnit(value, kLadder);
}

std::string flops(double value) {
  static const auto kLadder = ladderOf<7>({"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"});
  return withUnit(value, kLadder);
}

std::string flopsPerSecond(double value) {
  static const auto kLadder =
      ladderOf<7>({"FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s", "EFLOP/s"});
  return withUnit(value, kLadder);
}

std::string intensity(double value) {
  return std::isfinite(value) ? number(value) + " FLOP/byte" : kNone;
}

std::string count(int64_t value) {
  std::string digits = std::to_string(value);
  const size_t start = value < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > start + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string counted(int64_t value, std::string_view noun) {
  std::string text = count(value) + " " + std::string(noun);
  if (value == 1 || noun.empty()) return text;
  const bool hissing =
      noun.ends_with("s") || noun.ends_with("x") || noun.ends_with("ch") || noun.ends_with("sh");
  const bool y = noun.ends_with("y") && noun.size() > 1 &&
                 std::string_view("aeiou").find(noun[noun.size() - 2]) == std::string_view::npos;
  if (y) text.pop_back();
  return text + (y ? "ies" : hissing ? "es" : "s");
}

std::string percent(double fraction) {
  if (!std::isfinite(fraction)) return kNone;
  const double value = fraction * 100;
  if (value > 0 && value < 0.05) return "< 0.1 %";
  if (value >= 99.95 && value < 100) return "> 99.9 %";
  if (std::fabs(value) >= 1e6) return fmt::format("{:.2e} %", value);
  return fmt::format("{:.1f} %", value == 0 ? 0.0 : value);
}

std::string confidence(double fraction) {
  return std::isfinite(fraction) ? fmt::format("{:.0f} %", fraction * 100) : std::string("unknown");
}

std::string change(double fraction) {
  if (!std::isfinite(fraction)) return kNone;
  if (std::fabs(fraction) >= 1e4) return fmt::format("{:+.2e} %", fraction * 100);
  const std::string text = fmt::format("{:+.1f} %", fraction * 100);
  return text == "-0.0 %" ? "+0.0 %" : text;
}

std::string number(double value) {
  if (!std::isfinite(value)) return kNone;
  const double size = std::fabs(value);
  if (size == 0) return "0";
  if (size >= 1e15 || size < 0.005) return fmt::format("{:.2e}", value);
  if (size >= 999.5) return count(std::llround(value));
  if (size == std::floor(size)) return fmt::format("{:.0f}", value);
  return (value < 0 ? "-" : "") + threeDigits(size);
}

std::string exact(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}

}  // namespace perfscope::format
