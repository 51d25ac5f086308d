// Measures attribution on made-up work: N kernels of 2 to 40 us in graphs and loose, M samples of 20 us, ten
// counters. Usage: attribution_bench [KERNELS [SAMPLES [SIGNATURES [ROLES]]]]; default 1000000 1000000
// 120 10. Target: 20 s.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "analysis/counters/attribution.h"

namespace {

using perfscope::Activity;
using perfscope::AttributionInput;
using perfscope::CounterRole;

uint64_t scrambled(uint64_t value) {
  value += 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  return value ^ (value >> 29);
}

constexpr CounterRole kRoles[] = {CounterRole::DramReadBytes,    CounterRole::DramWriteBytes,
                                  CounterRole::L2Bytes,          CounterRole::TensorActiveCycles,
                                  CounterRole::FmaInstructions,  CounterRole::AluInstructions,
                                  CounterRole::Fp64ActiveCycles, CounterRole::SmActiveCycles,
                                  CounterRole::Instructions,     CounterRole::WarpsActive};

void addActivities(int64_t kernels, int64_t span_ns, uint32_t signatures, AttributionInput& input) {
  input.columns = signatures;
  input.subjects.resize(signatures);
  for (uint32_t s = 0; s < signatures; ++s) input.subjects[s].parts = {{s, 0, 0}};
  const int64_t pitch = span_ns / kernels;
  input.activities.reserve(static_cast<size_t>(kernels));
  int64_t start = 0;
  for (int64_t i = 0; i < kernels; ++i) {
    const uint64_t r = scrambled(static_cast<uint64_t>(i));
    // Half the time a fixed sequence, half the time any order.
    const auto column = static_cast<uint32_t>((i / 5000) % 2 == 0 ? i % signatures : r % signatures);
    const int64_t duration = pitch / 4 + static_cast<int64_t>((column * 7919U + r % 300) % (pitch / 2));
    input.activities.push_back({start, start + duration, column});
    start += duration + static_cast<int64_t>(r / 1000 % static_cast<uint64_t>(pitch));
    auto& part = input.subjects[column].parts[0];
    part.ns += static_cast<double>(duration);
    part.launches += 1;
  }
}

void addSamples(int64_t samples, int64_t interval_ns, size_t roles, AttributionInput& input) {
  auto& set = input.sets.emplace_back();
  set.interval_ns = interval_ns;
  for (size_t r = 0; r < roles; ++r) {
    set.metrics.push_back({kRoles[r], "", std::vector<float>(static_cast<size_t>(samples)), 0});
  }
  for (int64_t i = 0; i < samples; ++i) {
    set.start_ns.push_back(i * interval_ns);
    set.duration_ns.push_back(interval_ns);
  }
  for (const Activity& activity : input.activities) {
    for (int64_t s = activity.start_ns / interval_ns; s <= activity.end_ns / interval_ns && s < samples;
         ++s) {
      const int64_t from = std::max(activity.start_ns, s * interval_ns);
      const int64_t to = std::min(activity.end_ns, (s + 1) * interval_ns);
      for (size_t r = 0; r < roles; ++r) {
        const auto rate = static_cast<double>(scrambled(activity.column * 16 + r) % 1000);
        set.metrics[r].values[static_cast<size_t>(s)] +=
            static_cast<float>(rate * static_cast<double>(to - from));
      }
    }
  }
  uint64_t noise = 1;
  for (auto& metric : set.metrics)
    for (float& value : metric.values)
      value *= 0.97F + 0.06F * static_cast<float>(scrambled(noise++) % 1000) / 1000.0F;
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t kernels = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  const int64_t samples = argc > 2 ? std::atoll(argv[2]) : 1'000'000;
  const auto signatures = static_cast<uint32_t>(argc > 3 ? std::atoi(argv[3]) : 120);
  const auto roles = static_cast<size_t>(argc > 4 ? std::atoi(argv[4]) : 10);
  constexpr int64_t kIntervalNs = 20'000;
  AttributionInput input;
  addActivities(kernels, samples * kIntervalNs, signatures, input);
  addSamples(samples, kIntervalNs, std::min(roles, std::size(kRoles)), input);
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const auto begin = std::chrono::steady_clock::now();
  const auto result = perfscope::attribute(input, {});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  getrusage(RUSAGE_SELF, &after);
  size_t known = 0;
  for (const auto& estimate : result.roles[0].subjects) known += estimate.has() ? 1 : 0;
  std::printf(
      "%lld kernels, %lld samples, %u signatures, %zu counters: %.2f s (%.1f s of processor), peak memory "
      "%.0f "
      "MiB, of it input %.0f MiB; skew %lld ns, %zu values known\n",
      static_cast<long long>(kernels), static_cast<long long>(samples), signatures, result.roles.size(),
      seconds,
      static_cast<double>(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
          static_cast<double>(after.ru_utime.tv_usec - before.ru_utime.tv_usec) / 1e6,
      static_cast<double>(after.ru_maxrss) / 1024, static_cast<double>(before.ru_maxrss) / 1024,
      static_cast<long long>(result.skew_ns), known);
  return 0;
}
