// Order statistics: nearest rank, medians, MAD.
#include "analysis/timeline/distribution.h"

#include <gtest/gtest.h>

#include <numeric>

namespace perfscope {
namespace {

std::vector<int64_t> oneTo(int64_t n) {
  std::vector<int64_t> values(static_cast<size_t>(n));
  std::iota(values.rbegin(), values.rend(), 1);  // falling: selection must not rely on order
  return values;
}

TEST(Distribution, NearestRankOfOneToHundredIsTheRankItself) {
  const Distribution d = distributionOf(oneTo(100));
  EXPECT_EQ(d.count, 100);
  EXPECT_EQ(d.min_ns, 1);
  EXPECT_EQ(d.p50_ns, 50);
  EXPECT_EQ(d.p90_ns, 90);
  EXPECT_EQ(d.p95_ns, 95);
  EXPECT_EQ(d.p99_ns, 99);
  EXPECT_EQ(d.max_ns, 100);
}

TEST(Distribution, TwentyValuesTakeRank19ForP95) {
  EXPECT_EQ(distributionOf(oneTo(20)).p95_ns, 19);  // ceil(0.95 * 20) = 19, whatever the double says
  EXPECT_EQ(percentile(oneTo(20), 0.95), 19);
}

TEST(Distribution, OneAndNoValue) {
  const Distribution one = distributionOf(std::vector<int64_t>{7});
  EXPECT_EQ(one.p50_ns, 7);
  EXPECT_EQ(one.p99_ns, 7);
  EXPECT_EQ(distributionOf(std::vector<int64_t>{}).count, 0);
}

TEST(Distribution, CountsGiveTheSameAsValues) {
  // values: 0 x3, 2 x5, 9 x2
  const Distribution a = distributionOfCounts({3, 0, 5, 0, 0, 0, 0, 0, 0, 2});
  const Distribution b = distributionOf(std::vector<int64_t>{0, 0, 0, 2, 2, 2, 2, 2, 9, 9});
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.min_ns, b.min_ns);
  EXPECT_EQ(a.p50_ns, b.p50_ns);
  EXPECT_EQ(a.p90_ns, b.p90_ns);
  EXPECT_EQ(a.max_ns, b.max_ns);
  EXPECT_EQ(distributionOfCounts({}).count, 0);
}

TEST(Median, EvenCountsTakeTheMiddle) {
  EXPECT_EQ(median({4, 1, 3, 2}), 2);  // (2 + 3) / 2, towards zero
  EXPECT_EQ(median({10, 30}), 20);
  EXPECT_EQ(median({5}), 5);
}

TEST(Median, AbsoluteDeviation) {
  // median 3; distances 2 1 0 1 97 -> sorted 0 1 1 2 97 -> 1
  EXPECT_EQ(medianAbsoluteDeviation({1, 2, 3, 4, 100}), 1);
}

}  // namespace
}  // namespace perfscope
