// `perfscope run [options] -- CMD`: options into the recording's settings.
#include <CLI/CLI.hpp>

#include <memory>
#include <regex>

#include "cli/command_table.h"
#include "cli/parse_values.h"
#include "cli/recording.h"
#include "cli/value_checks.h"

namespace perfscope::cli {
namespace {

struct Values {
  std::string output, steps, step_marker, delay, duration, capture = "all", api = "launches", graphs = "node";
  std::string nvml = "20Hz", ranks;
  std::string counters = "auto", sample_interval = "auto", metrics, replay_budget = "30s";
  int replay_per_kernel = 3;
  std::vector<std::string> labels;
  bool force = false, nccl = true, gemm = true, no_args = false, allow_empty = false, quiet = false;
  int overhead_pairs = 0, repeat = 1;
};

Status readWindow(const Values& values, CollectorConfig& config) {
  if (!values.delay.empty()) {
    const auto ns = parseDurationNs("--delay", values.delay);
    if (!ns) return tl::unexpected(ns.error());
    config.delay_ns = *ns;
  }
  if (!values.duration.empty()) {
    const auto ns = parseDurationNs("--duration", values.duration);
    if (!ns) return tl::unexpected(ns.error());
    if (*ns == 0)
      return failure(ErrorKind::Usage, "--duration", "0 would record nothing",
                     "give a longer time, such as 5s");
    config.duration_ns = *ns;
  }
  if (!values.steps.empty()) {
    if (auto status = parseSteps(values.steps, config); !status) return status;
  }
  return parseCapture(values.capture, config);
}

Status readStepMarker(const std::string& text, CollectorConfig& config) {
  try {
    const std::regex probe(text);
  } catch (const std::regex_error& error) {
    return failure(ErrorKind::Usage, "--step-marker",
                   "\"" + text + "\" is no regular expression: " + error.what(),
                   "give one in ECMAScript syntax, such as \"iteration [0-9]+\"");
  }
  config.step_marker = text;
  return {};
}

Status readCounters(const Values& values, CollectorConfig& config) {
  config.counters = values.counters == "sample"   ? Counters::Sample
                    : values.counters == "replay" ? Counters::Replay
                                                  : Counters::Off;
  config.replay_per_kernel = static_cast<uint32_t>(values.replay_per_kernel);
  const auto budget = parseDurationNs("--replay-budget", values.replay_budget);
  if (!budget) return tl::unexpected(budget.error());
  config.replay_budget_ns = *budget;
  config.metrics = values.metrics;
  if (values.sample_interval == "auto") return {};
  const auto ns = parseDurationNs("--sample-interval", values.sample_interval);
  if (!ns) return tl::unexpected(ns.error());
  if (*ns < 5'000 || *ns > 1'000'000'000)
    return failure(ErrorKind::Usage, "--sample-interval",
                   "\"" + values.sample_interval + "\" is not between 5us and 1s",
                   "give a time such as 50us, or auto");
  config.sample_interval_ns = *ns;
  return {};
}

Status readConfig(const Values& values, CollectorConfig& config) {
  if (auto status = readCounters(values, config); !status) return status;
  if (auto status = readWindow(values, config); !status) return status;
  if (auto status = readStepMarker(values.step_marker, config); !status) return status;
  config.api = values.api == "all"    ? ApiTracing::All
               : values.api == "none" ? ApiTracing::None
                                      : ApiTracing::Launches;
  config.graphs = values.graphs == "graph" ? GraphTracing::Graph : GraphTracing::Node;
  config.nccl = values.nccl;
  config.gemm = values.gemm;
  config.store_arguments = !values.no_args;
  if (!values.ranks.empty()) {
    auto ranks = parseRanks(values.ranks);
    if (!ranks) return tl::unexpected(ranks.error());
    config.ranks = std::move(*ranks);
  }
  return {};
}

Status checkCombination(const Values& values, const std::vector<std::string>& command) {
  if (command.empty()) {
    return failure(ErrorKind::Usage, "run", "no program given",
                   "put it behind --: `perfscope run -- ./train --epochs 1`");
  }
  if (values.repeat > 1 && values.overhead_pairs > 0) {
    return failure(ErrorKind::Usage, "run", "--repeat and --measure-overhead exclude each other",
                   "use one of them");
  }
  return {};
}

Result<RecordingOptions> settings(const Values& values, const std::vector<std::string>& command) {
  if (auto status = checkCombination(values, command); !status) return tl::unexpected(status.error());
  RecordingOptions options;
  options.run.command = command;
  options.run.output = values.output;
  options.run.force = values.force;
  options.run.allow_empty = options.allow_empty = values.allow_empty;
  options.run.quiet = options.quiet = values.quiet;
  options.repeat = values.repeat;
  options.overhead_pairs = values.overhead_pairs;
  if (auto status = readConfig(values, options.run.config); !status) return tl::unexpected(status.error());
  const auto rate = parseNvmlRate(values.nvml);
  if (!rate) return tl::unexpected(rate.error());
  options.run.nvml_hz = *rate;
  for (const auto& text : values.labels) {
    auto label = parseLabel(text);
    if (!label) return tl::unexpected(label.error());
    options.run.labels.insert(std::move(*label));
  }
  return options;
}

void defineWindow(CLI::App& app, Values& values) {
  app.add_option("--steps", values.steps,
                 "record only some steps: wait:warmup:active[:repeat], such as 5:2:10")
      ->type_name("WINDOW");
  app.add_option("--step-marker", values.step_marker,
                 "NVTX range that is one step (default: \"step N\" and \"ProfilerStep#N\")")
      ->type_name("REGEX");
  app.add_option("--delay", values.delay, "begin so long after CUDA was initialised, such as 5s or 250ms")
      ->type_name("TIME");
  app.add_option("--duration", values.duration,
                 "end so long after the beginning; the program goes on without us")
      ->type_name("TIME");
  app.add_option("--capture", values.capture,
                 "all; cuda-profiler-api: between cudaProfilerStart and Stop; nvtx:NAME: inside such ranges")
      ->type_name("WHAT");
  app.add_option("--ranks", values.ranks, "record only on these ranks of a distributed run, such as 0,8")
      ->type_name("LIST");
}

void defineContent(CLI::App& app, Values& values) {
  app.add_option("--api", values.api, "CUDA calls to record: launches (default), all, none")
      ->check(oneOf({"launches", "all", "none"}))
      ->type_name("WHAT");
  app.add_option(
         "--graphs", values.graphs,
         "CUDA graphs node by node (default), or each launch as a whole: cheaper, hides their kernels")
      ->check(oneOf({"node", "graph"}))
      ->type_name("LEVEL");
  app.add_flag("--nccl,!--no-nccl", values.nccl, "record NCCL calls (default: yes)");
  app.add_flag("--gemm,!--no-gemm", values.gemm,
               "record shapes of cuBLAS calls, from which FLOPs follow (default: yes)");
  app.add_option("--nvml", values.nvml, "rate of clock, power and temperature samples (default 20Hz), or off")
      ->type_name("RATE");
  app.add_option(
         "--counters", values.counters,
         "hardware counters: sample (read while the program runs), replay (a few launches of each kernel "
         "run again to count exactly; the program waits for them), off, or auto (default: off)")
      ->check(oneOf({"auto", "off", "sample", "replay"}))
      ->type_name("MODE");
  app.add_option("--sample-interval", values.sample_interval,
                 "time between two samples of the counters, such as 50us (default: auto, the shortest that "
                 "evaluation keeps up with)")
      ->type_name("TIME");
  app.add_option("--replay-per-kernel", values.replay_per_kernel,
                 "with --counters replay: launches of each kernel and launch shape (default 3; 0 = all)")
      ->check(wholeNumber(0, 1'000'000))
      ->type_name("N");
  app.add_option("--replay-budget", values.replay_budget,
                 "with --counters replay: time the program may stand still for it (default 30s)")
      ->type_name("TIME");
  app.add_option(
         "--metrics", values.metrics,
         "what is sampled: roles such as dram_read_bytes or CUPTI metric names, comma-separated (default: "
         "memory, tensor and FMA pipes, SM activity, PCIe, NVLink)")
      ->type_name("LIST");
}

void defineRuns(CLI::App& app, Values& values) {
  app.add_option("-o,--output", values.output, "the profile to write (default: PROGRAM-DATE-TIME.perfscope)")
      ->type_name("FILE");
  app.add_flag("--force", values.force, "replace an existing profile");
  app.add_option("--measure-overhead", values.overhead_pairs,
                 "alternate N bare and N recorded runs, store the medians")
      ->check(wholeNumber(1, 1'000'000))
      ->type_name("N");
  app.add_option("--repeat", values.repeat, "record N times: NAME.1.perfscope, NAME.2.perfscope ...")
      ->check(wholeNumber(1, 1'000'000))
      ->type_name("N");
  app.add_option(
         "--label", values.labels,
         "a fact about the workload that a comparison must agree on, such as batch=64 (may be given again)")
      ->type_name("K=V")
      ->take_all()
      ->expected(1);
  app.add_flag("--no-args", values.no_args, "do not store the program's arguments");
  app.add_flag("--allow-empty", values.allow_empty, "a program without GPU work is no failure");
  app.add_flag("--quiet", values.quiet, "no progress, no summary");
}

Runner define(CLI::App& app) {
  auto values = std::make_shared<Values>();
  defineRuns(app, *values);
  defineWindow(app, *values);
  defineContent(app, *values);
  return [values](Console& console, const std::vector<std::string>& command) {
    const auto options = settings(*values, command);
    return options ? record(console, *options) : fail(console, options.error());
  };
}

}  // namespace

Command runCommand() {
  return {"run",
          "run a program, record what its GPUs do, say what holds it back",
          "[options] -- PROGRAM [ARGUMENTS...]",
          {{"run -- python train.py", "records python-DATE-TIME.perfscope and prints the summary"},
           {"run -o train.perfscope --steps 5:2:20 -- python train.py",
            "20 steps after 5 skipped and 2 warm-up steps"},
           {"run --delay 30s --duration 5s -- ./server", "5 seconds of a server that has settled"},
           {"run --measure-overhead 5 -- ./bench", "what recording itself costs, in 5 pairs of runs"},
           {"run --label model=gpt2 --label batch=64 -- torchrun --nproc-per-node 8 train.py",
            "all ranks of one host in one profile"}},
          true,
          define};
}

}  // namespace perfscope::cli
