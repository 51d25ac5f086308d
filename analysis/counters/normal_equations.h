// A' W A and A' W y of a least-squares problem, summed row by row: their size depends on the number of
// columns only.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/counters/sample_sweep.h"

namespace perfscope {

// A value. One design matrix, `targets` right-hand sides. `ata` holds the upper triangle, row by row, in full
// storage (columns * columns).
struct NormalEquations {
  NormalEquations() = default;
  NormalEquations(size_t column_count, size_t targets)
      : columns(column_count),
        ata(column_count * column_count, 0.0),
        aty(targets, std::vector<double>(column_count, 0.0)),
        yty(targets, 0.0) {}

  // Needs `weight` >= 0 and one amount for every target.
  void add(const SampleRow& row, const double* amounts, double weight);
  // *this += factor * other.
  void addScaled(const NormalEquations& other, double factor);
  // Weighted sum of squared residuals at `x`; never below 0.
  [[nodiscard]] double residual(const std::vector<double>& x, size_t target) const;
  // (A' W (y - A x))[column] for all columns.
  [[nodiscard]] std::vector<double> gradient(const std::vector<double>& x, size_t target) const;

  size_t columns = 0;
  std::vector<double> ata;
  std::vector<std::vector<double>> aty;
  std::vector<double> yty;
  int64_t rows = 0;
};

}  // namespace perfscope
