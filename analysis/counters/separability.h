// Which subjects can be told apart: those whose value is open but whose sum with a neighbour is not, form a
// group. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace perfscope {

// `total` and `covariance` (size * size) of the subjects' totals; `floor`: below it a total counts as this
// much when its uncertainty is judged. Two-sided 95 % intervals are wide beyond `widest` of the total.
struct SeparabilityInput {
  std::vector<double> total, floor, covariance;
  double widest = 0;
  [[nodiscard]] size_t size() const { return total.size(); }
};

// Half a 95 % interval of a normal distribution, in standard deviations.
inline constexpr double kHalfInterval = 1.96;

// Groups of two or more; a subject is in one at most. Greedy: the most uncertain subject joins the one with
// which its sum is known best, until the sum is known well enough or no partner helps.
std::vector<std::vector<uint32_t>> inseparableGroups(const SeparabilityInput& input);

}  // namespace perfscope
