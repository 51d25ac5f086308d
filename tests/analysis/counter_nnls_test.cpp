// The algebra below attribution: non-negative least squares, its covariance, groups that cannot be told
// apart.
#include "analysis/counters/nnls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "analysis/counters/separability.h"

namespace perfscope {
namespace {

using testing::ElementsAre;

// Rows of A and y as given.
NormalEquations equations(const std::vector<std::vector<double>>& a, const std::vector<double>& y) {
  NormalEquations sums(a[0].size(), 1);
  for (size_t r = 0; r < a.size(); ++r) {
    SampleRow row;
    row.overlap_us = a[r];
    for (uint32_t c = 0; c < a[r].size(); ++c)
      if (a[r][c] != 0) row.touched.push_back(c);
    sums.add(row, &y[r], 1);
  }
  return sums;
}

TEST(CounterNnls, SolvesWhatHasANonNegativeSolution) {
  // 2 x0 + x1 = 5, x1 = 1, x0 = 2
  const NormalEquations sums = equations({{2, 1}, {0, 1}}, {5, 1});
  FreeColumns free(2, 1);
  const auto x = solveNonNegative(sums, 0, free);
  EXPECT_NEAR(x[0], 2, 1e-6);
  EXPECT_NEAR(x[1], 1, 1e-6);
  EXPECT_NEAR(sums.residual(x, 0), 0, 1e-9);
}

// Worked by hand: unconstrained x = (2, -1). With x1 = 0: x0 = (1*1 + 1*2) / 2 = 1.5, residual
// (1 - 1.5)^2 + (2 - 1.5)^2 = 0.5; the gradient of x1 is 1 * (1 - 1.5) < 0: stays at 0.
TEST(CounterNnls, StopsAtZero) {
  const NormalEquations sums = equations({{1, 1}, {1, 0}}, {1, 2});
  FreeColumns free(2, 1);
  const auto x = solveNonNegative(sums, 0, free);
  EXPECT_NEAR(x[0], 1.5, 1e-6);
  EXPECT_EQ(x[1], 0);
  EXPECT_THAT(free, ElementsAre(1, 0));
  EXPECT_NEAR(sums.residual(x, 0), 0.5, 1e-6);
}

TEST(CounterNnls, AnyWarmStartEndsAtTheSameOptimum) {
  std::mt19937_64 random(1);
  std::normal_distribution<> normal;
  for (int problem = 0; problem < 20; ++problem) {
    std::vector<std::vector<double>> a(60, std::vector<double>(25));
    std::vector<double> y(60);
    for (auto& row : a)
      for (double& v : row) v = normal(random);
    for (double& v : y) v = normal(random);
    const NormalEquations sums = equations(a, y);
    FreeColumns cold(25, 1), warm(25, 0);
    for (size_t i = 0; i < 25; ++i) warm[i] = static_cast<uint8_t>(random() % 2);
    const auto one = solveNonNegative(sums, 0, cold), other = solveNonNegative(sums, 0, warm);
    const auto slope = sums.gradient(one, 0);
    for (size_t i = 0; i < 25; ++i) {
      EXPECT_NEAR(one[i], other[i], 1e-6);
      EXPECT_GE(one[i], 0);
      EXPECT_LT(one[i] > 0 ? std::abs(slope[i]) : slope[i], 1e-5) << "conditions of the optimum";
    }
  }
}

TEST(CounterNnls, EmptyAndEqualColumnsDoNoHarm) {
  const NormalEquations sums = equations({{1, 0, 1}, {2, 0, 2}, {3, 0, 3}}, {4, 8, 12});
  FreeColumns free(3, 1);
  const auto x = solveNonNegative(sums, 0, free);
  EXPECT_NEAR(x[0] + x[2], 4, 1e-4);
  EXPECT_EQ(x[1], 0);
}

TEST(CounterNnls, InverseIsTheInverse) {
  // A'A = [[5, 2], [2, 2]]; its inverse is [[1/3, -1/3], [-1/3, 5/6]].
  const NormalEquations sums = equations({{2, 1}, {0, 1}, {1, 0}}, {0, 0, 0});
  const auto inverse = inverseOver(sums, FreeColumns(2, 1));
  EXPECT_NEAR(inverse[0], 1.0 / 3, 1e-6);
  EXPECT_NEAR(inverse[1], -1.0 / 3, 1e-6);
  EXPECT_NEAR(inverse[2], -1.0 / 3, 1e-6);
  EXPECT_NEAR(inverse[3], 5.0 / 6, 1e-6);
}

TEST(CounterSeparability, JoinsOpposedUncertaintiesOnly) {
  SeparabilityInput input;
  input.total = {10, 10, 10, 10};
  input.floor = {1, 1, 1, 1};
  input.widest = 0.5;
  // 0 and 1: 100 each, their sum 1; 2: uncertain alone; 3: certain.
  input.covariance = {100, -99.5, 0, 0, -99.5, 100, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0.01};
  EXPECT_THAT(inseparableGroups(input), ElementsAre(ElementsAre(0, 1)));
}

TEST(CounterSeparability, LeavesWellKnownOnesAlone) {
  SeparabilityInput input;
  input.total = {10, 10};
  input.floor = {1, 1};
  input.widest = 0.5;
  input.covariance = {0.1, -0.099, -0.099, 0.1};  // opposed, but both are known to 6 %
  EXPECT_TRUE(inseparableGroups(input).empty());
}

}  // namespace
}  // namespace perfscope
