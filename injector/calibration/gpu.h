// One GPU in the hands of calibration: context, stream, events, compiled kernels, buffers, and the clock that
// everything is timed with. Used by one thread; the context is current on it while a call runs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "injector/calibration/cuda_driver.h"
#include "injector/recorder/nvml_api.h"
#include "schemas/calibration.h"
#include "schemas/result.h"

namespace perfscope::calibration {

class Gpu;

// Memory on the GPU, or page-locked memory of the host; freed with the object, which must not outlive its
// Gpu.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  [[nodiscard]] CuPointer address() const { return m_address; }
  [[nodiscard]] void* host() const { return m_host; }
  [[nodiscard]] size_t bytes() const { return m_bytes; }

 private:
  friend class Gpu;
  const Gpu* m_gpu = nullptr;
  CuPointer m_address = 0;
  void* m_host = nullptr;
  size_t m_bytes = 0;
};

struct GpuFacts {
  std::string name, uuid;
  int ordinal = 0;
  int major = 0, minor = 0;
  int sm_count = 0;
  std::int64_t l2_bytes = 0;
  [[nodiscard]] int capability() const { return major * 10 + minor; }
};

// How a value is timed.
struct TimingPlan {
  int repetitions = 7;
  double repetition_s = 0.02;  // wished for; a repetition is as many calls as that takes
  double warm_up_s = 0.05;
  int most_calls = 20000;  // of one repetition
};

struct Timing {
  std::vector<double> seconds_per_call;  // one entry a repetition
  double repetition_s = 0;               // median length of a repetition
  int calls = 0;                         // of a repetition
  CalibrationClocks clocks;              // median over the repetitions, read while the GPU worked
};

// Events tell half a microsecond; below this a repetition proves nothing.
inline constexpr double kLeastRepetitionS = 1e-3;

class Gpu {
 public:
  // Makes the primary context current and a stream with two events. `nvml` may be null; it outlives the Gpu.
  static Result<std::unique_ptr<Gpu>> open(const CudaDriver& driver, int ordinal, const NvmlApi* nvml);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  [[nodiscard]] const GpuFacts& facts() const { return m_facts; }
  [[nodiscard]] const CudaDriver& driver() const { return m_driver; }
  [[nodiscard]] CuHandle stream() const { return m_stream; }
  [[nodiscard]] CuHandle context() const { return m_context; }
  [[nodiscard]] CuDevice device() const { return m_device; }
  [[nodiscard]] CalibrationClocks clocks() const;
  [[nodiscard]] std::optional<double> maxSmClockMhz() const;
  [[nodiscard]] std::optional<double> powerLimitW() const;

  Status makeCurrent() const;
  Status loadKernels(const std::vector<char>& image);
  Result<CuHandle> kernel(const std::string& name) const;
  // Blocks of kBlockThreads that run at once on the whole GPU.
  Result<unsigned> residentBlocks(CuHandle kernel) const;
  Result<size_t> freeBytes() const;

  Result<Buffer> allocate(size_t bytes) const;
  Result<Buffer> allocatePinned(size_t bytes) const;
  Status launch(CuHandle kernel, unsigned blocks, std::vector<void*> parameters) const;
  Status synchronise() const;
  Status toHost(void* to, const Buffer& from, size_t bytes) const;
  Status toDevice(const Buffer& to, const void* from, size_t bytes) const;

  // Repetitions of as many `enqueue` calls as the plan's time takes, each between two events on the stream;
  // the clocks are read while they run. Error: that of a call, or Unavailable when a repetition stays shorter
  // than kLeastRepetitionS.
  Result<Timing> time(const TimingPlan& plan, const std::function<Status()>& enqueue) const;

  Status check(CuCode code, const std::string& call) const;

 private:
  Gpu(const CudaDriver& driver, const NvmlApi* nvml) : m_driver(driver), m_nvml(nvml) {}
  Status readFacts(int ordinal);
  Result<double> elapsed(int calls, const std::function<Status()>& enqueue, CalibrationClocks* clocks) const;

  const CudaDriver& m_driver;
  const NvmlApi* m_nvml = nullptr;
  NvmlDevice m_nvml_device = nullptr;
  GpuFacts m_facts;
  CuDevice m_device = 0;
  CuHandle m_context = nullptr, m_stream = nullptr, m_begin = nullptr, m_end = nullptr, m_module = nullptr;
};

}  // namespace perfscope::calibration
