// Paths and facts of a session.
#include "injector/session_files.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "injector/recorder/process_alive.h"
#include "schemas/spool_names.h"

namespace perfscope {
namespace {

namespace fs = std::filesystem;
constexpr const char* kFactsFile = "session";
constexpr std::string_view kSessionSuffix = ".session";
constexpr std::string_view kProfileSuffix = ".perfscope";
// SQLite's files of a profile, the profile itself last.
constexpr std::array<const char*, 4> kSideFiles = {"-wal", "-shm", "-journal", ""};
constexpr int64_t kNsPerSecond = 1'000'000'000;

// One fact a line, name and value apart by a blank: line breaks and blanks inside are escaped.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == ' ') {
      out += "\\s";
    } else {
      out += c;
    }
  }
  return out;
}

std::string unescaped(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
      out += text[i] == 'n' ? '\n' : text[i] == 's' ? ' ' : text[i];
    } else {
      out += text[i];
    }
  }
  return out;
}

std::optional<int64_t> earliestStart(const std::string& session_dir) {
  std::optional<int64_t> earliest;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(session_dir, ignored)) {
    const auto folder = parseProcessFolderName(entry.path().filename().string());
    if (!folder || folder->start_ns > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) continue;
    const auto start = static_cast<int64_t>(folder->start_ns);
    earliest = earliest ? std::min(*earliest, start) : start;
  }
  return earliest;
}

// `value` is "pid unix_ns". A recorder of our own process is a test, not a second program.
bool isStillRecorded(const std::string& value) {
  uint32_t pid = 0;
  uint64_t since_ns = 0;
  std::istringstream fields(value);
  fields >> pid >> since_ns;
  return fields && pid != static_cast<uint32_t>(::getpid()) && isProcessAlive(pid, since_ns);
}

// --force replaces what is left over, never what another recorder is writing.
bool isRecordingNow(const std::string& session_dir) {
  std::ifstream file(session_dir + "/" + kFactsFile);
  for (std::string key, rest; file >> key && std::getline(file >> std::ws, rest);) {
    if (key == "recorder") return isStillRecorded(rest);
  }
  return false;
}

Status checkFolder(const fs::path& folder, const std::string& output) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    return failure(ErrorKind::Output, output, "the folder " + folder.string() + " does not exist",
                   "make it, or choose another place with -o");
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return failure(ErrorKind::Output, output, "the folder " + folder.string() + " is not writable",
                   "choose another place with -o");
  return {};
}

}  // namespace

int64_t realtimeNowNs() {
  struct timespec now {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<int64_t>(now.tv_sec) * kNsPerSecond + now.tv_nsec;
}

std::string defaultOutputName(const std::string& program, int64_t unix_ns) {
  const std::time_t seconds = unix_ns / kNsPerSecond;
  struct tm local {};
  ::localtime_r(&seconds, &local);
  std::array<char, 32> stamp{};
  const size_t length = std::strftime(stamp.data(), stamp.size(), "%Y%m%d-%H%M%S", &local);
  std::string name = fs::path(program).filename().string();
  if (name.empty()) name = "profile";
  return name + "-" + std::string(stamp.data(), length) + std::string(kProfileSuffix);
}

Status clearOutput(const std::string& output, bool force) {
  std::error_code error;
  if (!fs::exists(output, error)) return {};
  if (!force)
    return failure(ErrorKind::Output, output, "the file exists", "choose another name or pass --force");
  if (!fs::is_regular_file(output, error))
    return failure(ErrorKind::Output, output, "is not a file", "choose another name");
  for (const char* const part : kSideFiles) {
    if (!fs::remove(output + part, error) && error)
      return failure(ErrorKind::Output, output + part, "cannot be replaced: " + error.message());
  }
  return {};
}

namespace {

SessionPaths pathsOf(const std::string& name) {
  std::error_code error;
  SessionPaths paths;
  paths.output = fs::absolute(name, error).lexically_normal().string();
  paths.session_dir = paths.output + std::string(kSessionSuffix);
  return paths;
}

Status removeLeftovers(const SessionPaths& paths, bool force) {
  std::error_code error;
  if (!fs::exists(paths.session_dir, error)) return {};
  if (isRecordingNow(paths.session_dir))
    return failure(ErrorKind::Output, paths.output, "another `perfscope run` is recording into it",
                   "wait for it to end, or choose another name with -o");
  if (!force)
    return failure(ErrorKind::Output, paths.session_dir, "is left from a run that was killed",
                   "`perfscope recover " + paths.session_dir + "`, or --force to throw it away");
  fs::remove_all(paths.session_dir, error);
  return {};
}

// Making the folder is what claims a name: of several that try, one succeeds.
Result<bool> claim(const SessionPaths& paths) {
  std::error_code error;
  const bool made = fs::create_directory(paths.session_dir, error);
  if (error)
    return failure(ErrorKind::Output, paths.session_dir, "cannot be made: " + error.message(),
                   "choose another place with -o");
  return made;
}

// The first free of NAME, NAME-2, NAME-3 ...: runs that begin in the same second do not meet.
Result<SessionPaths> prepareDefault(const std::string& program) {
  constexpr int kMostNames = 10'000;
  const std::string name = defaultOutputName(program, realtimeNowNs());
  const std::string stem = name.substr(0, name.size() - kProfileSuffix.size());
  std::error_code error;
  for (int i = 1; i <= kMostNames; ++i) {
    const SessionPaths paths =
        pathsOf(i == 1 ? name : stem + "-" + std::to_string(i) + std::string(kProfileSuffix));
    if (auto status = checkFolder(fs::path(paths.output).parent_path(), paths.output); !status)
      return tl::unexpected(status.error());
    if (fs::exists(paths.output, error)) continue;
    const auto ours = claim(paths);
    if (!ours) return tl::unexpected(ours.error());
    if (!*ours) continue;
    // Its owner may have ended between the two: then the profile is there by now.
    if (!fs::exists(paths.output, error)) return paths;
    removeSessionDir(paths.session_dir);
  }
  return failure(ErrorKind::Output, name, "no free name like this one", "give a name with -o");
}

}  // namespace

Result<SessionPaths> prepareSession(const std::string& output, const std::string& program, bool force) {
  if (output.empty()) return prepareDefault(program);
  const SessionPaths paths = pathsOf(output);
  if (auto status = checkFolder(fs::path(paths.output).parent_path(), paths.output); !status)
    return tl::unexpected(status.error());
  if (auto status = removeLeftovers(paths, force); !status) return tl::unexpected(status.error());
  if (auto status = clearOutput(paths.output, force); !status) return tl::unexpected(status.error());
  const auto ours = claim(paths);
  if (!ours) return tl::unexpected(ours.error());
  if (!*ours)
    return failure(ErrorKind::Output, paths.output, "another `perfscope run` began with the same name",
                   "choose another name with -o");
  return paths;
}

void discardSession(const SessionPaths& paths) {
  std::error_code ignored;
  removeSessionDir(paths.session_dir);
  for (const char* const part : kSideFiles) fs::remove(paths.output + part, ignored);
}

void removeSessionDir(const std::string& session_dir) {
  std::error_code ignored;
  fs::remove_all(session_dir, ignored);
}

namespace {

std::string cleaned(const std::string& folder) {
  std::string path = fs::path(folder).lexically_normal().string();
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

std::string recoveredName(const std::string& session_dir) {
  const std::string path = cleaned(session_dir);
  if (path.ends_with(kSessionSuffix)) return path.substr(0, path.size() - kSessionSuffix.size());
  return path + std::string(kProfileSuffix);
}

void writeSessionFacts(const RecorderOptions& options) {
  // Best effort: without it `recover` still works, with less in the table meta.
  std::ofstream file(options.session_dir + "/" + kFactsFile);
  file << "time_base_ns " << options.time_base_ns << "\n";
  file << "recorder " << ::getpid() << " " << realtimeNowNs() << "\n";
  file << "store_arguments " << (options.store_arguments ? 1 : 0) << "\n";
  file << "windows_configured " << (options.windows_configured ? 1 : 0) << "\n";
  for (const auto& [key, value] : options.meta)
    file << "meta." << escaped(key) << " " << escaped(value) << "\n";
}

Result<RecorderOptions> readSessionFacts(const std::string& session_dir) {
  std::error_code error;
  if (!fs::is_directory(session_dir, error))
    return failure(ErrorKind::InputMissing, session_dir, "no such folder",
                   "name the NAME.perfscope.session folder");
  RecorderOptions options;
  options.session_dir = session_dir;
  const auto earliest = earliestStart(session_dir);
  std::ifstream file(session_dir + "/" + kFactsFile);
  // Killed before its first file was written, a session's folder is empty.
  const bool begun = cleaned(session_dir).ends_with(kSessionSuffix) && fs::is_empty(session_dir, error);
  if (!file && !earliest && !begun)
    return failure(ErrorKind::InputRefused, session_dir, "is no session folder: no process folder is in it",
                   "name the NAME.perfscope.session folder");
  options.time_base_ns = earliest.value_or(realtimeNowNs());
  std::string line;
  while (std::getline(file, line)) {
    const auto blank = line.find(' ');
    if (blank == std::string::npos) continue;
    const std::string key = unescaped(line.substr(0, blank));
    const std::string value = unescaped(line.substr(blank + 1));
    if (key == "time_base_ns") {
      std::from_chars(value.data(), value.data() + value.size(), options.time_base_ns);
    } else if (key == "recorder") {
      if (isStillRecorded(value))
        return failure(ErrorKind::Unavailable, session_dir, "is still being recorded by process " + value,
                       "wait for the run to end: it closes the profile itself");
    } else if (key == "store_arguments") {
      options.store_arguments = value != "0";
    } else if (key == "windows_configured") {
      options.windows_configured = value != "0";
    } else if (key.starts_with("meta.")) {
      options.meta[key.substr(5)] = value;
    }
  }
  return options;
}

}  // namespace perfscope
