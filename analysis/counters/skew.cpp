// Both searches solve the whole problem on a subset of the samples for each candidate.
#include "analysis/counters/skew.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "analysis/counters/nnls.h"

namespace perfscope {
namespace {

constexpr int64_t kFarthestNs = 12'000, kCoarseNs = 1'000, kFineNs = 250;
constexpr size_t kMostSkewRoles = 3;
constexpr size_t kMostLagColumns = 64;
constexpr double kLagMustExplain = 0.03;  // of the residual
constexpr std::array<int64_t, 5> kLagsNs = {5'000, 10'000, 20'000, 40'000, 80'000};
constexpr std::array<CounterRole, 7> kFollowKernels = {
    CounterRole::DramReadBytes,      CounterRole::L2Bytes,      CounterRole::FmaInstructions,
    CounterRole::TensorActiveCycles, CounterRole::Instructions, CounterRole::SmActiveCycles,
    CounterRole::AluInstructions};

std::vector<CounterRole> rolesForSkew(const AttributionInput& input) {
  std::vector<CounterRole> roles;
  for (const CounterRole role : kFollowKernels) {
    bool used = !input.sets.empty();
    for (const SampleSet& set : input.sets) {
      const SampleMetric* metric = set.find(role);
      used = used && metric != nullptr &&
             std::any_of(metric->values.begin(), metric->values.end(), [](float v) { return v > 0; });
    }
    if (used && roles.size() < kMostSkewRoles) roles.push_back(role);
  }
  return roles;
}

// Sum over the roles of the logarithm of the residual: a role counts the same in whatever unit it comes.
// `free` is the warm start of each role, and left as it ended.
double misfit(const AttributionInput& input, const SampleSubset& subset, const RowShape& shape,
              const std::vector<CounterRole>& roles, std::vector<FreeColumns>& free) {
  NormalEquations sums(shape.columns(), roles.size());
  std::vector<double> amounts(roles.size());
  std::vector<std::vector<const SampleMetric*>> metrics;
  for (const SampleSet& set : input.sets) {
    auto& of_set = metrics.emplace_back();
    for (const CounterRole role : roles) of_set.push_back(set.find(role));
  }
  SampleSweep sweep(input.activities, shape);
  sweep.run(input.sets, input.excluded, subset, [&](const SampleRow& row) {
    for (size_t r = 0; r < roles.size(); ++r) {
      const SampleMetric* metric = metrics[row.set][r];
      if (metric == nullptr || std::isnan(metric->values[row.index])) return;
      amounts[r] = metric->values[row.index];
    }
    sums.add(row, amounts.data(), 1.0 / row.duration_us);
  });
  double total = 0;
  free.resize(roles.size(), FreeColumns(shape.columns(), 1));
  for (size_t r = 0; r < roles.size(); ++r) {
    free[r].resize(shape.columns(), 1);
    const std::vector<double> x = solveNonNegative(sums, r, free[r]);
    total += std::log(std::max(sums.residual(x, r), 1e-12 * sums.yty[r] + 1e-300));
  }
  return total;
}

RowShape lagged(const AttributionInput& input, const RowShape& shape, int64_t lag_ns) {
  std::vector<double> ns(input.columns, 0.0);
  for (const Activity& activity : input.activities)
    ns[activity.column] += static_cast<double>(activity.end_ns - activity.start_ns);
  std::vector<uint32_t> order(input.columns);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return ns[a] != ns[b] ? ns[a] > ns[b] : a < b; });
  order.resize(std::min(order.size(), kMostLagColumns));
  RowShape result = shape;
  result.lag_ns = lag_ns;
  result.lag_column.assign(input.columns, -1);
  result.lag_count = order.size();
  for (size_t i = 0; i < order.size(); ++i)
    result.lag_column[order[i]] = static_cast<int32_t>(shape.signatures + 1 + i);
  return result;
}

}  // namespace

std::optional<int64_t> findSkew(const AttributionInput& input, const SampleSubset& subset) {
  const std::vector<CounterRole> roles = rolesForSkew(input);
  if (roles.empty() || input.activities.empty()) return std::nullopt;
  RowShape shape;
  shape.signatures = input.columns;
  std::vector<FreeColumns> free;
  int64_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  const auto scan = [&](int64_t from, int64_t to, int64_t step) {
    for (int64_t skew = from; skew <= to; skew += step) {
      shape.skew_ns = skew;
      const double value = misfit(input, subset, shape, roles, free);
      if (value < least) least = value, best = skew;
    }
  };
  scan(-kFarthestNs, kFarthestNs, kCoarseNs);
  if (std::abs(best) == kFarthestNs) return std::nullopt;
  const int64_t middle = best;
  scan(middle - kCoarseNs + kFineNs, middle + kCoarseNs - kFineNs, kFineNs);
  return best;
}

RowShape withWriteLag(const AttributionInput& input, const SampleSubset& subset, const RowShape& shape) {
  const std::vector<CounterRole> roles = {CounterRole::DramWriteBytes};
  std::vector<FreeColumns> free;
  const double without = misfit(input, subset, shape, roles, free);
  double least = without + std::log(1.0 - kLagMustExplain);
  RowShape best = shape;
  for (const int64_t lag : kLagsNs) {
    const RowShape candidate = lagged(input, shape, lag);
    const double value = misfit(input, subset, candidate, roles, free);
    if (value < least) least = value, best = candidate;
  }
  return best;
}

}  // namespace perfscope
