// See the header.
#include "analysis/counters/role_fit.h"

#include <algorithm>
#include <cmath>

#include "analysis/counters/noise.h"

namespace perfscope {
namespace {

constexpr size_t kStretchesPerSegment = 24;
constexpr size_t kLeastStretch = 4;

uint64_t scrambled(uint64_t value) {  // splitmix64, S. Vigna
  value += 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31);
}

double predicted(const SampleRow& row, const std::vector<double>& rates) {
  double sum = 0;
  for (const uint32_t column : row.touched) sum += row.overlap_us[column] * rates[column];
  return sum;
}

// Walks the samples that have a value of the role: visit(row, value).
template <class Wanted, class Visit>
void walk(const AttributionInput& input, const RowShape& shape, CounterRole role, Wanted&& wanted,
          Visit&& visit) {
  std::vector<const SampleMetric*> metric;
  for (const SampleSet& set : input.sets) metric.push_back(set.find(role));
  const auto has_value = [&](size_t set, size_t index) {
    return metric[set] != nullptr && !std::isnan(metric[set]->values[index]) && wanted(set, index);
  };
  SampleSweep sweep(input.activities, shape);
  sweep.run(input.sets, input.excluded, has_value, [&](const SampleRow& row) {
    visit(row, static_cast<double>(metric[row.set]->values[row.index]));
  });
}

std::vector<double> solveOn(const AttributionInput& input, const SampleSubset& subset, const RowShape& shape,
                            CounterRole role) {
  NormalEquations sums(shape.columns(), 1);
  walk(input, shape, role, subset,
       [&](const SampleRow& row, double value) { sums.add(row, &value, 1.0 / row.duration_us); });
  FreeColumns free(shape.columns(), 1);
  return solveNonNegative(sums, 0, free);
}

std::vector<double> shifted(const AttributionInput& input, const SampleSubset& subset, RowShape shape,
                            CounterRole role, int64_t by_ns, const std::vector<double>& from) {
  shape.skew_ns += by_ns;
  std::vector<double> change = solveOn(input, subset, shape, role);
  for (size_t i = 0; i < change.size(); ++i) change[i] -= from[i];
  return change;
}

// First solution and scatter on the subset.
NoiseModel noiseOf(const AttributionInput& input, const SampleSubset& subset, const RowShape& shape,
                   CounterRole role, std::vector<double>& rates) {
  rates = solveOn(input, subset, shape, role);
  NoiseModel noise;
  walk(input, shape, role, subset, [&](const SampleRow& row, double value) {
    const double expected = predicted(row, rates);
    noise.add(expected / row.duration_us, (value - expected) / std::sqrt(row.duration_us));
  });
  noise.build();
  return noise;
}

struct Segments {
  std::vector<NormalEquations> sums;
  std::vector<size_t> first_sample;  // of each set, counted through all sets
  size_t total = 0, stretch = 1;

  Segments(const AttributionInput& input, size_t columns) : sums(kSegments, NormalEquations(columns, 1)) {
    for (const SampleSet& set : input.sets) {
      first_sample.push_back(total);
      total += set.size();
    }
    stretch = std::max(kLeastStretch, total / (kSegments * kStretchesPerSegment));
  }
  NormalEquations& of(const SampleRow& row) {
    const size_t at = first_sample[row.set] + row.index;
    const size_t half = at * 2 >= total ? kSegments / 2 : 0;
    return sums[half + scrambled(at / stretch) % (kSegments / 2)];
  }
};

NormalEquations sumOf(const std::vector<NormalEquations>& parts, size_t begin, size_t end) {
  NormalEquations sum(parts[0].columns, 1);
  for (size_t i = begin; i < end; ++i) sum.addScaled(parts[i], 1);
  return sum;
}

void bootstrap(const Segments& segments, const FreeColumns& warm, int resamples, RoleFit& fit) {
  uint64_t state = 1;
  std::vector<int> drawn(kSegments);
  for (int b = 0; b < resamples; ++b) {
    std::fill(drawn.begin(), drawn.end(), 0);
    for (size_t i = 0; i < kSegments; ++i) ++drawn[scrambled(state++) % kSegments];
    NormalEquations sum(fit.shape.columns(), 1);
    for (size_t i = 0; i < kSegments; ++i)
      if (drawn[i] > 0) sum.addScaled(segments.sums[i], drawn[i]);
    FreeColumns free = warm;
    fit.resampled.push_back(solveNonNegative(sum, 0, free));
  }
}

// Covariance of the unconstrained rates over the columns that are free or could well be.
void addCovariance(const NormalEquations& all, const FreeColumns& free, RoleFit& fit) {
  const double used = static_cast<double>(std::count(free.begin(), free.end(), uint8_t{1}));
  const double variance = all.residual(fit.rates, 0) / std::max(1.0, static_cast<double>(all.rows) - used);
  const std::vector<double> slope = all.gradient(fit.rates, 0);
  FreeColumns open = free;
  for (size_t i = 0; i < open.size(); ++i) {
    const double spread = std::sqrt(variance * all.ata[i * all.columns + i]);
    if (slope[i] > -2 * spread) open[i] = 1;
  }
  fit.covariance = inverseOver(all, open);
  for (double& entry : fit.covariance) entry *= variance;
}

}  // namespace

RoleFit fitRole(const AttributionInput& input, const SampleSubset& subset, const RowShape& shape,
                CounterRole role, int resamples) {
  RoleFit fit;
  fit.shape = shape;
  fit.overlap_us.assign(shape.columns(), 0.0);
  std::vector<double> first_rates;
  const NoiseModel noise = noiseOf(input, subset, shape, role, first_rates);
  fit.earlier = shifted(input, subset, shape, role, -kShiftNs, first_rates);
  fit.later = shifted(input, subset, shape, role, kShiftNs, first_rates);
  Segments segments(input, shape.columns());
  const auto every = [](size_t, size_t) { return true; };
  walk(input, shape, role, every, [&](const SampleRow& row, double value) {
    const double expected = predicted(row, first_rates);
    bool outlier = false;
    const double weight =
        noise.weight(expected / row.duration_us, (value - expected) / std::sqrt(row.duration_us), outlier);
    segments.of(row).add(row, &value, weight / row.duration_us);
    for (const uint32_t column : row.touched) fit.overlap_us[column] += row.overlap_us[column];
    fit.sampled += value;
    fit.sampled_us += row.duration_us;
    fit.outliers += outlier ? 1 : 0;
    ++fit.samples;
  });
  const NormalEquations all = sumOf(segments.sums, 0, kSegments);
  FreeColumns free(shape.columns(), 1);
  fit.rates = solveNonNegative(all, 0, free);
  FreeColumns warm = free;
  fit.first_half = solveNonNegative(sumOf(segments.sums, 0, kSegments / 2), 0, warm);
  warm = free;
  fit.second_half = solveNonNegative(sumOf(segments.sums, kSegments / 2, kSegments), 0, warm);
  bootstrap(segments, free, resamples, fit);
  addCovariance(all, free, fit);
  return fit;
}

}  // namespace perfscope
