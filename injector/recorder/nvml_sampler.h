// Clocks, power, temperature, throttle reasons, energy and PCIe of the GPUs in use, from NVML in a thread of
// its own: some NVML calls take 20 ms and must not hold up the recorder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "injector/recorder/nvml_api.h"

namespace perfscope {

// nullopt = not offered by this GPU or driver.
struct NvmlSample {
  std::string uuid;
  uint64_t time_ns = 0;  // CLOCK_REALTIME, middle of the queries
  std::optional<int64_t> sm_clock_mhz, memory_clock_mhz, power_mw, temperature_c, throttle_reasons, energy_mj,
      utilization_percent, memory_used_bytes, pcie_tx_kb_per_s, pcie_rx_kb_per_s;
};

struct NvmlDeviceFacts {
  std::string uuid;
  std::optional<double> power_limit_w;
  std::optional<int64_t> max_sm_clock_mhz;
};

struct NvmlHostFacts {
  std::string driver_version;
  int64_t cuda_driver_api = 0;  // 13000 = CUDA 13.0; 0 unknown
};

class NvmlSampler {
 public:
  // nullptr with the reason in `why` when there is no NVML library or hz is 0. NVML itself starts in the
  // thread (seconds on a machine with many idle GPUs).
  static std::unique_ptr<NvmlSampler> start(double hz, std::string& why);
  static std::unique_ptr<NvmlSampler> start(double hz, const NvmlApi& api);  // hz > 0
  ~NvmlSampler();                                                            // stops the thread
  NvmlSampler(const NvmlSampler&) = delete;
  NvmlSampler& operator=(const NvmlSampler&) = delete;

  // From now on this GPU is sampled, and only those that are watched: until the first call all GPUs of the
  // machine are, because a process's devices are known 250 ms after it began, and it may be over by then.
  // Called from the recorder's thread, any number of times.
  void watch(const std::string& uuid);
  // What became known since the last call.
  std::vector<NvmlSample> takeSamples();
  std::vector<NvmlDeviceFacts> takeFacts();
  std::optional<NvmlHostFacts> takeHostFacts();
  std::optional<std::string> takeFailure();  // NVML does not start: why
  // Every watched GPU has been sampled once, or NVML does not start.
  [[nodiscard]] bool settled() const;

 private:
  struct Impl;
  explicit NvmlSampler(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> m_impl;
};

}  // namespace perfscope
