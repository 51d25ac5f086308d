// Copies between host and GPU, and between GPUs.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "injector/calibration/arithmetic.h"
#include "injector/calibration/kernel_source.h"
#include "injector/calibration/measure.h"

namespace perfscope::calibration {
namespace {

constexpr size_t kCopyBytes = size_t{256} << 20U;
constexpr unsigned kSeed = 77;

// The copied size: whole strides, about 256 MiB.
size_t copyBytes(const Gpu& gpu) {
  return std::max<size_t>(1, kCopyBytes / strideBytes(gpu)) * strideBytes(gpu);
}

void fillOnHost(void* memory, size_t bytes) {
  auto* const words = static_cast<unsigned*>(memory);
  const auto count = static_cast<unsigned>(bytes / sizeof(unsigned));
  for (unsigned i = 0; i < count; ++i) words[i] = i * kWeyl + kSeed;
}

unsigned sumOnHost(const void* memory, size_t bytes) {
  const auto* const words = static_cast<const unsigned*>(memory);
  unsigned sum = 0;
  for (size_t i = 0; i < bytes / sizeof(unsigned); ++i) sum += words[i];
  return sum;
}

// The synchronous calls: pageable memory goes through the driver's own buffers on the calling thread.
Result<Timing> timePageable(const Gpu& gpu, int repetitions, const std::function<Status()>& copy) {
  using Clock = std::chrono::steady_clock;
  Timing timing;
  timing.calls = 1;
  for (int repetition = -1; repetition < repetitions; ++repetition) {  // the first warms up
    const auto begin = Clock::now();
    auto done = copy();
    if (done) done = gpu.synchronise();
    if (!done) return tl::unexpected(done.error());
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (repetition >= 0) timing.seconds_per_call.push_back(seconds);
  }
  auto sorted = timing.seconds_per_call;
  std::sort(sorted.begin(), sorted.end());
  timing.repetition_s = sorted[sorted.size() / 2];
  timing.clocks = gpu.clocks();
  return timing;
}

struct HostMemory {
  Buffer pinned;
  std::vector<char> pageable;
  void* address = nullptr;
};

Result<HostMemory> hostMemory(const Gpu& gpu, size_t bytes, bool is_pinned) {
  HostMemory memory;
  if (is_pinned) {
    auto pinned = gpu.allocatePinned(bytes);
    if (!pinned) return tl::unexpected(pinned.error());
    memory.pinned = std::move(*pinned);
    memory.address = memory.pinned.host();
  } else {
    memory.pageable.resize(bytes);
    memory.address = memory.pageable.data();
  }
  return memory;
}

Result<unsigned> arrivedSum(const Gpu& gpu, const Buffer& device, const void* host, size_t bytes,
                            bool to_device) {
  if (to_device) return sumOnGpu(gpu, device.address(), bytes);
  return sumOnHost(host, bytes);
}

}  // namespace

CalibrationValue hostCopy(const Gpu& gpu, const MeasureOptions& options, bool to_device, bool pinned) {
  const std::string id = fmt::format("{}_{}", to_device ? "h2d" : "d2h", pinned ? "pinned" : "pageable");
  const std::string title = fmt::format("{}, {} memory", to_device ? "host to GPU" : "GPU to host",
                                        pinned ? "page-locked" : "pageable");
  const auto absent = [&](const Error& error) { return notMeasured(id, title, "bytes/s", error.sentence()); };
  const size_t bytes = copyBytes(gpu);
  const auto device = gpu.allocate(bytes);
  if (!device) return absent(device.error());
  const auto host = hostMemory(gpu, bytes, pinned);
  if (!host) return absent(host.error());
  if (to_device) {
    fillOnHost(host->address, bytes);
  } else {
    std::memset(host->address, 0, bytes);
    if (auto filled = writePattern(gpu, device->address(), bytes, kSeed); !filled)
      return absent(filled.error());
    if (auto done = gpu.synchronise(); !done) return absent(done.error());
  }
  const CudaDriver& driver = gpu.driver();
  void* const memory = host->address;
  const CuPointer address = device->address();
  const auto copy = [&]() -> Status {
    if (pinned && to_device)
      return gpu.check(driver.copyToDeviceAsync(address, memory, bytes, gpu.stream()), "cuMemcpyHtoDAsync");
    if (pinned)
      return gpu.check(driver.copyToHostAsync(memory, address, bytes, gpu.stream()), "cuMemcpyDtoHAsync");
    if (to_device) return gpu.check(driver.copyToDevice(address, memory, bytes), "cuMemcpyHtoD");
    return gpu.check(driver.copyToHost(memory, address, bytes), "cuMemcpyDtoH");
  };
  const auto timing =
      pinned ? gpu.time(options.plan(), copy) : timePageable(gpu, options.plan().repetitions, copy);
  if (!timing) return absent(timing.error());
  const auto got = arrivedSum(gpu, *device, memory, bytes, to_device);
  if (!got) return absent(got.error());
  if (*got != patternSum(bytes / sizeof(unsigned), kSeed)) {
    return notMeasured(id, title, "bytes/s", "the copied bytes differ from what was sent");
  }
  return valueOf(id, title, "bytes/s", static_cast<double>(bytes), *timing,
                 fmt::format("{} MiB a copy; contents checked", bytes >> 20U));
}

CalibrationValue peerCopy(const Gpu& gpu, const Gpu& peer, const MeasureOptions& options) {
  const std::string id = "p2p:" + peer.facts().uuid;
  const std::string title = fmt::format("GPU {} to GPU {}", gpu.facts().ordinal, peer.facts().ordinal);
  const auto absent = [&](const Error& error) { return notMeasured(id, title, "bytes/s", error.sentence()); };
  const CudaDriver& driver = gpu.driver();
  int direct = 0;
  if (auto asked =
          gpu.check(driver.canAccessPeer(&direct, gpu.device(), peer.device()), "cuDeviceCanAccessPeer");
      !asked)
    return absent(asked.error());
  const size_t bytes = copyBytes(gpu) / strideBytes(peer) * strideBytes(peer);
  if (auto current = peer.makeCurrent(); !current) return absent(current.error());
  const auto to = peer.allocate(bytes);
  if (!to) return absent(to.error());
  if (auto current = gpu.makeCurrent(); !current) return absent(current.error());
  const auto from = gpu.allocate(copyBytes(gpu));
  if (!from) return absent(from.error());
  if (direct != 0) {
    const CuCode code = driver.enablePeer(peer.context(), 0);
    if (code != kCuErrorPeerAccessAlreadyEnabled) {
      if (auto enabled = gpu.check(code, "cuCtxEnablePeerAccess"); !enabled) return absent(enabled.error());
    }
  }
  if (auto filled = writePattern(gpu, from->address(), from->bytes(), kSeed); !filled)
    return absent(filled.error());
  const auto timing = gpu.time(options.plan(), [&] {
    return gpu.check(driver.copyPeerAsync(to->address(), peer.context(), from->address(), gpu.context(),
                                          bytes, gpu.stream()),
                     "cuMemcpyPeerAsync");
  });
  if (!timing) return absent(timing.error());
  if (auto current = peer.makeCurrent(); !current) return absent(current.error());
  const auto got = sumOnGpu(peer, to->address(), bytes);
  (void)gpu.makeCurrent();
  if (!got) return absent(got.error());
  if (*got != patternSum(bytes / sizeof(unsigned), kSeed))
    return notMeasured(id, title, "bytes/s", "the copied bytes differ from what was sent");
  return valueOf(id, title, "bytes/s", static_cast<double>(bytes), *timing,
                 fmt::format("{} MiB a copy, one direction, {}; contents checked", bytes >> 20U,
                             direct != 0 ? "directly between the GPUs" : "through host memory"));
}

}  // namespace perfscope::calibration
