// Spreads the traffic of each launch over the samples it meets.
#include "tests/support/synthetic_counters.h"

#include <algorithm>
#include <cmath>

namespace perfscope::test {
namespace {

int64_t ns(double us) {
  return std::llround(us * 1000);
}

void spread(std::vector<double>& bins, double phase_us, double width_us, double start_us, double end_us,
            double amount) {
  if (end_us <= start_us) return;
  const auto first = static_cast<int64_t>(std::floor((start_us - phase_us) / width_us));
  const auto last = static_cast<int64_t>(std::floor((end_us - phase_us) / width_us));
  for (int64_t bin = std::max<int64_t>(first, 0); bin <= last && bin < std::ssize(bins); ++bin) {
    const double from = std::max(start_us, phase_us + static_cast<double>(bin) * width_us);
    const double to = std::min(end_us, phase_us + static_cast<double>(bin + 1) * width_us);
    if (to > from) bins[static_cast<size_t>(bin)] += amount * (to - from) / (end_us - start_us);
  }
}

}  // namespace

void addSamples(const std::vector<SyntheticKernel>& kinds, const Sampling& sampling, double bursts,
                uint64_t seed, AttributionInput& input) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> noise(0, sampling.noise);
  double first_us = 1e300, last_us = 0;
  for (const Activity& activity : input.activities) {
    first_us = std::min(first_us, static_cast<double>(activity.start_ns) / 1e3);
    last_us = std::max(last_us, static_cast<double>(activity.end_ns) / 1e3);
  }
  const double phase = first_us - 100 + sampling.phase_us;
  const auto count = static_cast<size_t>((last_us + 200 - phase) / sampling.interval_us);
  std::vector<double> read(count, sampling.background * sampling.interval_us), written(count, 0.0);
  for (const Activity& activity : input.activities) {
    const SyntheticKernel& kind = kinds[activity.column];
    const double start = static_cast<double>(activity.start_ns) / 1e3;
    const double end = static_cast<double>(activity.end_ns) / 1e3;
    const double in = kind.read_per_us * (end - start), out = kind.write_per_us * (end - start);
    const double quarter = start + (end - start) / 4;
    spread(read, phase, sampling.interval_us, start, end, in * (1 - bursts));
    spread(read, phase, sampling.interval_us, start, quarter, in * bursts);
    spread(written, phase, sampling.interval_us, start, end, out * (1 - kind.late_writes));
    spread(written, phase, sampling.interval_us, end, end + sampling.late_us, out * kind.late_writes);
  }
  SampleSet& set = input.sets.emplace_back();
  set.interval_ns = ns(sampling.interval_us);
  SampleMetric reads{CounterRole::DramReadBytes, "read", {}, 0};
  SampleMetric writes{CounterRole::DramWriteBytes, "write", {}, 0};
  for (size_t i = 0; i < count; ++i) {
    set.start_ns.push_back(ns(phase + static_cast<double>(i) * sampling.interval_us - sampling.skew_us));
    set.duration_ns.push_back(set.interval_ns);
    reads.values.push_back(static_cast<float>(std::max(0.0, read[i] * (1 + noise(random)))));
    writes.values.push_back(static_cast<float>(std::max(0.0, written[i] * (1 + noise(random)))));
  }
  set.metrics = {std::move(reads), std::move(writes)};
}

uint32_t SyntheticTrace::kernel(const SyntheticKernel& kernel) {
  m_kernels.push_back(kernel);
  m_read.push_back(0);
  m_written.push_back(0);
  return static_cast<uint32_t>(m_kernels.size() - 1);
}

void SyntheticTrace::launch(uint32_t kernel, double start_us, double us, double factor) {
  m_launches.push_back({kernel, start_us, us, factor});
  m_read[kernel] += m_kernels[kernel].read_per_us * us * factor;
  m_written[kernel] += m_kernels[kernel].write_per_us * us * factor;
  m_end_us = std::max(m_end_us, start_us + us);
}

AttributionInput SyntheticTrace::sampled(const Sampling& sampling) {
  const auto count = static_cast<size_t>((m_end_us + 500) / sampling.interval_us);
  std::vector<double> read(count, sampling.background * sampling.interval_us), written(count, 0.0);
  AttributionInput input;
  input.columns = m_kernels.size();
  input.subjects.resize(m_kernels.size());
  for (uint32_t k = 0; k < m_kernels.size(); ++k) input.subjects[k].parts = {{k, 0, 0}};
  for (const Launch& launch : m_launches) {
    const SyntheticKernel& kernel = m_kernels[launch.kernel];
    const double end = launch.start_us + launch.us;
    const double bytes = kernel.write_per_us * launch.us * launch.factor;
    spread(read, sampling.phase_us, sampling.interval_us, launch.start_us, end,
           kernel.read_per_us * launch.us * launch.factor);
    spread(written, sampling.phase_us, sampling.interval_us, launch.start_us, end,
           bytes * (1 - kernel.late_writes));
    spread(written, sampling.phase_us, sampling.interval_us, end, end + sampling.late_us,
           bytes * kernel.late_writes);
    const Activity activity{ns(launch.start_us), ns(end), launch.kernel};
    input.activities.push_back(activity);
    SubjectPart& part = input.subjects[launch.kernel].parts[0];
    part.ns += static_cast<double>(activity.end_ns - activity.start_ns);
    part.launches += 1;
  }
  std::sort(input.activities.begin(), input.activities.end(),
            [](const Activity& a, const Activity& b) { return a.start_ns < b.start_ns; });
  SampleSet& set = input.sets.emplace_back();
  set.interval_ns = ns(sampling.interval_us);
  SampleMetric reads{CounterRole::DramReadBytes, "read", {}, 0};
  SampleMetric writes{CounterRole::DramWriteBytes, "write", {}, 0};
  std::normal_distribution<> noise(0, sampling.noise);
  for (size_t i = 0; i < count; ++i) {
    const double start = sampling.phase_us + static_cast<double>(i) * sampling.interval_us;
    set.start_ns.push_back(ns(start - sampling.skew_us));
    set.duration_ns.push_back(set.interval_ns);
    const double extra = uniform(0, 1) < sampling.outlier_share ? sampling.outlier_bytes : 0;
    reads.values.push_back(static_cast<float>(std::max(0.0, read[i] * (1 + noise(m_random))) + extra));
    writes.values.push_back(static_cast<float>(std::max(0.0, written[i] * (1 + noise(m_random)))));
  }
  set.metrics = {std::move(reads), std::move(writes)};
  return input;
}

}  // namespace perfscope::test
