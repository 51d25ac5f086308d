// Scaling arithmetic; the formulas and their sources are in the header.
#include "analysis/model/scaling_formulas.h"

#include <cmath>

#include "analysis/model/roofline_formulas.h"

namespace perfscope::model {

double ringGatherFactor(double ranks) {
  return ranks >= 1 ? ratio(ranks - 1, ranks) : ratio(0, 0);
}

double ringAllReduceFactor(double ranks) {
  return 2 * ringGatherFactor(ranks);
}

double ringAllReduceTime(double bytes, double ranks, double bandwidth_bytes_per_s, double step_latency_s) {
  return ratio(ringAllReduceFactor(ranks) * bytes, bandwidth_bytes_per_s) + 2 * (ranks - 1) * step_latency_s;
}

double amdahlSpeedup(double share, double factor) {
  return ratio(1, 1 - share + ratio(share, factor));
}

std::optional<double> amdahlLimit(double share) {
  const double limit = ratio(1, 1 - share);
  return std::isfinite(limit) ? std::optional<double>(limit) : std::nullopt;
}

double shareFromSpeedup(double observed_speedup, double factor) {
  return ratio(1 - ratio(1, observed_speedup), 1 - ratio(1, factor));
}

double pipelineUtilisation(double stages, double microbatches) {
  return ratio(microbatches, microbatches + stages - 1);
}

double speculativeTokens(double acceptance, double drafted) {
  if (acceptance == 1) return drafted + 1;  // limit of the quotient
  return ratio(1 - std::pow(acceptance, drafted + 1), 1 - acceptance);
}

}  // namespace perfscope::model
