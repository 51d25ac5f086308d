// /proc/<pid>/stat.
#include "injector/recorder/process_alive.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>

namespace perfscope {
namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;
constexpr uint64_t kSlackNs = 2 * kNsPerSecond;  // boot time in /proc/stat has whole seconds

uint64_t bootNs() {
  std::ifstream file("/proc/stat");
  std::string word;
  uint64_t seconds = 0;
  while (file >> word) {
    if (word == "btime" && file >> seconds) return seconds * kNsPerSecond;
  }
  return 0;
}

std::string contentOf(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

bool isAliveByStat(std::string_view stat_line, uint64_t boot_ns, uint64_t ticks_per_s, uint64_t seen_ns) {
  // "pid (name with anything, even ')') state ppid ... starttime": fields count from behind the last ')'.
  constexpr int kStartTimeField = 19;  // field 22 of proc(5), counted from the state
  const auto name_end = stat_line.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= stat_line.size()) return true;
  std::istringstream fields{std::string(stat_line.substr(name_end + 2))};
  std::string state;
  fields >> state;
  if (state == "Z" || state == "X") return false;
  std::string field;
  for (int i = 0; i < kStartTimeField; ++i) fields >> field;
  uint64_t ticks = 0;
  const auto parsed = std::from_chars(field.data(), field.data() + field.size(), ticks);
  if (parsed.ec != std::errc() || boot_ns == 0 || ticks_per_s == 0 || seen_ns == 0) return true;
  const uint64_t started_ns =
      boot_ns + ticks / ticks_per_s * kNsPerSecond + ticks % ticks_per_s * (kNsPerSecond / ticks_per_s);
  return started_ns <= seen_ns + kSlackNs;
}

bool isProcessAlive(uint32_t pid, uint64_t seen_ns) {
  if (pid == 0) return false;
  if (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) return false;
  const std::string line = contentOf("/proc/" + std::to_string(pid) + "/stat");
  if (line.empty()) return true;
  const long ticks = ::sysconf(_SC_CLK_TCK);
  return isAliveByStat(line, bootNs(), ticks > 0 ? static_cast<uint64_t>(ticks) : 0, seen_ns);
}

}  // namespace perfscope
