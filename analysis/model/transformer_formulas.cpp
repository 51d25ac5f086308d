// Transformer arithmetic; the formulas and their sources are in the header.
#include "analysis/model/transformer_formulas.h"

#include <limits>

namespace perfscope::model {
namespace {

constexpr double kFlopsPerParameter = 2;  // one multiply-add a parameter and token, forward
constexpr double kKeyAndValue = 2;
constexpr double kLinearActivationBytes = 34;    // Korthikanti et al. 2022, eq. 1, per B S d
constexpr double kQuadraticActivationBytes = 5;  // per B S^2 and head

}  // namespace

Work decodeWork(const DecodeStep& step) {
  return {kFlopsPerParameter * step.params * step.batch,
          step.params * step.param_bytes +
              step.batch * (step.hidden * step.element_bytes + step.kv_bytes_per_request)};
}

double kvBytes(const KvShape& shape) {
  return kKeyAndValue * shape.layers * shape.kv_heads * shape.head_dim * shape.tokens * shape.element_bytes;
}

double modelFlops(const ModelFlops& model) {
  const double attention_per_token = 2 * model.factor * model.layers * model.sequence * model.hidden;
  return model.tokens * (model.factor * model.params + attention_per_token);
}

double modelFlopsUtilisation(double model_flops, double gpus, double peak_flops_per_s, double step_s) {
  if (!(gpus > 0) || !(peak_flops_per_s > 0)) return std::numeric_limits<double>::quiet_NaN();
  return ratio(model_flops, gpus * peak_flops_per_s * step_s);
}

double modelBandwidthUtilisation(double bytes_per_step, double steps_per_s, double bandwidth_bytes_per_s) {
  return ratio(bytes_per_step * steps_per_s, bandwidth_bytes_per_s);
}

double activationBytes(const ActivationShape& shape) {
  const double linear = shape.layers * shape.batch * shape.sequence * shape.hidden * kLinearActivationBytes;
  const double quadratic =
      shape.layers * shape.batch * shape.sequence * shape.sequence * shape.heads * kQuadraticActivationBytes;
  return linear + quadratic;
}

double quadraticActivationShare(const ActivationShape& shape) {
  ActivationShape without = shape;
  without.heads = 0;
  const double all = activationBytes(shape);
  return ratio(all - activationBytes(without), all);
}

LayerFlops layerFlops(double batch, double sequence, double hidden) {
  const double square = batch * sequence * hidden * hidden;
  LayerFlops flops;
  flops.qkv = 6 * square;
  flops.attention = 4 * batch * sequence * sequence * hidden;
  flops.output = 2 * square;
  flops.ffn = 16 * square;
  return flops;
}

}  // namespace perfscope::model
