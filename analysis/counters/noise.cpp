// Bands at fixed quantiles of the prediction.
#include "analysis/counters/noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace perfscope {
namespace {

constexpr std::array<double, 10> kBandEnds = {0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0};
constexpr double kGaussian = 1.4826;  // median absolute deviation -> standard deviation
// The quietest band weighs at most so many times the noisiest, squared: a wrong model there must not rule.
constexpr double kLargestRatio = 8;

}  // namespace

void NoiseModel::build() {
  std::sort(m_points.begin(), m_points.end(), [](const Point& a, const Point& b) { return a.rate < b.rate; });
  size_t begin = 0;
  std::vector<double> deviations;
  for (const double end_fraction : kBandEnds) {
    const auto end = static_cast<size_t>(end_fraction * static_cast<double>(m_points.size()));
    if (end <= begin) continue;
    deviations.clear();
    for (size_t i = begin; i < end; ++i) deviations.push_back(std::abs(m_points[i].residual));
    const auto middle = deviations.begin() + static_cast<std::ptrdiff_t>(deviations.size() / 2);
    std::nth_element(deviations.begin(), middle, deviations.end());
    m_bands.push_back({m_points[end - 1].rate, kGaussian * *middle});
    begin = end;
  }
  for (const Band& band : m_bands) m_reference = std::max(m_reference, band.scale);
  for (Band& band : m_bands) band.scale = std::max(band.scale, m_reference / kLargestRatio);
  if (!m_bands.empty()) m_bands.back().up_to = std::numeric_limits<double>::infinity();
  std::vector<Point>().swap(m_points);
}

double NoiseModel::weight(double predicted_rate, double residual, bool& outlier) const {
  outlier = false;
  if (m_reference <= 0) return 1;
  size_t band = 0;
  while (band + 1 < m_bands.size() && predicted_rate > m_bands[band].up_to) ++band;
  const double scale = m_bands[band].scale;
  const double distance = std::abs(residual) / scale;
  outlier = distance > kOutlier;
  const double ratio = m_reference / scale;
  return ratio * ratio * (outlier ? kOutlier / distance : 1.0);
}

}  // namespace perfscope
