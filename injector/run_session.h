// The injector's front door: start a program with the collector inside and record it, or turn the spool that
// a killed recorder left into a profile.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schemas/collector_config.h"
#include "schemas/result.h"

namespace perfscope {

// What is known while the target runs; counts are totals since the start.
struct Progress {
  double elapsed_s = 0;
  int64_t spool_records = 0;
  double spool_records_per_s = 0;  // over the last reporting interval
  int64_t gpu_records = 0;         // kernels, copies, fills, opaque graph launches
  int processes = 0;               // that used CUDA
  int64_t losses = 0;              // sum of the counters graded data_loss or worse
};

struct RunOptions {
  std::vector<std::string> command;  // program and arguments
  std::string output;                // empty = <program>-<YYYYmmdd-HHMMSS>[-N].perfscope, working folder
  bool force = false;                // replace an existing output file
  CollectorConfig config;            // session_dir and collector_path are filled in by runSession
  double nvml_hz = 20;               // 0 = off
  bool allow_empty = false;          // kept for the caller: an empty profile is no failure here
  bool quiet = false;                // no notes about the environment in `warnings`
  std::map<std::string, std::string> labels;  // measurement contract, meta label.*
  std::string collector_library;              // empty = beside the program: ../lib, lib/, PERFSCOPE_COLLECTOR
  std::function<void(const std::string&)> on_warning;  // what should be known before the target starts
  std::function<void(const Progress&)> on_progress;    // called about 4 times a second on the calling thread
};

struct RunOutcome {
  int target_status = 0;  // exit code, or 128 + signal
  bool target_signalled = false;
  int target_signal = 0;
  int interrupted_by = 0;   // signal that came before the target was started: nothing ran, nothing is left
  int64_t gpu_records = 0;  // kernels + copies + fills + opaque graph launches that the profile holds
  int64_t spool_records = 0;
  int processes = 0;
  int outlived = 0;          // processes that still run; the record of them ends with the target
  std::string empty_reason;  // set when gpu_records is 0: why, from evidence, with the remedy
  std::vector<std::string> warnings;
  std::string profile_path;
  std::string session_dir;               // set when it was kept (something could not be recorded)
  std::optional<Error> recording_error;  // recording stopped early (disk full ...); the target ran to its end
  double target_wall_s = 0;
};

// Blocks until the target ends and the profile is closed. The target inherits stdin, stdout, stderr, the
// process group and the signal mask; its status is in the outcome. Errors are those that prevent the start
// (no such program: InputMissing; collector missing: Unavailable; output exists or cannot be written:
// Output): nothing is left behind then. One call at a time in a process: signal dispositions are borrowed.
Result<RunOutcome> runSession(const RunOptions& options);

struct RecoverOutcome {
  std::string profile_path;
  int64_t gpu_records = 0;
  int64_t spool_records = 0;
  int processes = 0;
  std::vector<std::string> warnings;
};

// The same recorder on a folder without a live target. When the killed recorder's unclosed profile is still
// there, it is completed: in place (and the folder removed) when `output` is empty or names it, else in a
// copy. Without it a new profile is made of what the folder holds. `output` empty = <dir without .session>,
// or <dir>.perfscope. Errors: InputMissing (no folder), InputRefused (no spool in it), Unavailable (still
// being recorded), Output.
Result<RecoverOutcome> recoverSession(const std::string& session_dir, const std::string& output, bool force);

}  // namespace perfscope
