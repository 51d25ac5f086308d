// Log-log drawing of one roof and its points.
#include "analysis/report/roofline_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/format.h"
#include "analysis/report/glyphs.h"

namespace perfscope {
namespace {

constexpr size_t kAxisColumns = 14;

bool isDrawable(double value) {
  return std::isfinite(value) && value > 0;
}

// Exponents of ten at both ends.
struct Axis {
  double low = 0, high = 1;
  [[nodiscard]] double at(double position) const { return std::pow(10.0, low + position * (high - low)); }
  [[nodiscard]] double position(double value) const { return (std::log10(value) - low) / (high - low); }
};

// Whole decades, so that the labels are round.
Axis decadesOver(double smallest, double largest) {
  Axis axis{std::floor(std::log10(smallest)), std::ceil(std::log10(largest))};
  if (axis.high <= axis.low) axis.high = axis.low + 1;
  return axis;
}

size_t cell(double position, size_t cells) {
  const double index = std::round(position * static_cast<double>(cells - 1));
  return static_cast<size_t>(std::clamp(index, 0.0, static_cast<double>(cells - 1)));
}

using Canvas = std::vector<std::vector<std::string>>;

void drawRoof(Canvas& canvas, const ChartRoof& roof, const Axis& x, const Axis& y, const ChartSize& size) {
  for (size_t column = 0; column < size.columns; ++column) {
    const double intensity = x.at(static_cast<double>(column) / static_cast<double>(size.columns - 1));
    const double slope = roof.bytes_per_s * intensity;
    const double height = std::min(slope, roof.flops_per_s);
    if (y.position(height) < 0) continue;
    canvas[size.rows - 1 - cell(y.position(height), size.rows)][column] =
        slope < roof.flops_per_s ? "╱" : "─";
  }
}

std::string axisLabels(const Axis& x, size_t columns) {
  std::string labels(kAxisColumns + 1, ' ');
  const int decades = static_cast<int>(std::lround(x.high - x.low));
  for (int decade = 0; decade <= decades; ++decade) {
    const std::string label = fmt::format("{:g}", std::pow(10.0, x.low + decade));
    size_t at = kAxisColumns + 1 + cell(static_cast<double>(decade) / decades, columns);
    at = std::min(at, kAxisColumns + 1 + columns - label.size());
    if (at < glyphs::width(labels) + (decade > 0 ? 1 : 0)) continue;  // labels must not touch
    labels = glyphs::padRight(labels, at) + label;
  }
  return labels;
}

}  // namespace

std::vector<std::string> rooflineChart(const ChartRoof& roof, const std::vector<ChartPoint>& points,
                                       const ChartSize& size) {
  std::vector<ChartPoint> drawn;
  for (const auto& point : points) {
    if (isDrawable(point.intensity) && isDrawable(point.flops_per_s)) drawn.push_back(point);
  }
  if (drawn.empty() || !isDrawable(roof.flops_per_s) || !isDrawable(roof.bytes_per_s)) return {};
  const double ridge = roof.flops_per_s / roof.bytes_per_s;
  double left = ridge / 30, right = ridge * 10, top = roof.flops_per_s;
  for (const auto& point : drawn) {
    left = std::min(left, point.intensity);
    right = std::max(right, point.intensity);
    top = std::max(top, point.flops_per_s);
  }
  const Axis x = decadesOver(left, right);
  double bottom = roof.bytes_per_s * x.at(0);  // where the slope enters the picture
  for (const auto& point : drawn) bottom = std::min(bottom, point.flops_per_s);
  const Axis y{std::log10(bottom), std::log10(top)};
  Canvas canvas(size.rows, std::vector<std::string>(size.columns, " "));
  drawRoof(canvas, roof, x, y, size);
  // Most important last: the first letters stay visible where points fall together.
  for (auto point = drawn.rbegin(); point != drawn.rend(); ++point) {
    canvas[size.rows - 1 - cell(y.position(point->flops_per_s), size.rows)]
          [cell(x.position(point->intensity), size.columns)] = std::string(1, point->letter);
  }
  std::vector<std::string> lines;
  const size_t roof_row = size.rows - 1 - cell(y.position(roof.flops_per_s), size.rows);
  for (size_t row = 0; row < size.rows; ++row) {
    const std::string label = row == roof_row        ? format::flopsPerSecond(roof.flops_per_s)
                              : row + 1 == size.rows ? format::flopsPerSecond(bottom)
                                                     : "";
    std::string line = glyphs::padLeft(label, kAxisColumns - 1) + " │";
    for (const auto& text : canvas[row]) line += text;
    lines.push_back(line);
  }
  lines.push_back(axisLabels(x, size.columns) + "  FLOP/byte");
  return lines;
}

}  // namespace perfscope
