// Roofline arithmetic; the formulas and their sources are in the header.
#include "analysis/model/roofline_formulas.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace perfscope::model {
namespace {

constexpr double kNoAnswer = std::numeric_limits<double>::quiet_NaN();
constexpr double kFlopsPerMultiplyAdd = 2;

}  // namespace

double ratio(double numerator, double denominator) {
  if (!std::isfinite(numerator) || !std::isfinite(denominator) || denominator <= 0) return kNoAnswer;
  return numerator / denominator;
}

double ridgePoint(double peak_flops_per_s, double bandwidth_bytes_per_s) {
  return peak_flops_per_s > 0 ? ratio(peak_flops_per_s, bandwidth_bytes_per_s) : kNoAnswer;
}

double attainable(double peak_flops_per_s, double bandwidth_bytes_per_s, double intensity) {
  const bool valid = peak_flops_per_s > 0 && bandwidth_bytes_per_s > 0 && intensity >= 0;
  return valid ? std::min(peak_flops_per_s, bandwidth_bytes_per_s * intensity) : kNoAnswer;
}

Regime regime(double intensity, double ridge) {
  constexpr double kSame = 1e-9;  // rounding of the inputs, not a physical margin
  if (!std::isfinite(intensity) || !std::isfinite(ridge) || ridge <= 0) return Regime::Unknown;
  if (std::abs(intensity - ridge) <= kSame * ridge) return Regime::Ridge;
  return intensity < ridge ? Regime::Memory : Regime::Compute;
}

std::string_view text(Regime regime) {
  switch (regime) {
    case Regime::Memory:
      return "memory-bound";
    case Regime::Compute:
      return "compute-bound";
    case Regime::Ridge:
      return "on the ridge";
    case Regime::Unknown:
      return "unknown";
  }
  return "unknown";
}

double rooflineTime(double flops, double bytes, double peak_flops_per_s, double bandwidth_bytes_per_s) {
  const double compute_s = ratio(flops, peak_flops_per_s);
  const double memory_s = ratio(bytes, bandwidth_bytes_per_s);
  if (std::isnan(compute_s) || std::isnan(memory_s)) return kNoAnswer;
  return std::max(compute_s, memory_s);
}

Work gemmWork(const GemmShape& shape) {
  const double inputs = (shape.m * shape.k + shape.k * shape.n) * shape.element_bytes;
  const double result = shape.m * shape.n * shape.result_bytes * (shape.reads_c ? 2 : 1);
  return {kFlopsPerMultiplyAdd * shape.m * shape.n * shape.k * shape.batch, (inputs + result) * shape.batch};
}

double scoreBytes(const AttentionShape& shape) {
  return shape.sequence * shape.sequence * shape.element_bytes * shape.heads;
}

Work tiledAttention(const AttentionShape& shape) {
  constexpr double kTensors = 4;   // Q, K, V, O
  constexpr double kProducts = 2;  // QK^T and PV
  const double flops =
      kProducts * kFlopsPerMultiplyAdd * shape.sequence * shape.sequence * shape.head_dim * shape.heads;
  return {flops, kTensors * shape.sequence * shape.head_dim * shape.element_bytes * shape.heads};
}

Work naiveAttention(const AttentionShape& shape) {
  constexpr double kScorePasses = 4;  // scores written and read, probabilities written and read
  Work work = tiledAttention(shape);
  work.bytes += kScorePasses * scoreBytes(shape);
  return work;
}

double IronLaw::overlapped() const {
  return std::max(data_s, compute_s) + overhead_s;
}

}  // namespace perfscope::model
