// The list of measurements and its order.
#include "injector/calibration/calibrate.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <memory>

#include "injector/calibration/kernel_source.h"
#include "injector/calibration/measure.h"
#include "injector/calibration/nvrtc.h"

namespace perfscope {
namespace {

using calibration::CudaDriver;
using calibration::Gpu;
using calibration::MeasureOptions;

struct Item {
  std::string id, title, unit;
  std::function<CalibrationValue(const Gpu& gpu)> measure;
};

std::vector<Item> items(const MeasureOptions& options, int driver_api) {
  namespace c = calibration;
  std::vector<Item> list;
  for (const char* const kind : {"host", "start_to_start", "round_trip"}) {
    list.push_back({fmt::format("launch_{}", kind), fmt::format("launch, {}", kind), "s",
                    [=](const Gpu& gpu) { return c::launchCost(gpu, options, kind); }});
  }
  for (const char* const kind : {"read", "write", "copy"}) {
    list.push_back({fmt::format("dram_{}", kind), fmt::format("DRAM {}", kind), "bytes/s",
                    [=](const Gpu& gpu) { return c::dramBandwidth(gpu, options, kind); }});
  }
  list.push_back(
      {"l2_read", "L2 cache", "bytes/s", [=](const Gpu& gpu) { return c::l2Bandwidth(gpu, options); }});
  list.push_back({"shared_read", "shared memory", "bytes/s",
                  [=](const Gpu& gpu) { return c::sharedBandwidth(gpu, options); }});
  for (const char* const precision : {"fp64", "fp32", "fp16", "int32"}) {
    list.push_back({precision, fmt::format("{} vector", precision), "FLOP/s",
                    [=](const Gpu& gpu) { return c::vectorPeak(gpu, options, precision); }});
  }
  for (const char* const precision :
       {"fp64_tensor", "tf32_tensor", "fp16_tensor", "bf16_tensor", "fp8_tensor", "int8_tensor"}) {
    list.push_back({precision, precision, "FLOP/s",
                    [=](const Gpu& gpu) { return c::tensorPeak(gpu, options, precision, driver_api); }});
  }
  for (const bool pinned : {true, false}) {
    for (const bool to_device : {true, false}) {
      list.push_back({fmt::format("{}_{}", to_device ? "h2d" : "d2h", pinned ? "pinned" : "pageable"),
                      to_device ? "host to GPU" : "GPU to host", "bytes/s",
                      [=](const Gpu& gpu) { return c::hostCopy(gpu, options, to_device, pinned); }});
    }
  }
  return list;
}

std::string utcNow() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

Calibration describe(const Gpu& gpu, const NvmlApi* nvml, int driver_api, bool quick) {
  Calibration result;
  result.device_name = gpu.facts().name;
  result.uuid = gpu.facts().uuid;
  result.compute_capability = fmt::format("{}.{}", gpu.facts().major, gpu.facts().minor);
  result.cuda_driver_api = fmt::format("{}.{}", driver_api / 1000, driver_api % 1000 / 10);
  result.date = utcNow();
  result.perfscope_version = PERFSCOPE_VERSION;
  result.sm_count = gpu.facts().sm_count;
  result.l2_bytes = gpu.facts().l2_bytes;
  result.quick = quick;
  result.max_sm_clock_mhz = gpu.maxSmClockMhz();
  result.power_limit_w = gpu.powerLimitW();
  char version[96] = {};
  if (nvml != nullptr && nvml->driverVersion != nullptr &&
      nvml->driverVersion(version, sizeof version) == 0) {
    result.driver_version = version;
  }
  return result;
}

// NVML for the time of the calibration.
struct Nvml {
  std::optional<NvmlApi> api = openNvml();
  bool started = false;
  Nvml() { started = api && api->init() == 0; }
  ~Nvml() {
    if (started) api->shutdown();
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  [[nodiscard]] const NvmlApi* get() const { return started ? &*api : nullptr; }
};

Result<std::vector<int>> wantedDevices(const CudaDriver& driver, int wanted, bool only_one) {
  int count = 0;
  if (auto init = calibration::check(driver, driver.init(0), "cuInit"); !init)
    return tl::unexpected(init.error());
  if (auto asked = calibration::check(driver, driver.deviceCount(&count), "cuDeviceGetCount"); !asked)
    return tl::unexpected(asked.error());
  if (count == 0)
    return failure(ErrorKind::Unavailable, "calibrate", "the driver shows no GPU",
                   "look at CUDA_VISIBLE_DEVICES");
  if (wanted >= count)
    return failure(ErrorKind::Usage, "--device",
                   fmt::format("there is no GPU {}; this machine shows {}", wanted, count),
                   "count from 0, or leave it out to calibrate all");
  if (wanted < 0 && count > 1 && only_one)
    return failure(ErrorKind::Usage, "-o", fmt::format("one file is for one GPU, and there are {}", count),
                   "name one with --device N, or leave -o out");
  std::vector<int> list;
  for (int i = 0; i < count; ++i) {
    if (wanted < 0 || wanted == i) list.push_back(i);
  }
  return list;
}

class Session {
 public:
  Session(const CalibrateOptions& options, const CudaDriver& driver, int driver_api)
      : m_options(options),
        m_driver(driver),
        m_driver_api(driver_api),
        m_nvrtc(calibration::Nvrtc::open(driver_api)) {}

  Result<Calibration> one(int ordinal) {
    auto gpu = Gpu::open(m_driver, ordinal, m_nvml.get());
    if (!gpu) return tl::unexpected(gpu.error());
    const auto begin = std::chrono::steady_clock::now();
    Calibration result = describe(**gpu, m_nvml.get(), m_driver_api, m_options.quick);
    const std::string no_kernels = giveKernels(**gpu);
    const auto list = items({m_options.quick}, m_driver_api);
    for (const Item& item : list) {
      if (m_options.progress) m_options.progress(ordinal, item.title, result.values.size(), list.size());
      if (!no_kernels.empty()) {
        result.values.push_back(calibration::notMeasured(item.id, item.title, item.unit, no_kernels));
      } else if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() >
                 m_options.budget_s) {
        result.values.push_back(calibration::notMeasured(
            item.id, item.title, item.unit,
            fmt::format("the {:.0f} s for one GPU were used up", m_options.budget_s)));
      } else {
        result.values.push_back(item.measure(**gpu));
      }
    }
    return result;
  }

  // Copies from each GPU to each other one, added to the values of the first.
  void peers(const std::vector<int>& ordinals, std::vector<Calibration>& results) {
    for (size_t from = 0; from < results.size(); ++from) {
      for (size_t to = 0; to < results.size(); ++to) {
        if (from != to) results[from].values.push_back(peer(ordinals[from], ordinals[to], results[to].uuid));
      }
    }
  }

 private:
  // Kernels for this GPU, compiled once a generation; else why not: the values that need one carry the
  // reason.
  std::string giveKernels(Gpu& gpu) {
    if (!m_nvrtc) return m_nvrtc.error().sentence();
    const int capability = gpu.facts().capability();
    auto found = m_code.find(capability);
    if (found == m_code.end()) {
      auto code = m_nvrtc->compile(calibration::kernelSource(), capability);
      if (!code) return code.error().sentence();
      found = m_code.emplace(capability, std::move(*code)).first;
    }
    const auto loaded = gpu.loadKernels(found->second.image);
    return loaded ? std::string() : loaded.error().sentence();
  }

  CalibrationValue peer(int from, int to, const std::string& uuid) {
    const std::string title = fmt::format("GPU {} to GPU {}", from, to);
    if (m_options.progress) m_options.progress(from, title, 0, 1);
    const auto absent = [&](const std::string& why) {
      return calibration::notMeasured("p2p:" + uuid, title, "bytes/s", why);
    };
    auto peer = Gpu::open(m_driver, to, m_nvml.get());
    if (!peer) return absent(peer.error().sentence());
    if (const auto why = giveKernels(**peer); !why.empty()) return absent(why);
    auto gpu = Gpu::open(m_driver, from, m_nvml.get());
    if (!gpu) return absent(gpu.error().sentence());
    if (const auto why = giveKernels(**gpu); !why.empty()) return absent(why);
    return calibration::peerCopy(**gpu, **peer, {m_options.quick});
  }

  const CalibrateOptions& m_options;
  const CudaDriver& m_driver;
  int m_driver_api;
  Result<calibration::Nvrtc> m_nvrtc;
  std::map<int, calibration::CompiledCode> m_code;  // by compute capability
  Nvml m_nvml;
};

}  // namespace

Result<std::vector<Calibration>> calibrate(const CalibrateOptions& options) {
  const auto driver = calibration::openCudaDriver();
  if (!driver) return tl::unexpected(driver.error());
  const auto ordinals = wantedDevices(*driver, options.device, options.only_one);
  if (!ordinals) return tl::unexpected(ordinals.error());
  int driver_api = 0;
  driver->driverVersion(&driver_api);
  Session session(options, *driver, driver_api);
  std::vector<Calibration> results;
  for (const int ordinal : *ordinals) {
    auto one = session.one(ordinal);
    if (!one) return tl::unexpected(one.error());
    results.push_back(std::move(*one));
  }
  session.peers(*ordinals, results);
  return results;
}

}  // namespace perfscope
