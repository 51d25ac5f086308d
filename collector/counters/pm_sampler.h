// PM sampling of one GPU through CUPTI: configure, start, decode and evaluate, stop. No replay: the counters
// are read by the hardware at an interval while the program runs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collector/counters/metric_choice.h"
#include "collector/counters/profiler_host.h"

namespace perfscope::collector {

#if PERFSCOPE_PM_SAMPLING

// What a round of decoding cost and brought.
struct SamplerRound {
  size_t samples = 0;
  uint64_t busy_ns = 0;  // decoding and evaluation
  uint64_t lost_ns = 0;  // holes between consecutive samples
  bool overflow = false;
  CounterFailure failure;
};

// One thread uses it. CUDA must be initialised in the process; nothing here blocks the target's threads.
class PmSampler {
 public:
  using Take = std::function<void(uint64_t start_ns, uint64_t end_ns, std::span<const double> values)>;

  PmSampler(const ProfilerApi& api, size_t device)
      : m_api(&api), m_device(device), m_host(api, CUPTI_PROFILER_TYPE_PM_SAMPLING) {}
  ~PmSampler();
  PmSampler(const PmSampler&) = delete;
  PmSampler& operator=(const PmSampler&) = delete;

  // Chip, availability, choice of metrics. `wanted` as in chooseMetrics.
  CounterFailure prepare(const std::string& wanted);
  // Sampling with this interval, from start() on. May be called again (stopped) for another interval.
  CounterFailure configure(uint64_t interval_ns);
  CounterFailure start();
  CounterFailure stop();
  // Decodes what the hardware has gathered; each complete sample is handed to `take` with one value a metric,
  // in the order of choice(). Times are on CUPTI's clock. Ends when nothing is left or after `most_ns`.
  SamplerRound round(const Take& take, uint64_t most_ns);

  [[nodiscard]] const std::string& chip() const { return m_host.chip(); }
  [[nodiscard]] const MetricChoice& choice() const { return m_choice; }
  [[nodiscard]] bool running() const { return m_running; }

 private:
  CounterFailure readAvailability(std::vector<uint8_t>& image);
  CounterFailure disable();
  CounterFailure makeImage();
  void clearImage();
  void evaluate(size_t samples, const Take& take, SamplerRound& result);

  const ProfilerApi* m_api;
  size_t m_device;
  ProfilerHost m_host;
  MetricChoice m_choice;
  std::vector<double> m_values;
  CUpti_PmSampling_Object* m_sampling = nullptr;
  std::vector<uint8_t> m_image, m_empty_image;
  uint64_t m_interval_ns = 0;
  size_t m_evaluated = 0;      // samples of the image that were handed out
  uint64_t m_last_end_ns = 0;  // of the sample before; 0 = none since start
  bool m_running = false;
};

#endif

}  // namespace perfscope::collector
