// The sampling thread.
#include "injector/recorder/nvml_sampler.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <mutex>
#include <thread>
#include <utility>

namespace perfscope {
namespace {

constexpr auto kEarlyFor = std::chrono::seconds(5);  // without a watched GPU: then nobody will ask
constexpr size_t kMaxQueued = 100000;                // nobody takes them any more: stop collecting

// Value of a query with one output; nullopt when the function is missing or refuses.
template <class Value, class... Arguments, class... Given>
std::optional<int64_t> ask(NvmlCode (*function)(Arguments...), Given... given) {
  Value value{};
  if (function == nullptr || function(given..., &value) != 0) return std::nullopt;
  return static_cast<int64_t>(value);
}

uint64_t realtimeNs() {
  struct timespec now {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(now.tv_nsec);
}

NvmlSample sampleOf(const NvmlApi& nvml, NvmlDevice device, bool slow_too) {
  NvmlSample sample;
  const uint64_t before = realtimeNs();
  sample.sm_clock_mhz = ask<unsigned>(nvml.clock, device, kNvmlClockSm);
  sample.memory_clock_mhz = ask<unsigned>(nvml.clock, device, kNvmlClockMemory);
  sample.power_mw = ask<unsigned>(nvml.power, device);
  sample.throttle_reasons = ask<unsigned long long>(nvml.reasons, device);
  sample.energy_mj = ask<unsigned long long>(nvml.energy, device);
  sample.temperature_c = ask<unsigned>(nvml.temperature, device, kNvmlTemperatureGpu);
  sample.time_ns = before + (realtimeNs() - before) / 2;
  NvmlMemory memory{};
  if (nvml.memory != nullptr && nvml.memory(device, &memory) == 0)
    sample.memory_used_bytes = static_cast<int64_t>(memory.used);
  NvmlUtilization utilization{};
  if (nvml.utilization != nullptr && nvml.utilization(device, &utilization) == 0)
    sample.utilization_percent = utilization.gpu;
  if (slow_too) {
    // NVML measures over 20 ms and blocks meanwhile.
    sample.pcie_tx_kb_per_s = ask<unsigned>(nvml.pcie, device, kNvmlPcieTx);
    sample.pcie_rx_kb_per_s = ask<unsigned>(nvml.pcie, device, kNvmlPcieRx);
  }
  return sample;
}

}  // namespace

struct NvmlSampler::Impl {
  struct Watched {
    std::string uuid;
    NvmlDevice device = nullptr;  // nullptr: NVML does not know it
  };

  void run() {
    if (const int code = nvml.init(); code != 0) {
      const std::lock_guard lock(mutex);
      failure = "nvmlInit failed with code " + std::to_string(code);
      settled = true;
      return;
    }
    NvmlHostFacts found;
    std::array<char, 96> version{};
    if (nvml.driverVersion != nullptr && nvml.driverVersion(version.data(), version.size()) == 0)
      found.driver_version = version.data();
    int cuda = 0;
    if (nvml.cudaVersion != nullptr && nvml.cudaVersion(&cuda) == 0) found.cuda_driver_api = cuda;
    {
      const std::lock_guard lock(mutex);
      host = found;
    }
    loop();
    nvml.shutdown();
  }

  void loop() {
    const std::vector<Watched> all = allDevices();
    std::vector<Watched> devices;
    auto next = std::chrono::steady_clock::now();
    const auto early_until = next + kEarlyFor;
    for (uint64_t round = 0;; ++round) {
      std::vector<std::string> fresh;
      {
        std::unique_lock lock(mutex);
        wake.wait_until(lock, next, [&] { return stop || wanted.size() > devices.size(); });
        if (stop) return;
        fresh.assign(wanted.begin() + static_cast<std::ptrdiff_t>(devices.size()), wanted.end());
      }
      next = std::max(next, std::chrono::steady_clock::now()) + period;
      for (const auto& uuid : fresh) devices.push_back(open(uuid));
      if (!devices.empty()) {
        sampleAll(devices, round % slow_every == 0);
        const std::lock_guard lock(mutex);
        settled = true;
      } else if (std::chrono::steady_clock::now() < early_until) {
        sampleAll(all, false);
      }
    }
  }

  void sampleAll(const std::vector<Watched>& devices, bool slow_too) {
    for (const auto& watch : devices) {
      if (watch.device == nullptr) continue;
      NvmlSample sample = sampleOf(nvml, watch.device, slow_too);
      sample.uuid = watch.uuid;
      const std::lock_guard lock(mutex);
      if (samples.size() < kMaxQueued) samples.push_back(std::move(sample));
    }
  }

  [[nodiscard]] std::vector<Watched> allDevices() const {
    std::vector<Watched> all;
    unsigned count = 0;
    if (nvml.count == nullptr || nvml.byIndex == nullptr || nvml.uuid == nullptr || nvml.count(&count) != 0)
      return all;
    for (unsigned i = 0; i < count; ++i) {
      Watched watch;
      std::array<char, 96> text{};  // NVML_DEVICE_UUID_V2_BUFFER_SIZE
      if (nvml.byIndex(i, &watch.device) != 0 || nvml.uuid(watch.device, text.data(), text.size()) != 0)
        continue;
      watch.uuid = text.data();
      all.push_back(watch);
    }
    return all;
  }

  Watched open(const std::string& uuid) {
    Watched watch{uuid, nullptr};
    if (nvml.byUuid(uuid.c_str(), &watch.device) != 0) return {uuid, nullptr};
    NvmlDeviceFacts known;
    known.uuid = uuid;
    if (const auto limit_mw = ask<unsigned>(nvml.powerLimit, watch.device))
      known.power_limit_w = static_cast<double>(*limit_mw) / 1000.0;
    known.max_sm_clock_mhz = ask<unsigned>(nvml.maxClock, watch.device, kNvmlClockSm);
    const std::lock_guard lock(mutex);
    facts.push_back(known);
    return watch;
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    wake.notify_all();
    if (thread.joinable()) thread.join();
  }

  NvmlApi nvml;  // used by the thread only
  std::chrono::steady_clock::duration period{};
  uint64_t slow_every = 1;
  std::mutex mutex;  // guards what follows
  std::condition_variable wake;
  bool stop = false;
  bool settled = false;
  std::vector<std::string> wanted;
  std::vector<NvmlSample> samples;
  std::vector<NvmlDeviceFacts> facts;
  std::optional<NvmlHostFacts> host;
  std::optional<std::string> failure;
  std::thread thread;
};

NvmlSampler::NvmlSampler(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
NvmlSampler::~NvmlSampler() = default;

std::unique_ptr<NvmlSampler> NvmlSampler::start(double hz, std::string& why) {
  if (hz <= 0) {
    why = "switched off";
    return nullptr;
  }
  const auto api = openNvml();
  if (!api) {
    why = "libnvidia-ml.so.1 is not on this machine or too old";
    return nullptr;
  }
  return start(hz, *api);
}

std::unique_ptr<NvmlSampler> NvmlSampler::start(double hz, const NvmlApi& api) {
  auto impl = std::make_unique<Impl>();
  impl->nvml = api;
  impl->period = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(1.0 / std::min(hz, 1000.0)));
  impl->slow_every = static_cast<uint64_t>(std::max(1.0, hz));  // once a second
  // Signals of perfscope belong to its main thread, which passes them on.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  Impl* const worker = impl.get();
  impl->thread = std::thread([worker] { worker->run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return std::unique_ptr<NvmlSampler>(new NvmlSampler(std::move(impl)));
}

void NvmlSampler::watch(const std::string& uuid) {
  const std::lock_guard lock(m_impl->mutex);
  auto& wanted = m_impl->wanted;
  if (std::find(wanted.begin(), wanted.end(), uuid) == wanted.end()) {
    wanted.push_back(uuid);
    m_impl->settled = false;
    m_impl->wake.notify_all();
  }
}

bool NvmlSampler::settled() const {
  const std::lock_guard lock(m_impl->mutex);
  return m_impl->settled;
}

std::optional<NvmlHostFacts> NvmlSampler::takeHostFacts() {
  const std::lock_guard lock(m_impl->mutex);
  return std::exchange(m_impl->host, std::nullopt);
}

std::optional<std::string> NvmlSampler::takeFailure() {
  const std::lock_guard lock(m_impl->mutex);
  return std::exchange(m_impl->failure, std::nullopt);
}

std::vector<NvmlSample> NvmlSampler::takeSamples() {
  const std::lock_guard lock(m_impl->mutex);
  return std::exchange(m_impl->samples, {});
}

std::vector<NvmlDeviceFacts> NvmlSampler::takeFacts() {
  const std::lock_guard lock(m_impl->mutex);
  return std::exchange(m_impl->facts, {});
}

}  // namespace perfscope
