// Names of the session folder's parts: make and parse. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perfscope {

struct ProcessFolder {
  uint32_t pid = 0;
  uint64_t start_ns =
      0;  // CLOCK_REALTIME: tells processes apart when a pid comes back, and sessions of one pid (exec)
};

std::string processFolderName(const ProcessFolder& folder);
std::optional<ProcessFolder> parseProcessFolderName(std::string_view name);

inline constexpr std::string_view kControlFileName = "control";
std::string segmentFileName(uint32_t sequence);
std::optional<uint32_t> parseSegmentFileName(std::string_view name);

}  // namespace perfscope
