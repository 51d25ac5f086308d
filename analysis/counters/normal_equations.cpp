// Sums of outer products of sparse rows.
#include "analysis/counters/normal_equations.h"

#include <algorithm>

namespace perfscope {

void NormalEquations::add(const SampleRow& row, const double* amounts, double weight) {
  ++rows;
  const size_t touched = row.touched.size();
  for (size_t a = 0; a < touched; ++a) {
    const uint32_t i = row.touched[a];
    const double scaled = weight * row.overlap_us[i];
    for (size_t t = 0; t < aty.size(); ++t) aty[t][i] += scaled * amounts[t];
    for (size_t b = a; b < touched; ++b) {
      const uint32_t j = row.touched[b];
      ata[std::min(i, j) * columns + std::max(i, j)] += scaled * row.overlap_us[j];
    }
  }
  for (size_t t = 0; t < yty.size(); ++t) yty[t] += weight * amounts[t] * amounts[t];
}

void NormalEquations::addScaled(const NormalEquations& other, double factor) {
  for (size_t i = 0; i < columns; ++i) {
    double* to = &ata[i * columns];
    const double* from = &other.ata[i * columns];
    for (size_t j = i; j < columns; ++j) to[j] += factor * from[j];
  }
  for (size_t t = 0; t < aty.size(); ++t) {
    for (size_t i = 0; i < columns; ++i) aty[t][i] += factor * other.aty[t][i];
    yty[t] += factor * other.yty[t];
  }
  rows += other.rows;
}

std::vector<double> NormalEquations::gradient(const std::vector<double>& x, size_t target) const {
  std::vector<double> result = aty[target];
  for (size_t i = 0; i < columns; ++i) {
    const double* row = &ata[i * columns];
    result[i] -= row[i] * x[i];
    for (size_t j = i + 1; j < columns; ++j) {
      result[i] -= row[j] * x[j];
      result[j] -= row[j] * x[i];
    }
  }
  return result;
}

double NormalEquations::residual(const std::vector<double>& x, size_t target) const {
  // |y - Ax|^2 = y'y - x'(A'y) - x'(A'y - A'A x)
  const std::vector<double> slope = gradient(x, target);
  double sum = yty[target];
  for (size_t i = 0; i < columns; ++i) sum -= x[i] * (aty[target][i] + slope[i]);
  return std::max(0.0, sum);
}

}  // namespace perfscope
