// The sampling interval: as asked for, or the shortest with which evaluation keeps up. Pure.
#pragma once

#include <array>
#include <cstdint>

namespace perfscope::collector {

// Intervals that are tried, in ns. Decoding and evaluation cost 5 us a sample with two DRAM metrics and 75 us
// with ten metrics of which four are per SM (H200, one thread): hence the wide range, and two places to
// begin.
inline constexpr std::array<uint64_t, 8> kIntervalsNs = {20'000,  50'000,    100'000,   200'000,
                                                         500'000, 1'000'000, 2'000'000, 5'000'000};
// Evaluation may take this share of the time, so that a slow moment does not overflow the hardware's buffer.
inline constexpr double kBusyShareAtMost = 0.75;

class SamplingPlan {
 public:
  explicit SamplingPlan(uint64_t wanted_ns)
      : m_fixed(wanted_ns != 0), m_interval_ns(m_fixed ? wanted_ns : 20'000) {}

  // Where to begin: changing the interval later costs a pause of 200 ms in the samples.
  void beginWith(bool per_sm_metrics) {
    if (!m_fixed) m_interval_ns = per_sm_metrics ? 100'000 : 20'000;
  }

  [[nodiscard]] uint64_t intervalNs() const { return m_interval_ns; }
  [[nodiscard]] bool fixed() const { return m_fixed; }

  // What evaluation has cost lately. True: the interval was raised and sampling must be configured anew. A
  // fixed interval is raised on overflow only: what the user asked for is kept as long as the hardware can.
  bool adapt(uint64_t samples, uint64_t busy_ns, bool overflow) {
    m_samples += samples;
    m_busy_ns += busy_ns;
    if (!overflow && (m_fixed || m_samples < kSamplesToJudge)) return false;
    const double cost_ns =
        m_samples == 0 ? 0 : static_cast<double>(m_busy_ns) / static_cast<double>(m_samples);
    m_samples = m_busy_ns = 0;
    for (const uint64_t candidate : kIntervalsNs) {
      const bool longer = candidate > m_interval_ns;
      const bool keeps_up = cost_ns <= kBusyShareAtMost * static_cast<double>(candidate);
      if (overflow ? longer && keeps_up : candidate >= m_interval_ns && keeps_up) {
        const bool raised = longer;
        m_interval_ns = candidate;
        return raised;
      }
    }
    return false;
  }

 private:
  static constexpr uint64_t kSamplesToJudge = 1000;
  bool m_fixed;
  uint64_t m_interval_ns;
  uint64_t m_samples = 0, m_busy_ns = 0;
};

}  // namespace perfscope::collector
