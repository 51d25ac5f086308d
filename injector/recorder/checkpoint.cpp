// Checkpoint and definition files: a line of text for each process, then its records as they were in the
// spool.
#include "injector/recorder/checkpoint.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace perfscope {
namespace {

constexpr std::string_view kFirstLine = "perfscope checkpoint 1";
constexpr std::string_view kPrefix = "checkpoint-";
constexpr const char* kDefinitionsFile = "/definitions";
constexpr uint64_t kMostWaiting = uint64_t{1} << 24;  // far above what the recorder ever holds

tl::unexpected<Error> cut(const std::string& path) {
  return failure(ErrorKind::InputRefused, path, "is not a checkpoint of this version or is cut short",
                 "recover into another file with -o: the rest of the spool is still readable");
}

void writeRecords(std::ofstream& file, std::span<const spool::Record> records) {
  file.write(reinterpret_cast<const char*>(records.data()),
             static_cast<std::streamsize>(records.size() * sizeof(spool::Record)));
}

bool readProcess(std::istream& file, const std::string& line, ProcessCheckpoint& process) {
  std::istringstream fields(line);
  std::string folder;
  uint64_t count = 0;
  fields >> folder >> process.process_id >> process.ended >> process.segment >> process.index >> count;
  for (auto& loss : process.own_loss) fields >> loss;
  const auto parsed = parseProcessFolderName(folder);
  if (!fields || !parsed || count > kMostWaiting) return false;
  process.folder = *parsed;
  process.waiting.resize(count);
  const auto bytes = static_cast<std::streamsize>(count * sizeof(spool::Record));
  file.read(reinterpret_cast<char*>(process.waiting.data()), bytes);
  return file.gcount() == bytes;
}

}  // namespace

std::string checkpointPath(const std::string& session_dir, uint64_t number) {
  return session_dir + "/" + std::string(kPrefix) + std::to_string(number);
}

Status writeCheckpoint(const std::string& path, const std::vector<ProcessCheckpoint>& processes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << kFirstLine << "\n";
  for (const auto& process : processes) {
    file << processFolderName(process.folder) << ' ' << process.process_id << ' ' << process.ended << ' '
         << process.segment << ' ' << process.index << ' ' << process.waiting.size();
    for (const auto loss : process.own_loss) file << ' ' << loss;
    file << "\n";
    writeRecords(file, process.waiting);
  }
  file.close();
  if (!file)
    return failure(ErrorKind::Output, path, std::string("cannot be written: ") + std::strerror(errno),
                   "free disk space or choose another place with -o");
  return {};
}

Result<std::vector<ProcessCheckpoint>> readCheckpoint(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return failure(ErrorKind::InputMissing, path, "cannot be read");
  std::string line;
  if (!std::getline(file, line) || line != kFirstLine) return cut(path);
  std::vector<ProcessCheckpoint> processes;
  while (std::getline(file, line)) {
    ProcessCheckpoint process;
    if (!readProcess(file, line, process)) return cut(path);
    processes.push_back(std::move(process));
  }
  return processes;
}

uint64_t newestCheckpoint(const std::string& session_dir) {
  uint64_t newest = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(session_dir, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    uint64_t number = 0;
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), number);
    newest = std::max(newest, number);
  }
  return newest;
}

bool isDefinition(spool::Kind kind) {
  return kind == spool::Kind::StringChunk || kind == spool::Kind::LaunchShape ||
         kind == spool::Kind::DeviceIdentity || kind == spool::Kind::DeviceLimits ||
         kind == spool::Kind::CounterSet || kind == spool::Kind::CounterMetric;
}

Status appendDefinitions(const std::string& process_folder, std::span<const spool::Record> records) {
  if (records.empty()) return {};
  const std::string path = process_folder + kDefinitionsFile;
  std::ofstream file(path, std::ios::binary | std::ios::app);
  writeRecords(file, records);
  file.close();
  if (!file)
    return failure(ErrorKind::Output, path, std::string("cannot be written: ") + std::strerror(errno),
                   "free disk space or choose another place with -o");
  return {};
}

std::vector<spool::Record> readDefinitions(const std::string& process_folder) {
  std::ifstream file(process_folder + kDefinitionsFile, std::ios::binary);
  std::vector<spool::Record> records;
  spool::Record record{};
  while (file.read(reinterpret_cast<char*>(record.bytes), sizeof record.bytes)) records.push_back(record);
  return records;
}

}  // namespace perfscope
