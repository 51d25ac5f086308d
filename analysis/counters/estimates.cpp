// Everything linear: a subject's total is a weighted sum of the rates, so are the resampled ones, and its
// variance is that of the sum.
#include "analysis/counters/estimates.h"

#include <algorithm>
#include <cmath>

#include "analysis/counters/separability.h"

namespace perfscope {
namespace {

constexpr double kUsPerNs = 1e-3;
// A subject whose rate is below this share of the mean rate while busy counts as one with that share, when
// its interval is judged: "nearly nothing" is a good answer.
constexpr double kFloorRate = 0.05;
constexpr double kFewSegments = 1.06;  // t quantile of 31 degrees of freedom / 1.96, and n / (n - 1)
constexpr double kHalfSample = 1.4142135623730951;  // intervals of half the samples are wider by it

// total = sum of weight * rates[column]
struct Combination {
  std::vector<uint32_t> columns;
  std::vector<double> weights;
  [[nodiscard]] double of(const std::vector<double>& rates) const {
    double sum = 0;
    for (size_t i = 0; i < columns.size(); ++i) sum += weights[i] * rates[columns[i]];
    return sum;
  }
  void add(size_t column, double weight) {
    columns.push_back(static_cast<uint32_t>(column));
    weights.push_back(weight);
  }
};

Combination combinationOf(const Subject& subject, const RowShape& shape) {
  Combination result;
  for (const SubjectPart& part : subject.parts) {
    result.add(part.column, part.ns * kUsPerNs);
    const int32_t lag = shape.lag_column.empty() ? -1 : shape.lag_column[part.column];
    if (lag >= 0)
      result.add(static_cast<size_t>(lag), part.launches * static_cast<double>(shape.lag_ns) * kUsPerNs);
  }
  return result;
}

// Covariance of the totals: M C M'.
std::vector<double> totalsCovariance(const std::vector<Combination>& totals, const RoleFit& fit) {
  const size_t n = totals.size();
  const size_t columns = fit.shape.columns();
  std::vector<double> half(n * columns, 0.0);
  for (size_t i = 0; i < n; ++i) {
    for (size_t p = 0; p < totals[i].columns.size(); ++p) {
      const double* row = &fit.covariance[totals[i].columns[p] * columns];
      for (size_t c = 0; c < columns; ++c) half[i * columns + c] += totals[i].weights[p] * row[c];
    }
  }
  std::vector<double> result(n * n, 0.0);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      for (size_t p = 0; p < totals[j].columns.size(); ++p)
        result[i * n + j] += totals[j].weights[p] * half[i * columns + totals[j].columns[p]];
    }
  }
  return result;
}

std::vector<double> resampledTotals(const Combination& total, const RoleFit& fit) {
  std::vector<double> values;
  for (const auto& rates : fit.resampled) values.push_back(total.of(rates));
  std::sort(values.begin(), values.end());
  return values;
}

double quantile(const std::vector<double>& sorted, double fraction) {
  const double at = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// How much more the resamples scatter than independent residuals would: launches of one kernel differ, and
// neighbouring samples share them. Median over the subjects far from 0.
double inflation(const std::vector<Combination>& totals, const std::vector<double>& covariance,
                 const RoleFit& fit) {
  std::vector<double> ratios;
  const size_t n = totals.size();
  for (size_t i = 0; i < n; ++i) {
    const double model = std::sqrt(covariance[i * n + i]);
    if (model <= 0 || totals[i].of(fit.rates) < 3 * model) continue;
    const std::vector<double> values = resampledTotals(totals[i], fit);
    const double spread = quantile(values, 0.84) - quantile(values, 0.16);
    ratios.push_back(spread * spread / (4 * model * model));
  }
  if (ratios.empty()) return 1;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return std::clamp(*middle, 1.0, 100.0);
}

// What a wrong shape of the model does, as if it were one more random error (half an interval each way).
void addModelError(const std::vector<Combination>& totals, const RoleFit& fit,
                   std::vector<double>& covariance) {
  const size_t n = totals.size();
  for (const std::vector<double>* change : {&fit.earlier, &fit.later}) {
    std::vector<double> by(n);
    for (size_t i = 0; i < n; ++i) by[i] = totals[i].of(*change) / kHalfInterval;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) covariance[i * n + j] += by[i] * by[j];
  }
}

struct Bounds {
  double total, low, high;
};
// The widest of: bootstrap, covariance, what the model is trusted with.
Bounds boundsOf(const Combination& combination, double variance, const RoleFit& fit) {
  Bounds bounds{combination.of(fit.rates), 0, 0};
  const std::vector<double> values = resampledTotals(combination, fit);
  const double half =
      std::hypot(kHalfInterval * std::sqrt(std::max(0.0, variance)), kModelError * bounds.total);
  double down = half, up = half;
  if (!values.empty()) {
    down = std::max(half, kFewSegments * (bounds.total - quantile(values, 0.025)));
    up = std::max(half, kFewSegments * (quantile(values, 0.975) - bounds.total));
  }
  bounds.low = std::max(0.0, bounds.total - down);
  bounds.high = bounds.total + up;
  return bounds;
}

Withheld tooLittle(const Subject& subject, const ColumnCover& cover) {
  double ns = 0, overlap = 0, weighted = 0;
  for (const SubjectPart& part : subject.parts) {
    ns += part.ns;
    overlap += std::min(cover.overlap_us[part.column], part.ns * kUsPerNs);
    const double of_column = cover.overlap_us[part.column];
    if (of_column > 0) weighted += part.ns * cover.weighted_us[part.column] / of_column;
  }
  if (overlap <= 0) return Withheld::NotSampled;
  if (overlap < kLeastIntervals * cover.median_sample_us) return Withheld::TooFewSamples;
  return weighted < kLeastWeight * ns ? Withheld::TooLittleWeight : Withheld::No;
}

bool isWide(const Estimate& estimate, double floor) {
  const double half = std::max(estimate.high - estimate.total, estimate.total - estimate.low);
  return half > kWidestInterval * std::max(estimate.total, floor);
}

void addDrift(const Combination& total, const RoleFit& fit, Estimate& estimate) {
  estimate.first_half = total.of(fit.first_half);
  estimate.second_half = total.of(fit.second_half);
  const double both = kHalfSample * (estimate.high - estimate.low);
  // A half in which it never ran gives 0, which is no drift.
  const bool in_both = estimate.first_half > 0 && estimate.second_half > 0;
  estimate.drifts = in_both && std::abs(estimate.first_half - estimate.second_half) > both;
}

// Totals of every subject and, last, of idle time.
std::vector<Combination> combinations(const AttributionInput& input, const RoleFit& fit) {
  std::vector<Combination> totals;
  for (const Subject& subject : input.subjects) totals.push_back(combinationOf(subject, fit.shape));
  Combination idle;
  idle.add(fit.shape.idleColumn(), fit.overlap_us[fit.shape.idleColumn()]);
  totals.push_back(std::move(idle));
  return totals;
}

double meanBusyRate(const RoleFit& fit) {
  double amount = 0, us = 0;
  for (size_t c = 0; c < fit.rates.size(); ++c) {
    if (c == fit.shape.idleColumn()) continue;
    amount += fit.rates[c] * fit.overlap_us[c];
    if (c < fit.shape.signatures) us += fit.overlap_us[c];
  }
  return us > 0 ? amount / us : 0;
}

std::vector<double> floors(const AttributionInput& input, const RoleFit& fit) {
  const double rate = kFloorRate * meanBusyRate(fit);
  std::vector<double> result;
  for (const Subject& subject : input.subjects) {
    double ns = 0;
    for (const SubjectPart& part : subject.parts) ns += part.ns;
    result.push_back(rate * ns * kUsPerNs);
  }
  result.push_back(rate * fit.overlap_us[fit.shape.idleColumn()]);
  return result;
}

void addGroups(const std::vector<Combination>& totals, const SeparabilityInput& question, const RoleFit& fit,
               RoleAttribution& result) {
  const size_t idle = totals.size() - 1;
  const size_t n = totals.size();
  for (const auto& members : inseparableGroups(question)) {
    SubjectGroup group;
    Combination sum;
    double variance = 0;
    for (const uint32_t i : members) {
      for (size_t p = 0; p < totals[i].columns.size(); ++p)
        sum.add(totals[i].columns[p], totals[i].weights[p]);
      for (const uint32_t j : members) variance += question.covariance[i * n + j];
      if (i == idle) {
        group.with_idle = true;
      } else {
        group.members.push_back(i);
      }
    }
    const Bounds bounds = boundsOf(sum, variance, fit);
    group.total = bounds.total, group.low = bounds.low, group.high = bounds.high;
    for (const uint32_t i : group.members)
      result.subjects[i].group = static_cast<int32_t>(result.groups.size());
    result.groups.push_back(std::move(group));
  }
}

void addConservation(const RoleFit& fit, RoleAttribution& result) {
  const size_t idle = fit.shape.idleColumn();
  result.sampled = fit.sampled;
  result.sampled_ns = fit.sampled_us / kUsPerNs;
  result.samples = fit.samples;
  result.outliers = fit.outliers;
  result.lag_ns = fit.shape.lag_ns;
  for (size_t c = 0; c < fit.rates.size(); ++c)
    (c == idle ? result.idle : result.attributed) += fit.rates[c] * fit.overlap_us[c];
  result.unexplained = result.sampled - result.attributed - result.idle;
}

}  // namespace

ColumnCover coverOf(const AttributionInput& input, const RowShape& shape) {
  ColumnCover cover;
  cover.overlap_us.assign(shape.columns(), 0.0);
  cover.weighted_us.assign(shape.columns(), 0.0);
  std::vector<float> durations;
  SampleSweep sweep(input.activities, shape);
  const auto every = [](size_t, size_t) { return true; };
  sweep.run(input.sets, input.excluded, every, [&](const SampleRow& row) {
    durations.push_back(static_cast<float>(row.duration_us));
    for (const uint32_t column : row.touched) {
      const double us = row.overlap_us[column];
      cover.overlap_us[column] += us;
      cover.weighted_us[column] += us * us / row.duration_us;
    }
  });
  if (durations.empty()) return cover;
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  cover.median_sample_us = *middle;
  return cover;
}

RoleAttribution estimatesOf(const AttributionInput& input, const ColumnCover& cover, CounterRole role,
                            const RoleFit& fit) {
  RoleAttribution result;
  result.role = role;
  result.subjects.resize(input.subjects.size());
  addConservation(fit, result);
  const std::vector<Combination> totals = combinations(input, fit);
  SeparabilityInput question;
  question.covariance = totalsCovariance(totals, fit);
  question.floor = floors(input, fit);
  question.widest = kWidestInterval;
  const double factor = inflation(totals, question.covariance, fit);
  for (double& entry : question.covariance) entry *= factor;
  addModelError(totals, fit, question.covariance);
  for (const Combination& total : totals) question.total.push_back(total.of(fit.rates));
  addGroups(totals, question, fit, result);
  for (size_t i = 0; i < input.subjects.size(); ++i) {
    Estimate& estimate = result.subjects[i];
    const Bounds bounds = boundsOf(totals[i], question.covariance[i * totals.size() + i], fit);
    estimate.total = bounds.total, estimate.low = bounds.low, estimate.high = bounds.high;
    estimate.withheld = tooLittle(input.subjects[i], cover);
    if (estimate.withheld == Withheld::No && isWide(estimate, question.floor[i]))
      estimate.withheld = estimate.group >= 0 ? Withheld::NotSeparable : Withheld::TooWide;
    addDrift(totals[i], fit, estimate);
  }
  return result;
}

}  // namespace perfscope
