// Session folder names.
#include "schemas/spool_names.h"

#include <charconv>

namespace perfscope {
namespace {

template <class T>
std::optional<T> parseWhole(std::string_view text) {
  T value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || result.ec != std::errc() || result.ptr != text.data() + text.size())
    return std::nullopt;
  return value;
}

constexpr std::string_view kPrefix = "seg-";
constexpr std::string_view kSuffix = ".spool";

}  // namespace

std::string processFolderName(const ProcessFolder& folder) {
  return std::to_string(folder.pid) + "-" + std::to_string(folder.start_ns);
}

std::optional<ProcessFolder> parseProcessFolderName(std::string_view name) {
  const auto dash = name.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto pid = parseWhole<uint32_t>(name.substr(0, dash));
  const auto start = parseWhole<uint64_t>(name.substr(dash + 1));
  if (!pid || !start) return std::nullopt;
  return ProcessFolder{*pid, *start};
}

std::string segmentFileName(uint32_t sequence) {
  std::string digits = std::to_string(sequence);
  if (digits.size() < 6) digits.insert(0, 6 - digits.size(), '0');
  return std::string(kPrefix) + digits + std::string(kSuffix);
}

std::optional<uint32_t> parseSegmentFileName(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  if (name.size() <= kPrefix.size() + kSuffix.size()) return std::nullopt;
  return parseWhole<uint32_t>(name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size()));
}

}  // namespace perfscope
