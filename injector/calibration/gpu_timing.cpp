// Timing with events, and the clocks meanwhile.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "injector/calibration/gpu.h"

namespace perfscope::calibration {
namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<double> medianOf(const std::vector<CalibrationClocks>& samples,
                               std::optional<double> CalibrationClocks::*member) {
  std::vector<double> values;
  for (const auto& sample : samples) {
    if (sample.*member) values.push_back(*(sample.*member));
  }
  if (values.empty()) return std::nullopt;
  return median(std::move(values));
}

}  // namespace

CalibrationClocks Gpu::clocks() const {
  CalibrationClocks clocks;
  if (m_nvml == nullptr || m_nvml_device == nullptr) return clocks;
  unsigned value = 0;
  if (m_nvml->clock != nullptr && m_nvml->clock(m_nvml_device, kNvmlClockSm, &value) == 0)
    clocks.sm_clock_mhz = value;
  if (m_nvml->clock != nullptr && m_nvml->clock(m_nvml_device, kNvmlClockMemory, &value) == 0)
    clocks.memory_clock_mhz = value;
  if (m_nvml->power != nullptr && m_nvml->power(m_nvml_device, &value) == 0) clocks.power_w = value / 1e3;
  if (m_nvml->temperature != nullptr && m_nvml->temperature(m_nvml_device, kNvmlTemperatureGpu, &value) == 0)
    clocks.temperature_c = value;
  return clocks;
}

std::optional<double> Gpu::maxSmClockMhz() const {
  unsigned value = 0;
  if (m_nvml_device == nullptr || m_nvml->maxClock == nullptr) return std::nullopt;
  if (m_nvml->maxClock(m_nvml_device, kNvmlClockSm, &value) != 0) return std::nullopt;
  return value;
}

std::optional<double> Gpu::powerLimitW() const {
  unsigned value = 0;
  if (m_nvml_device == nullptr || m_nvml->powerLimit == nullptr) return std::nullopt;
  if (m_nvml->powerLimit(m_nvml_device, &value) != 0) return std::nullopt;
  return value / 1e3;
}

Result<double> Gpu::elapsed(int calls, const std::function<Status()>& enqueue,
                            CalibrationClocks* clocks) const {
  auto done = check(m_driver.eventRecord(m_begin, m_stream), "cuEventRecord");
  for (int call = 0; call < calls && done; ++call) done = enqueue();
  if (done) done = check(m_driver.eventRecord(m_end, m_stream), "cuEventRecord");
  if (done && clocks != nullptr) *clocks = this->clocks();
  if (done) done = check(m_driver.eventSynchronize(m_end), "cuEventSynchronize");
  float milliseconds = 0;
  if (done) done = check(m_driver.eventElapsed(&milliseconds, m_begin, m_end), "cuEventElapsedTime");
  if (!done) return tl::unexpected(done.error());
  return static_cast<double>(milliseconds) * 1e-3;
}

Result<Timing> Gpu::time(const TimingPlan& plan, const std::function<Status()>& enqueue) const {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto warmed = [&] {
    return std::chrono::duration<double>(Clock::now() - begin).count() >= plan.warm_up_s;
  };
  // The first call loads code and would make the work look longer than it is.
  auto first = enqueue();
  if (first) first = synchronise();
  if (!first) return tl::unexpected(first.error());
  // Doubles until a repetition is long enough to work out how many calls the wished time takes.
  int calls = 1;
  double per_call = 0;
  while (true) {
    const auto seconds = elapsed(calls, enqueue, nullptr);
    if (!seconds) return tl::unexpected(seconds.error());
    per_call = *seconds / calls;
    if (*seconds >= plan.repetition_s / 4 || calls >= plan.most_calls) {
      if (warmed()) break;
    } else {
      calls = std::min(calls * 2, plan.most_calls);
    }
  }
  if (!(per_call > 0)) return failure(ErrorKind::Unavailable, "timing", "the events tell no time");
  calls = static_cast<int>(std::clamp(std::ceil(plan.repetition_s / per_call), 1.0, double(plan.most_calls)));
  Timing timing;
  timing.calls = calls;
  std::vector<double> lengths;
  std::vector<CalibrationClocks> samples;
  for (int repetition = 0; repetition < plan.repetitions; ++repetition) {
    CalibrationClocks sample;
    const auto seconds = elapsed(calls, enqueue, &sample);
    if (!seconds) return tl::unexpected(seconds.error());
    lengths.push_back(*seconds);
    samples.push_back(sample);
    timing.seconds_per_call.push_back(*seconds / calls);
  }
  timing.repetition_s = median(lengths);
  if (timing.repetition_s < kLeastRepetitionS) {
    return failure(ErrorKind::Unavailable, "timing",
                   fmt::format("a repetition took {:.3f} ms, too short for the resolution of events",
                               timing.repetition_s * 1e3));
  }
  timing.clocks = {medianOf(samples, &CalibrationClocks::sm_clock_mhz),
                   medianOf(samples, &CalibrationClocks::memory_clock_mhz),
                   medianOf(samples, &CalibrationClocks::power_w),
                   medianOf(samples, &CalibrationClocks::temperature_c)};
  return timing;
}

}  // namespace perfscope::calibration
