// Roofline arithmetic: ridge, attainable rate, intensity of the common operations. Pure functions on doubles.
#pragma once

#include <cstdint>
#include <string_view>

namespace perfscope::model {

// Convention of all formulas: rates in FLOP/s (FMA = 2), bandwidths in bytes/s, times in s, sizes in bytes.
// An answer that does not exist (division by something that is not positive, input not finite) is NaN, never
// 0; callers that store a figure turn NaN into "not measured".
[[nodiscard]] double ratio(double numerator, double denominator);

// FLOP/byte where the two roofs meet: peak / bandwidth. Source: Williams, Waterman, Patterson, "Roofline"
// (2009).
[[nodiscard]] double ridgePoint(double peak_flops_per_s, double bandwidth_bytes_per_s);

// FLOP/s: min(peak, bandwidth x intensity). Same source.
[[nodiscard]] double attainable(double peak_flops_per_s, double bandwidth_bytes_per_s, double intensity);

// Left of the ridge the memory roof is the lower one. On the ridge itself both are equal.
enum class Regime : std::uint8_t { Memory, Compute, Ridge, Unknown };
[[nodiscard]] Regime regime(double intensity, double ridge);
[[nodiscard]] std::string_view text(
    Regime regime);  // "memory-bound", "compute-bound", "on the ridge", "unknown"

// Seconds the work needs at least: max(flops / peak, bytes / bandwidth).
[[nodiscard]] double rooflineTime(double flops, double bytes, double peak_flops_per_s,
                                  double bandwidth_bytes_per_s);

struct Work {
  double flops = 0;
  double bytes = 0;
  [[nodiscard]] double intensity() const { return ratio(flops, bytes); }
};

// C[m,n] = A[m,k] B[k,n], `batch` times: 2mnk FLOP; every operand read once, the result written once and,
// with `reads_c` (beta != 0), read once too.
struct GemmShape {
  double m = 0;
  double n = 0;
  double k = 0;
  double batch = 1;
  double element_bytes = 2;  // A and B
  double result_bytes = 2;   // C
  bool reads_c = false;
};
[[nodiscard]] Work gemmWork(const GemmShape& shape);

// Exact attention of `heads` heads, no mask: QK^T and PV are 2 S^2 d FLOP each.
struct AttentionShape {
  double sequence = 0;
  double head_dim = 0;
  double heads = 1;
  double element_bytes = 2;
};
// The scores and the probabilities go to memory and back: 4 S^2 elements plus Q, K, V, O (4 S d).
[[nodiscard]] Work naiveAttention(const AttentionShape& shape);
// Tiled (FlashAttention): only Q, K, V and O move. Source: Dao et al. 2022, counting each tensor once.
[[nodiscard]] Work tiledAttention(const AttentionShape& shape);
// Bytes of one S x S matrix over all heads.
[[nodiscard]] double scoreBytes(const AttentionShape& shape);

// The iron law T = D/BW + O/(R eta) + L (nothing overlaps) and max(D/BW, O/(R eta)) + L (everything does), in
// s.
struct IronLaw {
  double data_s = 0;
  double compute_s = 0;
  double overhead_s = 0;
  [[nodiscard]] double additive() const { return data_s + compute_s + overhead_s; }
  [[nodiscard]] double overlapped() const;
};

}  // namespace perfscope::model
