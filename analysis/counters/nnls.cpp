// Dense algebra of at most a few hundred columns; rows are contiguous so that the compiler vectorises the
// inner loops.
#include "analysis/counters/nnls.h"

#include <algorithm>
#include <cmath>

namespace perfscope {
namespace {

constexpr double kRidge = 1e-9;  // of the (scaled) diagonal
constexpr double kTinyPivot = 1e-12;
constexpr double kTolerance = 1e-10;
constexpr int kFullExchanges = 3;  // tries before single exchanges begin

std::vector<double> diagonalScale(const NormalEquations& equations) {
  std::vector<double> scale(equations.columns, 0.0);
  for (size_t i = 0; i < equations.columns; ++i) {
    const double d = equations.ata[i * equations.columns + i];
    if (d > 0) scale[i] = 1.0 / std::sqrt(d);
  }
  return scale;
}

std::vector<uint32_t> listed(const FreeColumns& free) {
  std::vector<uint32_t> result;
  for (size_t i = 0; i < free.size(); ++i)
    if (free[i] != 0) result.push_back(static_cast<uint32_t>(i));
  return result;
}

std::vector<double> scaledBlock(const NormalEquations& equations, const std::vector<uint32_t>& columns,
                                const std::vector<double>& scale) {
  const size_t n = columns.size();
  std::vector<double> block(n * n);
  for (size_t i = 0; i < n; ++i) {
    const double* row = &equations.ata[columns[i] * equations.columns];
    for (size_t j = i; j < n; ++j) block[i * n + j] = row[columns[j]] * scale[columns[i]] * scale[columns[j]];
    block[i * n + i] += kRidge;
  }
  return block;
}

// U'U z = b in place.
void solveFactored(const std::vector<double>& u, size_t n, std::vector<double>& b) {
  for (size_t k = 0; k < n; ++k) {
    b[k] /= u[k * n + k];
    for (size_t j = k + 1; j < n; ++j) b[j] -= u[k * n + j] * b[k];
  }
  for (size_t k = n; k-- > 0;) {
    double sum = b[k];
    for (size_t j = k + 1; j < n; ++j) sum -= u[k * n + j] * b[j];
    b[k] = sum / u[k * n + k];
  }
}

std::vector<double> solveFree(const NormalEquations& equations, size_t target,
                              const std::vector<double>& scale, const FreeColumns& free) {
  const std::vector<uint32_t> columns = listed(free);
  std::vector<double> block = scaledBlock(equations, columns, scale);
  std::vector<double> right(columns.size());
  for (size_t i = 0; i < columns.size(); ++i)
    right[i] = equations.aty[target][columns[i]] * scale[columns[i]];
  factorise(block, columns.size());
  solveFactored(block, columns.size(), right);
  std::vector<double> x(equations.columns, 0.0);
  for (size_t i = 0; i < columns.size(); ++i) x[columns[i]] = right[i] * scale[columns[i]];
  return x;
}

// Columns on the wrong side: free ones below 0, fixed ones whose gradient points upwards.
std::vector<uint32_t> infeasible(const NormalEquations& equations, size_t target,
                                 const std::vector<double>& scale, const std::vector<double>& x,
                                 const FreeColumns& free) {
  const std::vector<double> slope = equations.gradient(x, target);
  const double size = std::sqrt(std::max(equations.yty[target], 0.0));
  std::vector<uint32_t> wrong;
  for (size_t i = 0; i < x.size(); ++i) {
    if (scale[i] == 0) continue;
    const bool is_wrong = free[i] != 0 ? x[i] < 0 : slope[i] * scale[i] > kTolerance * size;
    if (is_wrong) wrong.push_back(static_cast<uint32_t>(i));
  }
  return wrong;
}

}  // namespace

void factorise(std::vector<double>& a, size_t n) {
  for (size_t k = 0; k < n; ++k) {
    double* row = &a[k * n];
    const double pivot = std::sqrt(std::max(row[k], kTinyPivot));
    const double inverse = 1.0 / pivot;
    row[k] = pivot;
    for (size_t j = k + 1; j < n; ++j) row[j] *= inverse;
    for (size_t i = k + 1; i < n; ++i) {
      const double factor = row[i];
      if (factor == 0) continue;
      double* below = &a[i * n];
      for (size_t j = i; j < n; ++j) below[j] -= factor * row[j];
    }
  }
}

std::vector<double> solveNonNegative(const NormalEquations& equations, size_t target, FreeColumns& free) {
  const std::vector<double> scale = diagonalScale(equations);
  for (size_t i = 0; i < free.size(); ++i)
    if (scale[i] == 0) free[i] = 0;
  std::vector<double> x;
  size_t fewest = equations.columns + 1;
  int tries = kFullExchanges;
  const size_t most_rounds = 5 * equations.columns + 10;  // single exchanges end long before, or never
  for (size_t round = 0; round < most_rounds; ++round) {
    x = solveFree(equations, target, scale, free);
    const std::vector<uint32_t> wrong = infeasible(equations, target, scale, x, free);
    if (wrong.empty()) return x;
    const bool fewer = wrong.size() < fewest;
    if (fewer) fewest = wrong.size();
    tries = fewer ? kFullExchanges : tries - 1;
    if (tries >= 0) {
      for (const uint32_t column : wrong) free[column] ^= 1;
    } else {
      free[wrong.back()] ^= 1;
    }
  }
  for (double& value : x) value = std::max(0.0, value);
  return x;
}

std::vector<double> inverseOver(const NormalEquations& equations, const FreeColumns& used) {
  const std::vector<double> scale = diagonalScale(equations);
  FreeColumns present = used;
  for (size_t i = 0; i < present.size(); ++i)
    if (scale[i] == 0) present[i] = 0;
  const std::vector<uint32_t> columns = listed(present);
  const size_t n = columns.size();
  std::vector<double> u = scaledBlock(equations, columns, scale);
  factorise(u, n);
  std::vector<double> result(equations.columns * equations.columns, 0.0);
  std::vector<double> unit(n);
  for (size_t i = 0; i < n; ++i) {
    std::fill(unit.begin(), unit.end(), 0.0);
    unit[i] = 1;
    solveFactored(u, n, unit);
    for (size_t j = 0; j < n; ++j)
      result[columns[i] * equations.columns + columns[j]] = unit[j] * scale[columns[i]] * scale[columns[j]];
  }
  return result;
}

}  // namespace perfscope
