// Small parsers without exceptions.
#include "cli/parse_values.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace perfscope::cli {
namespace {

struct TimeUnit {
  std::string_view name;
  double ns;
};
constexpr std::array<TimeUnit, 6> kTimeUnits = {
    {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}}};
constexpr double kLongest = 1e18;  // 31 years; keeps the cast to 64 bits defined

tl::unexpected<Error> refuse(std::string_view option, std::string_view text, const std::string& expected) {
  return failure(ErrorKind::Usage, std::string(option), "\"" + std::string(text) + "\" is not understood",
                 "give " + expected);
}

template <class T>
std::optional<T> whole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t at = 0;;) {
    const size_t end = text.find(separator, at);
    parts.push_back(text.substr(at, end - at));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

}  // namespace

Result<uint64_t> parseDurationNs(std::string_view option, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  for (const auto& known : kTimeUnits) {
    const double ns = value * known.ns;
    if (error != std::errc() || unit != known.name || ns < 0 || std::isnan(ns)) continue;
    if (ns < kLongest) return std::llround(ns);
    return refuse(option, text, "a time below 31 years");
  }
  return refuse(option, text, "a time with its unit, such as 250ms, 5s or 2min");
}

Status parseSteps(std::string_view text, CollectorConfig& config) {
  const std::string expected =
      "wait:warmup:active[:repeat] in steps, such as 5:2:10 (skip 5, warm up 2, record 10)";
  const auto parts = split(text, ':');
  if (parts.size() < 3 || parts.size() > 4) return refuse("--steps", text, expected);
  std::array<uint32_t, 4> numbers = {0, 0, 0, 0};
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto number = whole<uint32_t>(parts[i]);
    if (!number) return refuse("--steps", text, expected);
    numbers[i] = *number;
  }
  if (numbers[2] == 0) return refuse("--steps", text, "at least one active step, such as 5:2:10");
  config.steps_wait = numbers[0];
  config.steps_warmup = numbers[1];
  config.steps_active = numbers[2];
  config.steps_repeat = numbers[3];
  return {};
}

Status parseCapture(std::string_view text, CollectorConfig& config) {
  constexpr std::string_view kNvtx = "nvtx:";
  if (text == "all") {
    config.capture = Capture::All;
  } else if (text == "cuda-profiler-api") {
    config.capture = Capture::ProfilerApi;
  } else if (text.starts_with(kNvtx) && text.size() > kNvtx.size()) {
    config.capture = Capture::Nvtx;
    config.capture_range = text.substr(kNvtx.size());
  } else {
    return refuse("--capture", text,
                  "all, cuda-profiler-api (cudaProfilerStart/Stop) or nvtx:NAME (inside NVTX ranges "
                  "called NAME)");
  }
  return {};
}

Result<double> parseNvmlRate(std::string_view text) {
  constexpr double kMostHz = 100;
  if (text == "off") return 0.0;
  std::string_view digits = text;
  if (digits.ends_with("Hz")) digits.remove_suffix(2);
  const auto rate = whole<double>(digits);
  if (rate && *rate > 0 && *rate <= kMostHz) return *rate;
  return refuse("--nvml", text, "a rate up to 100Hz, such as 20Hz, or off");
}

Result<std::pair<std::string, std::string>> parseLabel(std::string_view text) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  const size_t at = text.find('=');
  const std::string_view key = text.substr(0, at);
  if (at == std::string_view::npos || key.empty() ||
      key.find_first_not_of(kAllowed) != std::string_view::npos) {
    return refuse("--label", text, "key=value, such as model=gpt2 or batch=64");
  }
  return std::pair(std::string(key), std::string(text.substr(at + 1)));
}

Result<std::vector<uint32_t>> parseRanks(std::string_view text) {
  std::vector<uint32_t> ranks;
  for (const auto part : split(text, ',')) {
    const auto rank = whole<uint32_t>(part);
    if (!rank) return refuse("--ranks", text, "rank numbers, such as 0,8");
    ranks.push_back(*rank);
  }
  return ranks;
}

}  // namespace perfscope::cli
