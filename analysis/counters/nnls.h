// Non-negative least squares from normal equations, and the covariance of its solution. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/counters/normal_equations.h"

namespace perfscope {

// Which columns are free (> 0): the warm start of the next solution of a similar problem.
using FreeColumns = std::vector<uint8_t>;

// Minimises |y - A x| over x >= 0 by block principal pivoting (J. Kim, H. Park, "Fast nonnegative matrix
// factorization: an active-set-like method", SIAM J. Sci. Comput. 33(6), 2011), with single exchanges as its
// fallback, so that it ends. Columns without any weight get 0. `free` is start and result; any content of the
// right size is good. Collinear columns share what a relative ridge of 1e-9 gives them.
std::vector<double> solveNonNegative(const NormalEquations& equations, size_t target, FreeColumns& free);

// Upper triangle of the Cholesky factor (A = U'U) of the leading n rows of `a` (row by row, upper triangle),
// in place. Pivots that vanish are replaced by a tiny one. Precondition: a has n * n entries.
void factorise(std::vector<double>& a, size_t n);

// Inverse of A'A over the columns where `used` is not 0, scaled back; other rows and columns are 0. Full
// storage, symmetric.
std::vector<double> inverseOver(const NormalEquations& equations, const FreeColumns& used);

}  // namespace perfscope
