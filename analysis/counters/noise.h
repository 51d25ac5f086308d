// How far samples scatter around a first solution, by the height of the prediction: what a large kernel's
// samples scatter by must not drown a small one's. Gives every sample its weight.
#pragma once

#include <vector>

namespace perfscope {

// A value. Rates are amounts per us, residuals amounts per sqrt(us) (so that a sample's length drops out).
class NoiseModel {
 public:
  void add(double predicted_rate, double residual) { m_points.push_back({predicted_rate, residual}); }
  // After the last add(): robust scale (1.4826 x median deviation) in bands of the prediction, the uppermost
  // ones narrow.
  void build();

  // Huber weight of a sample: 1/scale^2, less beyond kOutlier scales. Sets `outlier` then. 1 when there is no
  // scatter at all.
  [[nodiscard]] double weight(double predicted_rate, double residual, bool& outlier) const;

  // Mild: a kernel whose launches differ must not be trimmed.
  static constexpr double kOutlier = 4;

 private:
  struct Point {
    double rate, residual;
  };
  struct Band {
    double up_to, scale;
  };
  std::vector<Point> m_points;
  std::vector<Band> m_bands;
  double m_reference = 0;  // scale whose weight is 1
};

}  // namespace perfscope
