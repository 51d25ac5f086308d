// Made-up GPU work with known traffic, and the counter samples it would give: golden cases for attribution.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "analysis/counters/attribution.h"

namespace perfscope::test {

struct SyntheticKernel {
  double read_per_us = 0, write_per_us = 0;  // bytes
  double late_writes = 0;  // fraction of what it writes that reaches the memory only after its end
};

struct Sampling {
  double interval_us = 20;
  double skew_us = 0;        // samples carry times so much too early
  double noise = 0.01;       // standard deviation, relative to the amount
  double background = 0;     // bytes per us, always
  double late_us = 20;       // late writes come evenly within this time
  double outlier_share = 0;  // of the samples; each gets outlier_bytes more
  double outlier_bytes = 0;
  double phase_us = 0;  // of the first sample
};

// Samples of what `input` did, one kernel kind a column, every launch at the rates of its kind; `bursts` 0..1
// moves that part of what a launch reads into its first quarter. From the first to the last activity.
void addSamples(const std::vector<SyntheticKernel>& kinds, const Sampling& sampling, double bursts,
                uint64_t seed, AttributionInput& input);

// Times in us from 0. Owner: one thread. Same seed, same trace.
class SyntheticTrace {
 public:
  explicit SyntheticTrace(uint64_t seed) : m_random(seed) {}

  uint32_t kernel(const SyntheticKernel& kernel);
  // `factor`: its traffic differs from the usual by so much.
  void launch(uint32_t kernel, double start_us, double us, double factor = 1);
  double uniform(double from, double to) { return std::uniform_real_distribution<>(from, to)(m_random); }
  [[nodiscard]] double endUs() const { return m_end_us; }

  // Roles DramReadBytes and DramWriteBytes; one subject a kernel.
  [[nodiscard]] AttributionInput sampled(const Sampling& sampling);
  // What attribution should find, over all launches.
  [[nodiscard]] double read(uint32_t kernel) const { return m_read[kernel]; }
  [[nodiscard]] double written(uint32_t kernel) const { return m_written[kernel]; }

 private:
  struct Launch {
    uint32_t kernel;
    double start_us, us, factor;
  };
  std::mt19937_64 m_random;
  std::vector<SyntheticKernel> m_kernels;
  std::vector<Launch> m_launches;
  std::vector<double> m_read, m_written;
  double m_end_us = 0;
};

}  // namespace perfscope::test
