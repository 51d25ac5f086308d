// Transformer arithmetic: decode bounds, KV cache, training FLOPs, MFU, memory of the training state. Pure
// functions.
#pragma once

#include "analysis/model/roofline_formulas.h"

namespace perfscope::model {

// One decode step of a dense model: every weight is read once and used for each request of the batch.
// FLOP = 2 P B; bytes = P s_param + B d s_elem + B KV. Without the KV term intensity would grow with the
// batch without limit; with it, it saturates at 2 P / KV.
struct DecodeStep {
  double params = 0;       // per GPU
  double param_bytes = 2;  // bytes per parameter
  double batch = 1;
  double hidden = 0;  // d; 0 leaves the activation term out
  double element_bytes = 2;
  double kv_bytes_per_request = 0;  // per GPU, read in full each step
};
[[nodiscard]] Work decodeWork(const DecodeStep& step);

// Bytes of K and V of one request: 2 x layers x kv_heads x head_dim x tokens x element bytes.
struct KvShape {
  double tokens = 0;
  double layers = 0;
  double kv_heads = 0;
  double head_dim = 0;
  double element_bytes = 2;
};
[[nodiscard]] double kvBytes(const KvShape& shape);

// FLOPs of the model for `tokens` tokens: factor x P per token plus 2 x factor x layers x sequence x hidden
// for attention. factor = 6 for training (2 forward, 4 backward), 2 for inference. Source: Kaplan et al. 2020
// (6 P); Chowdhery et al. 2022 (PaLM), appendix B, for the attention term (12 L H Q T at factor 6).
struct ModelFlops {
  double params = 0;
  double tokens = 0;
  double factor = 6;
  double layers = 0;    // 0 = without the attention term
  double sequence = 0;  // attended tokens
  double hidden = 0;    // heads x head_dim
};
[[nodiscard]] double modelFlops(const ModelFlops& model);

// Model FLOPs utilisation, a share (1 = 100 %): model FLOPs per step / (GPUs x peak x step time). The
// numerator is the model's arithmetic, never a counter. More than 1 is returned as it is: it means that an
// input is wrong.
[[nodiscard]] double modelFlopsUtilisation(double model_flops, double gpus, double peak_flops_per_s,
                                           double step_s);

// Model bandwidth utilisation, a share: (weight bytes + KV bytes) read per step x steps/s / peak bandwidth.
[[nodiscard]] double modelBandwidthUtilisation(double bytes_per_step, double steps_per_s,
                                               double bandwidth_bytes_per_s);

// Bytes per parameter of the training state. Mixed-precision Adam: 2 + 2 + 4 + 8. Source: Rajbhandari et al.
// 2020.
struct TrainingState {
  double weight_bytes = 2;
  double gradient_bytes = 2;
  double master_bytes = 4;  // 0 when the weights are FP32
  double moment_bytes = 8;  // two FP32 moments
  [[nodiscard]] double bytesPerParameter() const {
    return weight_bytes + gradient_bytes + master_bytes + moment_bytes;
  }
};

// Activation bytes of `layers` transformer layers in 16 bits: L B S d (34 + 5 heads S / d). The second term
// is the quadratic attention part that tiled attention or selective recomputation drops. Source: Korthikanti
// et al. 2022.
struct ActivationShape {
  double layers = 0;
  double batch = 0;
  double sequence = 0;
  double hidden = 0;
  double heads = 0;
};
[[nodiscard]] double activationBytes(const ActivationShape& shape);
[[nodiscard]] double quadraticActivationShare(const ActivationShape& shape);

// Forward FLOPs of one transformer layer with an FFN of width 4 d: QKV 6 B S d^2, scores and values 4 B S^2
// d, output 2 B S d^2, FFN 16 B S d^2.
struct LayerFlops {
  double qkv = 0;
  double attention = 0;  // QK^T and PV together
  double output = 0;
  double ffn = 0;
  [[nodiscard]] double total() const { return qkv + attention + output + ffn; }
};
[[nodiscard]] LayerFlops layerFlops(double batch, double sequence, double hidden);

}  // namespace perfscope::model
