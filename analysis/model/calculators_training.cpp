// Calculators about training: operations and time, MFU, memory of the state, activations, layers.
#include <cmath>

#include "analysis/model/calculator_topics.h"
#include "analysis/model/transformer_formulas.h"

namespace perfscope::model {
namespace {

constexpr double kSecondsPerDay = 86400;
constexpr double kSecondsPerHour = 3600;
constexpr double kBackwardPerForward = 2;

Values computeTraining(const Inputs& in) {
  ModelFlops model;
  model.params = in["params"];
  model.tokens = in["tokens"];
  const double flops = modelFlops(model);
  const double one_gpu = ratio(flops, in["peak"] * in["mfu"]);
  const double time = ratio(one_gpu, in["gpus"]);
  const double forward = time / (1 + kBackwardPerForward);
  std::vector<NamedValue> values{{"flops", flops, "FLOP", "6 params tokens",
                                  "2 forward, 4 backward; no recomputation, no attention term"},
                                 {"time_one_gpu", one_gpu, "s", "flops / (peak mfu)", ""},
                                 {"time", time, "s", "flops / (peak mfu gpus)", "perfect scaling"},
                                 {"days", time / kSecondsPerDay, "d", "time / 86400", ""},
                                 {"forward_time", forward, "s", "time / 3", ""},
                                 {"backward_time", forward * kBackwardPerForward, "s", "2 time / 3", ""},
                                 {"gpu_hours", one_gpu / kSecondsPerHour, "h", "time x gpus", ""}};
  if (in.has("price")) {
    const double rent = in["price"] * one_gpu / kSecondsPerHour;
    values.push_back({"rent", rent, "USD", "price x gpu_hours", ""});
    if (in.has("purchase")) {
      const double buy = in["purchase"] * in["gpus"];
      values.push_back({"buy", buy, "USD", "purchase x gpus", ""});
      values.push_back({"buy_to_rent", ratio(buy, rent), "x", "buy / rent", ""});
    }
  }
  return values;
}

Values computeMfu(const Inputs& in) {
  ModelFlops model;
  model.params = in["params"];
  model.tokens = in["tokens"];
  model.factor = in["factor"];
  model.layers = in["layers"];
  model.sequence = in["seq"];
  model.hidden = in["hidden"];
  const double flops = modelFlops(model);
  const double mfu = modelFlopsUtilisation(flops, in["gpus"], in["peak"], in["step_time"]);
  std::string note = "the numerator is the model's arithmetic; recomputation and padding do not count";
  if (mfu > 1) note = "above 100 %: an input is wrong, this is no result";
  return std::vector<NamedValue>{
      {"model_flops", flops, "FLOP", "tokens (factor params + 2 factor layers seq hidden)", ""},
      {"achieved", ratio(flops, in["step_time"]), "FLOP/s", "model_flops / step_time", "all GPUs"},
      {"mfu", mfu, "share", "model_flops / (gpus peak step_time)", std::move(note)},
      {"rest", 1 - mfu, "share", "1 - mfu", ""}};
}

Values computeMemory(const Inputs& in) {
  const TrainingState state{in["weight_bytes"], in["gradient_bytes"], in["master_bytes"], in["moment_bytes"]};
  const double total = in["params"] * state.bytesPerParameter();
  return std::vector<NamedValue>{
      {"weights", in["params"] * state.weight_bytes, "byte", "params weight_bytes", ""},
      {"moments", in["params"] * state.moment_bytes, "byte", "params moment_bytes", ""},
      {"bytes_per_parameter", state.bytesPerParameter(), "byte",
       "weight_bytes + gradient_bytes + master_bytes + moment_bytes", ""},
      {"state", total, "byte", "params bytes_per_parameter", "without activations and workspace"},
      {"over_weights", ratio(total, in["params"] * state.weight_bytes), "x", "state / weights", ""},
      {"state_per_gpu", ratio(total, in["shards"]), "byte", "state / shards", "all parts sharded evenly"},
      {"state_and_activations", ratio(total, in["shards"]) + in["activations"], "byte",
       "state_per_gpu + activations", ""}};
}

Values computeActivations(const Inputs& in) {
  const ActivationShape shape{in["layers"], in["batch"], in["seq"], in["hidden"], in["heads"]};
  const double all = activationBytes(shape);
  const double quadratic = quadraticActivationShare(shape);
  return std::vector<NamedValue>{
      {"activations", all, "byte", "layers batch seq hidden (34 + 5 heads seq / hidden)",
       "16 bits, nothing recomputed"},
      {"quadratic_share", quadratic, "share", "5 heads seq / hidden / (34 + 5 heads seq / hidden)",
       "what tiled attention or selective recomputation drops"},
      {"without_quadratic", all * (1 - quadratic), "byte", "activations x (1 - quadratic_share)", ""},
      {"fp32", 2 * all, "byte", "2 activations", "kept in 32 bits"}};
}

Values computeCheckpoint(const Inputs& in) {
  const double held = in["checkpoints"] + ratio(in["layers"], in["checkpoints"]);
  return std::vector<NamedValue>{{"layers_held", held, "x", "checkpoints + layers / checkpoints", ""},
                                 {"saved", 1 - ratio(held, in["layers"]), "share", "1 - layers_held / layers",
                                  "of the activation memory"},
                                 {"extra_compute", 1 / (1 + kBackwardPerForward), "share", "1 forward of 3",
                                  "of the work without checkpoints"}};
}

Values computeLayer(const Inputs& in) {
  const LayerFlops flops = layerFlops(in["batch"], in["seq"], in["hidden"]);
  const double step = flops.total() * in["layers"] * (1 + kBackwardPerForward);
  std::vector<NamedValue> values{
      {"qkv", flops.qkv, "FLOP", "6 batch seq hidden^2", ""},
      {"scores", flops.attention / 2, "FLOP", "2 batch seq^2 hidden", "QK^T alone"},
      {"attention", flops.attention, "FLOP", "4 batch seq^2 hidden", "QK^T and PV"},
      {"output", flops.output, "FLOP", "2 batch seq hidden^2", ""},
      {"ffn", flops.ffn, "FLOP", "16 batch seq hidden^2", "width 4 hidden"},
      {"layer", flops.total(), "FLOP", "qkv + attention + output + ffn", "forward"},
      {"step", step, "FLOP", "3 layer layers", "forward and backward, without embeddings"}};
  if (in.has("peak")) {
    values.push_back({"step_time_bound", ratio(step, in["peak"]), "s", "step / peak", "one GPU at its peak"});
    if (in.has("step_time")) {
      values.push_back({"gpus_at_peak", std::ceil(ratio(step, in["peak"] * in["step_time"])), "count",
                        "ceil(step / (peak step_time))", "at the full peak, which nobody reaches"});
    }
  }
  return values;
}

InputSpec params() {
  return {"params", "", Domain::Positive, "parameters of the model"};
}
InputSpec count(std::string_view name, std::string_view doc, std::string_view default_text = "") {
  return {name, "", Domain::Count, doc, default_text};
}
InputSpec bytesOf(std::string_view name, std::string_view doc, std::string_view default_text) {
  return {name, "byte", Domain::NonNegative, doc, default_text};
}

Calculator mfuCalculator() {
  return {"mfu",
          "Which share of the peak goes into the model's own arithmetic?",
          "gpu=A100-80 params=7B tokens=1024 step_time=1.2s",
          {params(),
           {"tokens", "", Domain::Positive, "tokens per step, all GPUs"},
           {"step_time", "s", Domain::Positive, "time of one step"},
           count("gpus", "GPUs", "1"),
           peakInput(),
           {"factor", "", Domain::Positive, "FLOPs per parameter and token: 6 training, 2 inference", "6"},
           {"layers", "", Domain::Whole, "for the attention term", "0"},
           {"seq", "", Domain::Whole, "attended tokens, for the attention term", "0"},
           {"hidden", "", Domain::Whole, "heads x head_dim, for the attention term", "0"}},
          computeMfu};
}

Calculator trainingCalculator() {
  return {"training",
          "How long does a training run take, and what does it cost?",
          "gpu=H100 params=70B tokens=2T mfu=50% gpus=1024 price=3",
          {params(),
           {"tokens", "", Domain::Positive, "training tokens"},
           peakInput(),
           {"mfu", "", Domain::Fraction, "model FLOPs utilisation, measured; there is no default"},
           count("gpus", "GPUs", "1"),
           {"price", "USD/h", Domain::Positive, "price of a GPU hour", "", GpuCell::None, true},
           {"purchase", "USD", Domain::Positive, "price of a GPU", "", GpuCell::None, true}},
          computeTraining};
}

}  // namespace

std::vector<Calculator> trainingCalculators() {
  return {
      trainingCalculator(),
      mfuCalculator(),
      {"memory",
       "How much memory does the training state need?",
       "params=7B",
       {params(), bytesOf("weight_bytes", "bytes of a weight", "2"),
        bytesOf("gradient_bytes", "bytes of a gradient", "2"),
        bytesOf("master_bytes", "bytes of the FP32 copy (0 = none)", "4"),
        bytesOf("moment_bytes", "bytes of the optimiser's moments", "8"),
        count("shards", "GPUs the state is sharded over", "1"),
        bytesOf("activations", "activation memory of one GPU (see calc activations)", "0")},
       computeMemory},
      {"activations",
       "How much memory do the activations need?",
       "layers=48 batch=4 seq=1024 hidden=1600 heads=25",
       {count("layers", "transformer layers"), count("batch", "sequences"), count("seq", "sequence length"),
        count("hidden", "model width"), count("heads", "attention heads")},
       computeActivations},
      {"checkpoint",
       "What does activation checkpointing save?",
       "layers=48 checkpoints=7",
       {count("layers", "layers"), count("checkpoints", "checkpoints kept")},
       computeCheckpoint},
      {"layer",
       "FLOPs of a transformer layer by part",
       "batch=32 seq=1024 hidden=1600 layers=48",
       {count("batch", "sequences"),
        count("seq", "sequence length"),
        count("hidden", "model width"),
        count("layers", "layers", "1"),
        optionally(peakInput()),
        {"step_time", "s", Domain::Positive, "wanted time of a step", "", GpuCell::None, true}},
       computeLayer},
  };
}

}  // namespace perfscope::model
