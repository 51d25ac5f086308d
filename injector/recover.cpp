// `perfscope recover`: goes on where a killed recorder stopped, or makes a profile of what its folder holds.
#include <filesystem>

#include "injector/recorder/checkpoint.h"
#include "injector/recorder/process_alive.h"
#include "injector/recorder/recorder.h"
#include "injector/run_session.h"
#include "injector/session_files.h"
#include "schemas/spool_names.h"
#include "schemas/trace_reader.h"

namespace perfscope {
namespace {

namespace fs = std::filesystem;

enum class Begun {
  None,       // no profile was begun, or nothing of the spool is in it: start afresh
  Resumable,  // unclosed, with the checkpoint that belongs to it
  Lost,       // records were taken out of the spool, and the profile they went to is not there any more
};

Begun begunProfile(const std::string& path, const std::string& session_dir) {
  const Begun without = newestCheckpoint(session_dir) > 0 ? Begun::Lost : Begun::None;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return without;
  const auto profile = TraceReader::open(path);
  if (!profile || profile->closed()) return without;
  const auto number = profile->meta(kCheckpointKey);
  if (!number || !number->has_value()) return without;
  return fs::exists(session_dir + "/checkpoint-" + **number, ignored) ? Begun::Resumable : without;
}

// What a recorder that was killed early leaves under its output's name: nothing in it, or a database without
// tables, or an unclosed profile.
bool isBegunOutput(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  if (fs::file_size(path, ignored) == 0) return true;
  const auto db = Database::open(path, Database::Mode::ReadOnly);
  if (!db) return false;
  const auto tables = db->scalar("SELECT count(*) FROM sqlite_master");
  if (!tables) return false;
  if (*tables == "0") return true;
  const auto profile = TraceReader::open(path);
  return profile && !profile->closed();
}

// A consistent copy, the write-ahead log included.
Status copyProfile(const std::string& from, const std::string& to) {
  const auto db = Database::open(from, Database::Mode::ReadWrite);
  if (!db) return tl::unexpected(db.error());
  std::string quoted;
  for (const char c : to) quoted += c == '\'' ? "''" : std::string(1, c);
  return db->execute("VACUUM INTO '" + quoted + "'");
}

bool samePath(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return a == b || fs::equivalent(a, b, ignored);
}

// Sentences for processes that seem to run on and still write into the folder.
std::vector<std::string> stillRunning(const std::string& session_dir) {
  std::vector<std::string> sentences;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(session_dir, ignored)) {
    const auto folder = parseProcessFolderName(entry.path().filename().string());
    if (folder && isProcessAlive(folder->pid, folder->start_ns))
      sentences.push_back("process " + std::to_string(folder->pid) +
                          " seems to run still; what it records from now on is not in this profile");
  }
  return sentences;
}

// Decides where the profile comes from and clears its place.
Status prepareOutput(RecorderOptions& options, const std::string& begun_path, Begun begun, bool force) {
  const bool in_place = samePath(options.output, begun_path);
  options.resume = begun == Begun::Resumable;
  if (options.resume && in_place) return {};
  // An unclosed profile without anything of the spool in it is worth nothing beside the folder.
  const bool worthless = in_place && begun == Begun::None && isBegunOutput(options.output);
  if (auto status = clearOutput(options.output, force || worthless); !status) return status;
  return options.resume ? copyProfile(begun_path, options.output) : Status{};
}

}  // namespace

Result<RecoverOutcome> recoverSession(const std::string& session_dir, const std::string& output, bool force) {
  auto facts = readSessionFacts(session_dir);
  if (!facts) return tl::unexpected(facts.error());
  RecorderOptions options = *facts;
  const std::string begun_path = recoveredName(session_dir);
  options.output = output.empty() ? begun_path : output;
  options.live = false;
  const Begun begun = begunProfile(begun_path, session_dir);
  RecoverOutcome outcome;
  outcome.warnings = stillRunning(session_dir);
  const bool finished = outcome.warnings.empty();
  if (begun == Begun::Lost)
    outcome.warnings.push_back("an earlier part of the run had been moved into " + begun_path +
                               ", which is complete or gone: only the rest is in this profile");
  if (auto status = prepareOutput(options, begun_path, begun, force); !status)
    return tl::unexpected(status.error());
  auto recorder = Recorder::create(options);
  if (!recorder) return tl::unexpected(recorder.error());
  if (auto status = (*recorder)->finish(std::nullopt); !status) return tl::unexpected(status.error());
  outcome.profile_path = options.output;
  outcome.gpu_records = (*recorder)->totals().gpu_records;
  outcome.spool_records = (*recorder)->totals().spool_records;
  outcome.processes = (*recorder)->totals().processes;
  const auto& warnings = (*recorder)->warnings();
  outcome.warnings.insert(outcome.warnings.end(), warnings.begin(), warnings.end());
  recorder->reset();
  // Completed in place, or without any process in it, the folder has nothing left that the profile lacks.
  const bool emptied = options.resume || outcome.processes == 0;
  if (emptied && samePath(options.output, begun_path) && finished) removeSessionDir(session_dir);
  return outcome;
}

}  // namespace perfscope
