// `perfscope run`: check, plan, start, record, close.
#include "injector/run_session.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>

#include "injector/borrowed_signals.h"
#include "injector/cupti_search.h"
#include "injector/empty_profile.h"
#include "injector/file_system.h"
#include "injector/launch_plan.h"
#include "injector/preflight.h"
#include "injector/program_file.h"
#include "injector/recorder/recorder.h"
#include "injector/session_files.h"
#include "injector/spawn.h"

namespace perfscope {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPollEvery = std::chrono::milliseconds(50);
constexpr auto kProgressEvery = std::chrono::milliseconds(250);

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Prepared {
  SessionPaths paths;
  LaunchPlan plan;
  ProgramTraits traits;
  RecorderOptions recorder;
};

bool hasWindow(const CollectorConfig& config) {
  return config.delay_ns != 0 || config.duration_ns != 0 || config.steps_active != 0 ||
         config.capture != Capture::All;
}

std::map<std::string, std::string> metaOf(const RunOptions& options) {
  std::map<std::string, std::string> meta = {{"source_format", "perfscope"},
                                             {"perfscope_version", PERFSCOPE_VERSION}};
  for (const auto& [key, value] : options.labels) meta["label." + key] = value;
  CollectorConfig shown = options.config;  // what was asked for, without this machine's paths
  shown.session_dir.clear();
  shown.collector_path.clear();
  meta["collector_config"] = printConfig(shown);
  meta["nvml_hz"] = std::to_string(options.nvml_hz);
  if (options.config.store_arguments) {
    std::string command;
    for (const auto& part : options.command) command += (command.empty() ? "" : " ") + part;
    meta["command"] = command;
  } else {
    meta["command"] = std::filesystem::path(options.command.front()).filename().string();
  }
  return meta;
}

std::string folderOf(const SessionPaths& paths) {
  return std::filesystem::path(paths.output).parent_path().string();
}

void noteFileSystem(const SessionPaths& paths, std::vector<PlanNote>& notes) {
  const std::string kind = specialFileSystem(paths.session_dir);
  if (!isNetworkFileSystem(kind)) return;
  notes.push_back({Severity::Notice, "network_file_system",
                   "the profile is written to a network file system: slow, and data may be lost; use -o with "
                   "a local disk",
                   kind});
}

// A profile needs about 100 bytes a kernel, and the spool 4 MiB at a time for each process.
void warnOfLittleSpace(const RunOptions& options, const std::string& folder, std::vector<PlanNote>& notes) {
  constexpr uint64_t kLittle = uint64_t{256} << 20;
  const auto free = freeBytes(folder);
  if (!free || *free >= kLittle) return;
  const std::string text = "only " + std::to_string(*free >> 20) + " MiB are free at " + folder +
                           ": if the disk gets full, what comes after is not recorded; free disk space "
                           "there, or choose another place with -o";
  if (options.on_warning) options.on_warning(text);
  notes.push_back({Severity::Notice, "little_disk_space",
                   "less than 256 MiB were free where the profile is written",
                   std::to_string(*free) + " bytes"});
}

Result<Prepared> prepare(const RunOptions& options) {
  if (options.command.empty())
    return failure(ErrorKind::Usage, "run", "no command was given", "perfscope run -- PROGRAM ARGUMENTS");
  const Environment environment = environmentOf(environ);
  const auto path_list = environment.find("PATH");
  const auto program = findProgram(options.command.front(),
                                   path_list == environment.end() ? "/usr/bin:/bin" : path_list->second);
  if (!program) return tl::unexpected(program.error());
  const std::string collector = findCollectorLibrary(options.collector_library);
  if (collector.empty())
    return failure(
        ErrorKind::Unavailable, "libperfscope_collector.so", "was not found beside this program",
        "build PerfScope with the CUDA headers present, or name the library in PERFSCOPE_COLLECTOR");
  Prepared prepared;
  auto paths = prepareSession(options.output, options.command.front(), options.force);
  if (!paths) return tl::unexpected(paths.error());
  prepared.paths = *paths;
  prepared.traits = programTraits(*program);
  CollectorConfig config = options.config;
  config.session_dir = paths->session_dir;
  config.collector_path = collector;
  prepared.plan = planLaunch(options.command, *program, prepared.traits, config, environment);
  auto& recorder = prepared.recorder;
  recorder.output = paths->output;
  recorder.session_dir = paths->session_dir;
  recorder.time_base_ns = realtimeNowNs();
  recorder.store_arguments = options.config.store_arguments;
  recorder.windows_configured = hasWindow(options.config);
  recorder.nvml_hz = options.nvml_hz;
  recorder.meta = metaOf(options);
  noteFileSystem(*paths, prepared.plan.notes);
  recorder.notes = prepared.plan.notes;
  warnOfLittleSpace(options, folderOf(*paths), recorder.notes);
  return prepared;
}

class ProgressMeter {
 public:
  explicit ProgressMeter(const RunOptions& options) : m_report(options.on_progress) {}
  [[nodiscard]] double elapsedSeconds() const { return secondsSince(m_start); }
  void update(const RecorderTotals& totals) {
    const double interval_s = secondsSince(m_last);
    if (!m_report || interval_s < std::chrono::duration<double>(kProgressEvery).count()) return;
    Progress progress;
    progress.elapsed_s = secondsSince(m_start);
    progress.spool_records = totals.spool_records;
    progress.spool_records_per_s = static_cast<double>(totals.spool_records - m_records) / interval_s;
    progress.gpu_records = totals.gpu_records;
    progress.processes = totals.processes;
    progress.losses = totals.losses;
    m_report(progress);
    m_last = Clock::now();
    m_records = totals.spool_records;
  }

 private:
  const std::function<void(const Progress&)>& m_report;
  Clock::time_point m_start = Clock::now();
  Clock::time_point m_last = m_start;
  int64_t m_records = 0;
};

// What the user must know when recording stopped early: how far the profile goes, what it lacks, and how to
// get at the rest.
Error stoppedEarly(const Error& cause, const RecorderTotals& totals, double after_s,
                   const SessionPaths& paths) {
  constexpr uint64_t kAsGoodAsNothing = uint64_t{16} << 20;
  Error error = cause;
  error.reason += "; recording stopped after " + std::to_string(static_cast<int64_t>(after_s * 1000)) +
                  " ms: the profile holds the " + std::to_string(totals.committed) +
                  " kernels, copies and fills stored until then, the work after that is missing";
  const bool full = freeBytes(folderOf(paths)).value_or(0) < kAsGoodAsNothing;
  if (full) error.kind = ErrorKind::Output;
  error.remedy = (full ? "free disk space at " + folderOf(paths)
                       : (cause.remedy.empty() ? "remove the cause" : cause.remedy)) +
                 ", then `perfscope recover " + paths.session_dir +
                 "` adds what the session folder still holds";
  return error;
}

// Records for which the target's processes found no room, though the profile itself could be written.
std::optional<Error> noRoom(const RecorderTotals& totals, const SessionPaths& paths) {
  if (totals.no_room == 0) return std::nullopt;
  return Error{ErrorKind::Output, paths.output,
               "no spool file could be made (disk full, or ulimit -f): " + std::to_string(totals.no_room) +
                   " records (kernels, copies, calls, ranges and their names) are missing from the profile",
               "free disk space at " + folderOf(paths) + ", or choose another place with -o"};
}

// Until the target has ended. A failing recorder is left alone from then on, but for telling the collectors;
// the target is not disturbed.
ExitStatus accompany(Target& target, Recorder& recorder, ProgressMeter& meter, const SessionPaths& paths,
                     std::optional<Error>& error) {
  for (;;) {
    if (error) {
      recorder.stopCollectors();
    } else {
      const auto more = recorder.poll();
      if (!more) error = stoppedEarly(more.error(), recorder.totals(), meter.elapsedSeconds(), paths);
      meter.update(recorder.totals());
      if (more && *more && !target.poll()) continue;
    }
    if (const auto status = target.wait(kPollEvery)) return *status;
  }
}

void describeEmpty(const RunOptions& options, const Prepared& prepared, const Recorder& recorder,
                   RunOutcome& outcome) {
  if (outcome.gpu_records > 0 || outcome.recording_error) return;
  EmptyEvidence evidence;
  evidence.processes = outcome.processes;
  evidence.driver_found = isDriverPresent();
  evidence.statically_linked = prepared.traits.statically_linked;
  evidence.windows_configured = hasWindow(options.config);
  evidence.collector_errors = recorder.collectorErrors();
  evidence.losses = recorder.totals().losses;
  outcome.empty_reason = whyEmpty(evidence);
}

// Nothing of the session is left. A signal that came meanwhile is an outcome, not an error.
Result<RunOutcome> notStarted(const SessionPaths& paths, const Error& error) {
  discardSession(paths);
  const int number = BorrowedSignals::interruptedBy();
  if (number == 0) return tl::unexpected(error);
  RunOutcome outcome;
  outcome.interrupted_by = number;
  outcome.target_status = 128 + number;
  return outcome;
}

void fillOutcome(const Recorder& recorder, const ExitStatus& status, RunOutcome& outcome) {
  outcome.target_status = status.code;
  outcome.target_signalled = status.signalled;
  outcome.target_signal = status.signal;
  outcome.gpu_records = outcome.recording_error ? recorder.totals().committed : recorder.totals().gpu_records;
  outcome.outlived = recorder.totals().outlived;
  outcome.spool_records = recorder.totals().spool_records;
  outcome.processes = recorder.totals().processes;
  const auto& warnings = recorder.warnings();
  outcome.warnings.insert(outcome.warnings.end(), warnings.begin(), warnings.end());
}

}  // namespace

Result<RunOutcome> runSession(const RunOptions& options) {
  const BorrowedSignals signals;  // before anything is made: whoever interrupts the start finds it undone
  auto prepared = prepare(options);
  if (!prepared) return tl::unexpected(prepared.error());
  writeSessionFacts(prepared->recorder);
  auto recorder = Recorder::create(prepared->recorder);
  if (!recorder) return notStarted(prepared->paths, recorder.error());
  const auto start = Clock::now();
  auto target = spawnTarget(prepared->plan);
  if (!target) {
    recorder->reset();
    return notStarted(prepared->paths, target.error());
  }
  RunOutcome outcome;
  outcome.profile_path = prepared->paths.output;
  if (!options.quiet) {
    for (const auto& note : prepared->plan.notes)
      outcome.warnings.push_back(note.text + (note.detail.empty() ? "" : ": " + note.detail));
  }
  ProgressMeter meter(options);
  const ExitStatus status = accompany(*target, **recorder, meter, prepared->paths, outcome.recording_error);
  outcome.target_wall_s = secondsSince(start);
  if (!outcome.recording_error) {
    const EndOfTarget end{static_cast<uint32_t>(target->pid()), status.code,
                          static_cast<int64_t>(outcome.target_wall_s * 1e9)};
    if (auto finished = (*recorder)->finish(end); !finished)
      outcome.recording_error =
          stoppedEarly(finished.error(), (*recorder)->totals(), outcome.target_wall_s, prepared->paths);
  }
  fillOutcome(**recorder, status, outcome);
  const RecorderTotals totals = (*recorder)->totals();
  if (outcome.recording_error) {
    outcome.session_dir = prepared->paths.session_dir;
  } else {
    removeSessionDir(prepared->paths.session_dir);
    outcome.recording_error = noRoom(totals, prepared->paths);
  }
  describeEmpty(options, *prepared, **recorder, outcome);
  return outcome;
}

}  // namespace perfscope
