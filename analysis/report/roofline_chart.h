// A roofline as characters: both axes logarithmic, the roof as lines, kernels as letters. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace perfscope {

struct ChartPoint {
  double intensity = 0;    // FLOP/byte
  double flops_per_s = 0;  // achieved
  char letter = 'a';
};

struct ChartRoof {
  double flops_per_s = 0;  // the flat part
  double bytes_per_s = 0;  // the slope
};

struct ChartSize {
  size_t columns = 60, rows = 12;  // of the drawing area
};

// One text a row, top first; the y axis is labelled at the roof and at the bottom; the last row is the x
// axis. Points that are not positive and finite are left out; empty when no point or no roof is left.
[[nodiscard]] std::vector<std::string> rooflineChart(const ChartRoof& roof,
                                                     const std::vector<ChartPoint>& points,
                                                     const ChartSize& size);

}  // namespace perfscope
