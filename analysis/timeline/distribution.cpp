// Percentiles by selection: each one narrows the range in which the next is sought.
#include "analysis/timeline/distribution.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace perfscope {
namespace {

// Index of the nearest-rank percentile among `count` sorted values. The small term takes off what p * count
// gains by rounding (0.95 * 20 must be rank 19, not 20).
size_t rankIndex(double p, size_t count) {
  constexpr double kRounding = 1e-9;
  const double rank = std::ceil(p * static_cast<double>(count) - kRounding);
  return std::min(count - 1, static_cast<size_t>(std::max(1.0, rank)) - 1);
}

}  // namespace

Distribution distributionOf(int64_t* begin, int64_t* end) {
  Distribution result;
  const auto count = static_cast<size_t>(end - begin);
  result.count = static_cast<int64_t>(count);
  if (count == 0) return result;
  const auto [low, high] = std::minmax_element(begin, end);
  result.min_ns = *low;
  result.max_ns = *high;
  int64_t* from = begin;
  const auto select = [&](double p) {
    int64_t* at = begin + rankIndex(p, count);
    std::nth_element(from, at, end);
    from = at;
    return *at;
  };
  result.p50_ns = select(0.50);
  result.p90_ns = select(0.90);
  result.p95_ns = select(0.95);
  result.p99_ns = select(0.99);
  return result;
}

Distribution distributionOf(std::vector<int64_t> values) {
  return distributionOf(values.data(), values.data() + values.size());
}

Distribution distributionOfCounts(const std::vector<int64_t>& counts) {
  Distribution result;
  for (const int64_t count : counts) result.count += count;
  if (result.count == 0) return result;
  const auto valueAt = [&](size_t index) {
    auto left = static_cast<int64_t>(index);
    size_t value = 0;
    while (left >= counts[value]) left -= counts[value++];
    return static_cast<int64_t>(value);
  };
  const auto count = static_cast<size_t>(result.count);
  result.min_ns = valueAt(0);
  result.p50_ns = valueAt(rankIndex(0.50, count));
  result.p90_ns = valueAt(rankIndex(0.90, count));
  result.p95_ns = valueAt(rankIndex(0.95, count));
  result.p99_ns = valueAt(rankIndex(0.99, count));
  result.max_ns = valueAt(count - 1);
  return result;
}

int64_t percentile(std::vector<int64_t> values, double p) {
  const size_t index = rankIndex(p, values.size());
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index), values.end());
  return values[index];
}

int64_t median(std::vector<int64_t> values) {
  const size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  const int64_t upper = values[middle];
  if (values.size() % 2 == 1) return upper;
  const int64_t lower =
      *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle));
  return lower + (upper - lower) / 2;
}

int64_t medianAbsoluteDeviation(const std::vector<int64_t>& values) {
  const int64_t center = median(values);
  std::vector<int64_t> distances;
  distances.reserve(values.size());
  for (const int64_t value : values) distances.push_back(std::abs(value - center));
  return median(std::move(distances));
}

}  // namespace perfscope
