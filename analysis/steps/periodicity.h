// Finds the period of a sequence of symbols: the step of a program that marks none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace perfscope {

struct Period {
  size_t length = 0;  // symbols in one period
  size_t first = 0;   // index at which the first whole period begins; what is before is start-up
  size_t count = 0;   // whole periods from there
  double match = 0;   // fraction of symbols equal to the one a period later
};

// Autocorrelation of the series at the lags at which words of it recur: the lag with the highest match wins,
// of lags within 1 % of it the smallest. Needs at least three periods and two distinct symbols in one, and a
// match of at least threshold::kPeriodMatch; else empty. O(n) per lag, at most 32 lags.
std::optional<Period> findPeriod(const std::vector<uint32_t>& series);

}  // namespace perfscope
