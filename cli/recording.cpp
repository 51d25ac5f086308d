// The runs, their summaries and their exit codes.
#include "cli/recording.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "analysis/report/format.h"
#include "analysis/report/glyphs.h"
#include "analysis/report/report_builder.h"
#include "analysis/report/report_text.h"
#include "injector/launch_plan.h"
#include "injector/program_file.h"
#include "injector/session_files.h"
#include "injector/spawn.h"
#include "schemas/database.h"

namespace perfscope::cli {
namespace {

constexpr std::string_view kSuffix = ".perfscope";

// Writing to a terminal that went away, or beyond a limit on file sizes (ulimit -f), must not end the
// recorder, which has a profile to close: the call fails instead and is reported. A handler instead of
// "ignore", because exec gives the target the default again; a disposition that was already ignored stays so.
void surviveFailingWrites() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = [](int) {};
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
  }
}

void showProgress(Console& console, const Progress& progress) {
  const std::string line = fmt::format(
      "perfscope: {} s, {}, {}/s, {}{}", format::number(progress.elapsed_s),
      format::counted(progress.gpu_records, "GPU record"), format::number(progress.spool_records_per_s),
      format::counted(progress.processes, "process"), progress.losses > 0 ? ", losing records" : "");
  // A line that wraps could not be taken back.
  console.err << "\r\033[K" << glyphs::shorten(line, console.err_columns - 1) << std::flush;
}

void printSummary(Console& console, const RunOutcome& outcome) {
  ReportOptions summary_options;
  summary_options.calibration = "auto";
  const auto report = buildReport(outcome.profile_path, summary_options);
  if (!report) {
    warn(console, "no summary: " + report.error().sentence());
    return;
  }
  TextOptions options;
  options.color = console.colorErr();
  options.utf8 = console.utf8;
  options.columns = console.err_columns;
  console.err << renderSummary(*report, options) << '\n';
}

int emptyProfile(Console& console, const RunOutcome& outcome, const RecordingOptions& options) {
  if (options.allow_empty) {
    warn(console, outcome.empty_reason);
    return 0;
  }
  return fail(console, {ErrorKind::Unavailable, outcome.profile_path, outcome.empty_reason,
                        "`perfscope doctor` checks this machine; --allow-empty accepts an empty profile"});
}

std::string whoRunsOn(int processes) {
  return fmt::format("{} still run{}: {} end here",
                     processes == 1 ? "1 process" : format::count(processes) + " processes",
                     processes == 1 ? "s" : "", processes == 1 ? "its records" : "their records");
}

// What is left to say about one recorded run, and its exit code.
int conclude(Console& console, const RunOutcome& outcome, const RecordingOptions& options,
             bool with_summary) {
  if (outcome.interrupted_by != 0) {
    warn(console, "interrupted before the program was started; nothing was written");
    return outcome.target_status;
  }
  for (const auto& warning : outcome.warnings) warn(console, warning);
  int code = 0;
  if (outcome.gpu_records > 0 && with_summary && !options.quiet) printSummary(console, outcome);
  if (outcome.recording_error) code = fail(console, *outcome.recording_error);
  if (outcome.gpu_records == 0 && code == 0) code = emptyProfile(console, outcome, options);
  const bool tells_closing = !options.quiet && outcome.gpu_records > 0;
  if (!tells_closing && outcome.outlived > 0) warn(console, whoRunsOn(outcome.outlived));
  if (tells_closing) {
    console.err << fmt::format("perfscope: wrote {} ({} GPU records: kernels, copies, fills){}\n",
                               outcome.profile_path, format::count(outcome.gpu_records),
                               outcome.outlived > 0 ? "; " + whoRunsOn(outcome.outlived) : "");
    if (with_summary) {
      console.err << fmt::format(
          "  next: perfscope report {0}\n        perfscope query {0} \"select * from v_kernel_summary\"\n",
          outcome.profile_path);
    }
  }
  return outcome.target_status != 0 ? outcome.target_status : code;
}

Result<RunOutcome> recordOnce(Console& console, const RecordingOptions& options, const std::string& output) {
  RunOptions run = options.run;
  run.output = output;
  run.on_warning = [&console](const std::string& text) { warn(console, text); };
  const bool progress = console.err_is_terminal && !options.quiet;
  if (progress) run.on_progress = [&console](const Progress& now) { showProgress(console, now); };
  auto outcome = runSession(run);
  if (progress) console.err << "\r\033[K" << std::flush;
  return outcome;
}

// NAME without its suffix. When nothing was given the default of a single run and our pid: several names are
// made of it, and another series may begin in the same second.
std::string baseName(const RunOptions& run) {
  std::string name = run.output;
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  if (!name.empty()) return name;
  name = defaultOutputName(run.command.front(), realtimeNowNs());
  name.resize(name.size() - kSuffix.size());
  return fmt::format("{}-{}", name, ::getpid());
}

int recordRepeatedly(Console& console, const RecordingOptions& options) {
  const std::string base = baseName(options.run);
  int code = 0;
  for (int i = 1; i <= options.repeat && code == 0; ++i) {
    const auto outcome = recordOnce(console, options, fmt::format("{}.{}{}", base, i, kSuffix));
    if (!outcome) return fail(console, outcome.error());
    code = conclude(console, *outcome, options, i == options.repeat);
  }
  return code;
}

struct BareRun {
  double wall_s = 0;
  int status = 0;
};

// The same program without the collector, timed from its start to its end.
Result<BareRun> runBare(const std::vector<std::string>& command) {
  const char* path_list = std::getenv("PATH");
  const auto program = findProgram(command.front(), path_list != nullptr ? path_list : "");
  if (!program) return tl::unexpected(program.error());
  LaunchPlan plan;
  plan.program = *program;
  plan.argv = command;
  plan.environment = environmentOf(environ);
  const auto begin = std::chrono::steady_clock::now();
  auto target = spawnTarget(plan);
  if (!target) return tl::unexpected(target.error());
  std::optional<ExitStatus> status;
  while (!(status = target->poll())) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  return BareRun{wall.count(), status->code};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Status storeOverhead(const std::string& profile, double bare_s, double profiled_s, int pairs) {
  auto db = Database::open(profile, Database::Mode::ReadWrite);
  if (!db) return tl::unexpected(db.error());
  auto insert = db->prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)");
  if (!insert) return tl::unexpected(insert.error());
  const std::pair<const char*, std::string> rows[] = {
      {"overhead.bare_ns", fmt::format("{:.0f}", bare_s * 1e9)},
      {"overhead.profiled_ns", fmt::format("{:.0f}", profiled_s * 1e9)},
      {"overhead.n", std::to_string(pairs)}};
  for (const auto& [key, value] : rows) {
    insert->bind(1, std::string_view(key));
    insert->bind(2, std::string_view(value));
    if (auto done = insert->run(); !done) return done;
  }
  return {};
}

int recordWithOverhead(Console& console, const RecordingOptions& options) {
  const std::string output = baseName(options.run) + std::string(kSuffix);
  std::vector<double> bare, profiled;
  RunOutcome last;
  for (int i = 1; i <= options.overhead_pairs; ++i) {
    const auto without = runBare(options.run.command);
    if (!without) return fail(console, without.error());
    if (without->status != 0) {
      warn(console,
           fmt::format("the program ended with status {} without PerfScope; the overhead was not measured",
                       without->status));
      return without->status;
    }
    bare.push_back(without->wall_s);
    RecordingOptions one = options;
    one.run.force = options.run.force || i > 1;
    auto outcome = recordOnce(console, one, output);
    if (!outcome) return fail(console, outcome.error());
    profiled.push_back(outcome->target_wall_s);
    last = std::move(*outcome);
    if (last.target_status != 0 || last.recording_error) return conclude(console, last, options, true);
    if (!options.quiet) {
      console.err << fmt::format("perfscope: pair {} of {}: {} bare, {} profiled\n", i,
                                 options.overhead_pairs, format::duration(bare.back() * 1e9),
                                 format::duration(profiled.back() * 1e9));
    }
  }
  const auto stored =
      storeOverhead(last.profile_path, median(bare), median(profiled), options.overhead_pairs);
  if (!stored) warn(console, "the overhead could not be stored: " + stored.error().sentence());
  return conclude(console, last, options, true);
}

}  // namespace

int record(Console& console, const RecordingOptions& options) {
  surviveFailingWrites();
  if (options.overhead_pairs > 0) return recordWithOverhead(console, options);
  if (options.repeat > 1) return recordRepeatedly(console, options);
  const auto outcome = recordOnce(console, options, options.run.output);
  return outcome ? conclude(console, *outcome, options, true) : fail(console, outcome.error());
}

}  // namespace perfscope::cli
