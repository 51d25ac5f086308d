// Bandwidths: DRAM read, write and copy, second-level cache, shared memory.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "injector/calibration/arithmetic.h"
#include "injector/calibration/kernel_source.h"
#include "injector/calibration/measure.h"

namespace perfscope::calibration {
namespace {

constexpr size_t kQuadBytes = 16;
constexpr unsigned kMostBlocksPerSm = 8;
constexpr unsigned kWaves = 4;  // the other grid tried: more blocks than fit at once
constexpr unsigned kSeed = 12345;

double mebibytes(size_t bytes) {
  return static_cast<double>(bytes) / (1024.0 * 1024.0);
}

tl::unexpected<Error> wrongResult(const std::string& kernel, std::uint64_t got, std::uint64_t expected) {
  return failure(
      ErrorKind::Internal, kernel,
      fmt::format("left a wrong result ({:#x} instead of {:#x}): the time means nothing", got, expected),
      "look for GPU memory errors with nvidia-smi -q -d ECC");
}

// At least 8 times the cache, so that what stays in it does not count; else as the plan allows.
Result<size_t> dramBytes(const Gpu& gpu, bool quick, size_t buffers) {
  const auto free_bytes = gpu.freeBytes();
  if (!free_bytes) return tl::unexpected(free_bytes.error());
  const size_t stride = strideBytes(gpu);
  const size_t least = 8 * static_cast<size_t>(gpu.facts().l2_bytes);
  const size_t wanted = std::max(least, (quick ? size_t{1} : size_t{4}) << 30U);
  const size_t most = *free_bytes / 10 * 9 / buffers;
  const size_t bytes = std::min(wanted, most) / stride * stride;
  if (bytes < least || bytes == 0) {
    return failure(
        ErrorKind::Unavailable, "GPU memory",
        fmt::format("only {:.0f} MiB are free, {:.0f} MiB a buffer are needed to outgrow the cache",
                    mebibytes(*free_bytes), mebibytes(least)),
        "end other programs on this GPU");
  }
  return bytes;
}

struct DramWork {
  Buffer from, to, sums;
  size_t bytes = 0;
  CuHandle kernel = nullptr;
  unsigned blocks = 0;
};

Result<DramWork> prepareDram(const Gpu& gpu, bool quick, const std::string& kind) {
  DramWork work;
  const auto kernel = gpu.kernel(kind == "read" ? "readSum" : kind == "write" ? "writePattern" : "copyQuads");
  if (!kernel) return tl::unexpected(kernel.error());
  work.kernel = *kernel;
  const auto blocks = coveringBlocks(gpu, work.kernel);
  if (!blocks) return tl::unexpected(blocks.error());
  work.blocks = *blocks;
  const auto bytes = dramBytes(gpu, quick, kind == "copy" ? 2 : 1);
  if (!bytes) return tl::unexpected(bytes.error());
  work.bytes = *bytes;
  auto from = gpu.allocate(work.bytes);
  auto sums = gpu.allocate(size_t{work.blocks} * kWaves * kBlockThreads * sizeof(unsigned));
  if (!from) return tl::unexpected(from.error());
  if (!sums) return tl::unexpected(sums.error());
  work.from = std::move(*from);
  work.sums = std::move(*sums);
  if (kind == "copy") {
    auto to = gpu.allocate(work.bytes);
    if (!to) return tl::unexpected(to.error());
    work.to = std::move(*to);
    auto cleared = gpu.check(gpu.driver().fillBytes(work.to.address(), 0, work.bytes), "cuMemsetD8");
    if (!cleared) return tl::unexpected(cleared.error());
  }
  if (kind != "write") {
    if (auto filled = writePattern(gpu, work.from.address(), work.bytes, kSeed); !filled)
      return tl::unexpected(filled.error());
  }
  return work;
}

// blocks 0 = the driver's own copy.
Status launchDram(const Gpu& gpu, DramWork& work, const std::string& kind, unsigned blocks) {
  if (blocks == 0) {
    return gpu.check(
        gpu.driver().copyOnDeviceAsync(work.to.address(), work.from.address(), work.bytes, gpu.stream()),
        "cuMemcpyDtoDAsync");
  }
  CuPointer from = work.from.address(), to = work.to.address(), sums = work.sums.address();
  std::uint64_t quads = work.bytes / kQuadBytes;
  unsigned seed = kSeed;
  if (kind == "read") return gpu.launch(work.kernel, blocks, {&from, &quads, &sums});
  if (kind == "write") return gpu.launch(work.kernel, blocks, {&from, &quads, &seed});
  return gpu.launch(work.kernel, blocks, {&from, &to, &quads});
}

Result<unsigned> sumOfWords(const Gpu& gpu, const Buffer& sums, size_t count) {
  std::vector<unsigned> parts(count);
  if (auto read = gpu.toHost(parts.data(), sums, count * sizeof(unsigned)); !read)
    return tl::unexpected(read.error());
  return std::accumulate(parts.begin(), parts.end(), 0U);
}

// What the last launch left, against the closed form of the pattern's sum.
Status verifyDram(const Gpu& gpu, const DramWork& work, const std::string& kind, unsigned blocks) {
  const unsigned expected = patternSum(work.bytes / sizeof(unsigned), kSeed);
  const auto got = kind == "read"
                       ? sumOfWords(gpu, work.sums, size_t{blocks} * kBlockThreads)
                       : sumOnGpu(gpu, kind == "copy" ? work.to.address() : work.from.address(), work.bytes);
  if (!got) return tl::unexpected(got.error());
  if (*got != expected) return wrongResult("DRAM " + kind, *got, expected);
  return {};
}

double bestRate(const Timing& timing) {
  return 1 / *std::min_element(timing.seconds_per_call.begin(), timing.seconds_per_call.end());
}

}  // namespace

size_t strideBytes(const Gpu& gpu) {
  // Four accesses of 16 bytes a thread, for the widest grid that is used.
  return size_t{kMostBlocksPerSm} * kWaves * static_cast<size_t>(gpu.facts().sm_count) * kBlockThreads * 4 *
         kQuadBytes;
}

Result<unsigned> coveringBlocks(const Gpu& gpu, CuHandle kernel) {
  const auto resident = gpu.residentBlocks(kernel);
  if (!resident) return tl::unexpected(resident.error());
  const auto sms = static_cast<unsigned>(gpu.facts().sm_count);
  unsigned per_sm = kMostBlocksPerSm;
  while (per_sm > 1 && per_sm * sms > *resident) per_sm /= 2;
  return per_sm * sms;
}

Status writePattern(const Gpu& gpu, CuPointer to, size_t bytes, unsigned seed) {
  const auto kernel = gpu.kernel("writePattern");
  if (!kernel) return tl::unexpected(kernel.error());
  std::uint64_t quads = bytes / kQuadBytes;
  return gpu.launch(*kernel, static_cast<unsigned>(gpu.facts().sm_count), {&to, &quads, &seed});
}

Result<unsigned> sumOnGpu(const Gpu& gpu, CuPointer from, size_t bytes) {
  const auto kernel = gpu.kernel("readSum");
  if (!kernel) return tl::unexpected(kernel.error());
  const auto blocks = static_cast<unsigned>(gpu.facts().sm_count);
  auto sums = gpu.allocate(size_t{blocks} * kBlockThreads * sizeof(unsigned));
  if (!sums) return tl::unexpected(sums.error());
  std::uint64_t quads = bytes / kQuadBytes;
  CuPointer to = sums->address();
  if (auto done = gpu.launch(*kernel, blocks, {&from, &quads, &to}); !done)
    return tl::unexpected(done.error());
  return sumOfWords(gpu, *sums, size_t{blocks} * kBlockThreads);
}

CalibrationValue dramBandwidth(const Gpu& gpu, const MeasureOptions& options, const std::string& kind) {
  const std::string id = "dram_" + kind;
  const std::string title = kind == "copy" ? "DRAM copy, bytes read + written" : "DRAM " + kind;
  auto work = prepareDram(gpu, options.quick, kind);
  if (!work) return notMeasured(id, title, "bytes/s", work.error().sentence());
  std::optional<Timing> best;
  std::string why;
  for (const unsigned waves : {1U, kWaves, 0U}) {
    if (waves == 0 && kind != "copy") continue;
    const unsigned blocks = work->blocks * waves;
    auto timing = gpu.time(options.plan(), [&] { return launchDram(gpu, *work, kind, blocks); });
    if (!timing) return notMeasured(id, title, "bytes/s", timing.error().sentence());
    if (auto right = verifyDram(gpu, *work, kind, blocks); !right)
      return notMeasured(id, title, "bytes/s", right.error().sentence());
    if (!best || bestRate(*timing) > bestRate(*best)) best = std::move(*timing);
  }
  const double moved = static_cast<double>(work->bytes) * (kind == "copy" ? 2 : 1);
  return valueOf(
      id, title, "bytes/s", moved, *best,
      fmt::format("buffers of {:.0f} MiB, {:.1f} times the L2 cache; contents checked",
                  mebibytes(work->bytes),
                  static_cast<double>(work->bytes) / std::max<double>(1, double(gpu.facts().l2_bytes))));
}

namespace {

struct CachedWork {
  Buffer data, sums;
  CuHandle kernel = nullptr;
  unsigned blocks = 0;
  int rounds = 0, passes = 0;
  size_t bytes = 0;
};

// A set of about a quarter of the cache: whole rounds of all threads.
Result<CachedWork> prepareL2(const Gpu& gpu, bool quick) {
  CachedWork work;
  const auto kernel = gpu.kernel("readL2Sum");
  if (!kernel) return tl::unexpected(kernel.error());
  work.kernel = *kernel;
  const auto blocks = coveringBlocks(gpu, work.kernel);
  if (!blocks) return tl::unexpected(blocks.error());
  work.blocks = *blocks;
  const size_t target = static_cast<size_t>(gpu.facts().l2_bytes) / 4;
  const auto round_bytes = [&] { return size_t{work.blocks} * kBlockThreads * kQuadBytes; };
  const auto sms = static_cast<unsigned>(gpu.facts().sm_count);
  while (work.blocks > sms && round_bytes() > target) work.blocks /= 2;
  if (round_bytes() > target) {
    return failure(ErrorKind::Unavailable, "L2 cache",
                   fmt::format("{:.1f} MiB are too few for {} SMs to read from", mebibytes(target * 4), sms));
  }
  work.rounds = static_cast<int>(target / round_bytes());
  work.bytes = static_cast<size_t>(work.rounds) * round_bytes();
  work.passes = quick ? 16 : 64;
  // The pattern is written in whole strides; only the first part is read.
  auto data = gpu.allocate((work.bytes / strideBytes(gpu) + 1) * strideBytes(gpu));
  auto sums = gpu.allocate(size_t{work.blocks} * kBlockThreads * sizeof(unsigned));
  if (!data) return tl::unexpected(data.error());
  if (!sums) return tl::unexpected(sums.error());
  work.data = std::move(*data);
  work.sums = std::move(*sums);
  if (auto filled = writePattern(gpu, work.data.address(), work.data.bytes(), kSeed); !filled)
    return tl::unexpected(filled.error());
  return work;
}

}  // namespace

CalibrationValue l2Bandwidth(const Gpu& gpu, const MeasureOptions& options) {
  const std::string id = "l2_read", title = "L2 cache read";
  auto work = prepareL2(gpu, options.quick);
  if (!work) return notMeasured(id, title, "bytes/s", work.error().sentence());
  const auto enqueue = [&] {
    CuPointer from = work->data.address(), to = work->sums.address();
    std::uint64_t quads = work->bytes / kQuadBytes;
    return gpu.launch(work->kernel, work->blocks, {&from, &quads, &work->rounds, &work->passes, &to});
  };
  const auto timing = gpu.time(options.plan(), enqueue);
  if (!timing) return notMeasured(id, title, "bytes/s", timing.error().sentence());
  const unsigned times = 4U * static_cast<unsigned>(work->passes);
  const unsigned expected = times * patternSum(work->bytes / sizeof(unsigned), kSeed);
  const auto got = sumOfWords(gpu, work->sums, size_t{work->blocks} * kBlockThreads);
  if (!got) return notMeasured(id, title, "bytes/s", got.error().sentence());
  if (*got != expected)
    return notMeasured(id, title, "bytes/s", wrongResult(title, *got, expected).value().sentence());
  return valueOf(id, title, "bytes/s", static_cast<double>(work->bytes) * times, *timing,
                 fmt::format("{:.1f} MiB, read {} times a call past the L1 cache; sum checked",
                             mebibytes(work->bytes), times));
}

CalibrationValue sharedBandwidth(const Gpu& gpu, const MeasureOptions& options) {
  const std::string id = "shared_read", title = "shared memory read";
  const auto kernel = gpu.kernel("readShared");
  if (!kernel) return notMeasured(id, title, "bytes/s", kernel.error().sentence());
  const auto blocks = gpu.residentBlocks(*kernel);
  if (!blocks) return notMeasured(id, title, "bytes/s", blocks.error().sentence());
  const size_t threads = size_t{*blocks} * kBlockThreads;
  const auto sums = gpu.allocate(threads * sizeof(unsigned));
  if (!sums) return notMeasured(id, title, "bytes/s", sums.error().sentence());
  int rounds = 4000;
  const auto timing = gpu.time(options.plan(), [&] {
    CuPointer to = sums->address();
    unsigned seed = kSeed;
    return gpu.launch(*kernel, *blocks, {&rounds, &seed, &to});
  });
  if (!timing) return notMeasured(id, title, "bytes/s", timing.error().sentence());
  std::vector<unsigned> results(threads);
  if (auto read = gpu.toHost(results.data(), *sums, threads * sizeof(unsigned)); !read)
    return notMeasured(id, title, "bytes/s", read.error().sentence());
  for (const size_t thread : {size_t{0}, threads / 2 + 77, threads - 1}) {
    const unsigned expected = sharedSum(static_cast<unsigned>(thread), rounds, kSeed);
    if (results[thread] != expected)
      return notMeasured(id, title, "bytes/s",
                         wrongResult(title, results[thread], expected).value().sentence());
  }
  const double moved = static_cast<double>(threads) * rounds * kSharedReads * kQuadBytes;
  return valueOf(id, title, "bytes/s", moved, *timing,
                 fmt::format("16-byte reads without bank conflicts, {} blocks of {} threads; sums checked",
                             *blocks, kBlockThreads));
}

}  // namespace perfscope::calibration
