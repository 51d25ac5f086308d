// Vector peaks from chains of fused multiply-adds, and what a launch costs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "injector/calibration/arithmetic.h"
#include "injector/calibration/kernel_source.h"
#include "injector/calibration/measure.h"

namespace perfscope::calibration {
namespace {

struct VectorKind {
  const char* precision;
  const char* kernel;
  const char* title;
  int operations;  // of one step of one chain: multiply and add, twice for a pair of halves
  std::uint64_t (*expected)(std::uint32_t self, int rounds);
};

constexpr std::array<VectorKind, 4> kKinds = {{
    {"fp64", "chainFp64", "FP64 vector", 2, chainFp64},
    {"fp32", "chainFp32", "FP32 vector", 2, chainFp32},
    {"fp16", "chainFp16", "FP16 vector (two a register)", 4, chainFp16},
    {"int32", "chainInt32", "INT32 multiply-add", 2, chainInt32},
}};

const VectorKind* kindOf(const std::string& precision) {
  const auto found = std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](const VectorKind& kind) { return precision == kind.precision; });
  return found == kKinds.end() ? nullptr : &*found;
}

Status launchChain(const Gpu& gpu, const VectorKind& kind, CuHandle kernel, unsigned blocks, int rounds,
                   const Buffer& results) {
  CuPointer to = results.address();
  double c64 = kChainConstant;
  auto c32 = static_cast<float>(kChainConstant);
  const std::uint32_t half = encoded(kChainConstant, kHalf);
  std::uint32_t c16 = half | (half << 16U), integer = kChainInteger;
  const std::string precision = kind.precision;
  void* const c = precision == "fp64"   ? static_cast<void*>(&c64)
                  : precision == "fp32" ? static_cast<void*>(&c32)
                  : precision == "fp16" ? static_cast<void*>(&c16)
                                        : static_cast<void*>(&integer);
  return gpu.launch(kernel, blocks, {&rounds, c, &to});
}

Status verifyChain(const Gpu& gpu, const VectorKind& kind, const Buffer& results, size_t threads,
                   int rounds) {
  std::vector<std::uint64_t> got(threads);
  if (auto read = gpu.toHost(got.data(), results, threads * sizeof(got[0])); !read) return read;
  for (const size_t thread : {size_t{0}, threads / 2 + 77, threads - 1}) {
    const std::uint64_t expected = kind.expected(static_cast<std::uint32_t>(thread), rounds);
    if (got[thread] == expected) continue;
    return failure(ErrorKind::Internal, kind.kernel,
                   fmt::format("thread {} left {:#x} instead of {:#x}: the time means nothing", thread,
                               got[thread], expected));
  }
  return {};
}

}  // namespace

CalibrationValue vectorPeak(const Gpu& gpu, const MeasureOptions& options, const std::string& precision) {
  const VectorKind* const kind = kindOf(precision);
  if (kind == nullptr) return notMeasured(precision, precision, "FLOP/s", "there is no kernel for it");
  const std::string unit = precision == "int32" ? "op/s" : "FLOP/s";
  const auto absent = [&](const Error& error) {
    return notMeasured(precision, kind->title, unit, error.sentence());
  };
  const auto kernel = gpu.kernel(kind->kernel);
  if (!kernel) return absent(kernel.error());
  const auto blocks = gpu.residentBlocks(*kernel);
  if (!blocks) return absent(blocks.error());
  const size_t threads = size_t{*blocks} * kBlockThreads;
  const auto results = gpu.allocate(threads * sizeof(std::uint64_t));
  if (!results) return absent(results.error());
  // 500 rounds are 8,000 steps a chain: 0.5 ms and more on every GPU, and quickly recomputed on the CPU.
  int rounds = options.quick ? 250 : 500;
  const auto timing =
      gpu.time(options.plan(), [&] { return launchChain(gpu, *kind, *kernel, *blocks, rounds, *results); });
  if (!timing) return absent(timing.error());
  if (auto right = verifyChain(gpu, *kind, *results, threads, rounds); !right) return absent(right.error());
  const double operations =
      static_cast<double>(threads) * rounds * kStepsPerRound * kChains * kind->operations;
  return valueOf(precision, kind->title, unit, operations, *timing,
                 fmt::format("{} blocks of {} threads, {} chains each; last bits checked", *blocks,
                             kBlockThreads, kChains));
}

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Times on the host: `calls` launches into an empty queue (a full one would make the call wait), or one
// launch and its end.
Result<Timing> timeOnHost(const Gpu& gpu, CuHandle kernel, int repetitions, int calls, bool wait_each) {
  Timing timing;
  timing.calls = calls;
  std::vector<double> lengths;
  for (int repetition = -1; repetition < repetitions; ++repetition) {  // the first warms up
    if (auto idle = gpu.synchronise(); !idle) return tl::unexpected(idle.error());
    const auto begin = Clock::now();
    for (int call = 0; call < calls; ++call) {
      auto done = gpu.launch(kernel, 1, {});
      if (done && wait_each) done = gpu.synchronise();
      if (!done) return tl::unexpected(done.error());
    }
    const double seconds = secondsSince(begin);
    if (repetition < 0) continue;
    timing.seconds_per_call.push_back(seconds / calls);
    lengths.push_back(seconds);
  }
  std::sort(lengths.begin(), lengths.end());
  timing.repetition_s = lengths[lengths.size() / 2];
  timing.clocks = gpu.clocks();
  return timing;
}

}  // namespace

CalibrationValue launchCost(const Gpu& gpu, const MeasureOptions& options, const std::string& kind) {
  constexpr int kQueued = 400;  // below the 1,024 launches that the driver lets wait
  const std::string id = "launch_" + kind;
  const std::string title = kind == "host"         ? "launch: host time of one call"
                            : kind == "round_trip" ? "launch: call to end seen by the host"
                                                   : "launch: start to start of empty kernels";
  const auto kernel = gpu.kernel("nothing");
  if (!kernel) return notMeasured(id, title, "s", kernel.error().sentence());
  const int repetitions = options.quick ? 9 : 25;
  auto timing = kind == "start_to_start"
                    ? gpu.time({options.plan().repetitions, 0.004, 0.01, 20000},
                               [&] { return gpu.launch(*kernel, 1, {}); })
                    : timeOnHost(gpu, *kernel, repetitions, kQueued, kind == "round_trip");
  if (!timing) return notMeasured(id, title, "s", timing.error().sentence());
  const std::string how = kind == "host"         ? "400 launches of an empty kernel into an empty queue"
                          : kind == "round_trip" ? "400 times: launch an empty kernel, wait for it"
                                                 : "empty kernels back to back on one stream, by events";
  return valueOf(id, title, "s", 0, *timing, how);
}

}  // namespace perfscope::calibration
