// Calculators about inference: decode and prefill bounds, KV cache, capacity, speculation, quantisation.
#include <algorithm>
#include <cmath>

#include "analysis/model/calculator_topics.h"
#include "analysis/model/scaling_formulas.h"
#include "analysis/model/transformer_formulas.h"

namespace perfscope::model {
namespace {

// What a measured token rate says about the bandwidth, where one is given.
void addMeasuredRate(const Inputs& in, const Work& work, std::vector<NamedValue>& values) {
  if (!in.has("tokens_per_s")) return;
  const double mbu =
      modelBandwidthUtilisation(work.bytes, ratio(in["tokens_per_s"], in["batch"]), in["bandwidth"]);
  values.push_back(
      {"mbu", mbu, "share", "bytes x tokens_per_s / (batch x bandwidth)",
       mbu > 1 ? "above 100 %: more tokens/s than the bandwidth allows, an input is wrong" : ""});
}

Values computeDecode(const Inputs& in) {
  DecodeStep step;
  step.params = in["params"] / in["gpus"];
  step.param_bytes = in["param_bytes"];
  step.batch = in["batch"];
  step.hidden = in["hidden"];
  step.element_bytes = in["elem_bytes"];
  step.kv_bytes_per_request = in["kv"] / in["gpus"];
  const Work work = decodeWork(step);
  const double memory_s = ratio(work.bytes, in["bandwidth"]);
  const double compute_s = in.has("peak") ? ratio(work.flops, in["peak"]) : 0;
  const double itl = std::max(memory_s, compute_s);
  std::vector<NamedValue> values{
      {"flops", work.flops, "FLOP", "2 params batch / gpus", "per GPU and step"},
      {"bytes", work.bytes, "byte", "(params param_bytes + batch kv) / gpus + batch hidden elem_bytes",
       in["kv"] > 0 ? "per GPU and step" : "per GPU and step; without KV traffic, so a lower bound"},
      {"intensity", work.intensity(), "FLOP/byte", "flops / bytes", ""},
      {"itl_bound", itl, "s", "max(bytes / bandwidth, flops / peak)",
       compute_s > memory_s ? "compute-bound" : "memory-bound"},
      {"tokens_per_s_per_request", ratio(1, itl), "1/s", "1 / itl_bound", "upper bound"},
      {"tokens_per_s_bound", ratio(in["batch"], itl), "1/s", "batch / itl_bound",
       "upper bound, all requests"}};
  if (in["kv"] > 0) {
    values.push_back({"intensity_limit", ratio(2 * in["params"], in["kv"]), "FLOP/byte", "2 params / kv",
                      "no batch exceeds this intensity, because every request brings its own KV cache"});
  }
  addMeasuredRate(in, work, values);
  return values;
}

Values computePrefill(const Inputs& in) {
  ModelFlops model;
  model.params = in["params"];
  model.tokens = in["tokens"];
  model.factor = 2;
  const Work work{modelFlops(model), in["params"] * in["param_bytes"]};
  std::vector<NamedValue> values{
      {"flops", work.flops, "FLOP", "2 params tokens", "without the attention term"},
      {"bytes", work.bytes, "byte", "params param_bytes", "weights only, read once"},
      {"intensity", work.intensity(), "FLOP/byte", "2 tokens / param_bytes", ""}};
  if (in.has("peak") && in.has("bandwidth")) {
    values.push_back(
        {"time_bound",
         rooflineTime(work.flops, work.bytes, in["peak"] * in["gpus"], in["bandwidth"] * in["gpus"]), "s",
         "max(flops / (peak gpus), bytes / (bandwidth gpus))", "lower bound"});
  }
  return values;
}

Values computeKv(const Inputs& in) {
  KvShape shape{in["tokens"], in["layers"], in["kv_heads"], in["head_dim"], in["elem_bytes"]};
  const double request = kvBytes(shape);
  std::vector<NamedValue> values{
      {"per_token", ratio(request, in["tokens"]), "byte", "2 layers kv_heads head_dim elem_bytes", "K and V"},
      {"per_request", request, "byte", "per_token x tokens", ""},
      {"total", request * in["batch"], "byte", "per_request x batch", ""}};
  if (in.has("used_tokens")) {
    if (in["used_tokens"] > in["tokens"]) {
      return failure(ErrorKind::Usage, "calc kv", "used_tokens exceeds the allocated tokens",
                     "give tokens=ALLOCATED used_tokens=USED");
    }
    values.push_back({"wasted", 1 - ratio(in["used_tokens"], in["tokens"]), "share",
                      "(tokens - used_tokens) / tokens", "of the preallocated cache"});
  }
  return values;
}

Values computeCapacity(const Inputs& in) {
  const double free_bytes = in["memory"] - in["weights"];
  const double requests = std::floor(ratio(std::max(free_bytes, 0.0), in["kv"]));
  return std::vector<NamedValue>{
      {"free", free_bytes, "byte", "memory - weights",
       free_bytes < 0 ? "the weights do not fit" : "the data sheet's memory is more than a device has free"},
      {"requests", requests, "count", "floor(free / kv)", ""}};
}

Values computeSpeculative(const Inputs& in) {
  const double tokens = speculativeTokens(in["acceptance"], in["drafted"]);
  const double round = in["draft_time"] + in["verify_time"];
  const double itl = ratio(round, tokens);
  return std::vector<NamedValue>{
      {"tokens_per_round", tokens, "x", "(1 - acceptance^(drafted + 1)) / (1 - acceptance)", "expected"},
      {"itl", itl, "s", "(draft_time + verify_time) / tokens_per_round", "effective time per token"},
      {"gain", ratio(in["itl"], itl), "x", "plain itl / effective itl", ""}};
}

Values computeQuantise(const Inputs& in) {
  const double extra = ratio(in["scale_bits"], in["group"]);
  const double bits = in["bits"] + extra;
  std::vector<NamedValue> values{
      {"bits_per_weight", bits, "bit", "bits + scale_bits / group", ""},
      {"overhead", ratio(extra, in["bits"]), "share", "scale_bits / (group bits)",
       "of the quantised weights"},
      {"overhead_of_original", ratio(extra, in["from_bits"]), "share", "scale_bits / (group from_bits)", ""},
      {"shrinks_to", ratio(bits, in["from_bits"]), "share", "bits_per_weight / from_bits", ""}};
  if (in.has("params")) {
    const double size = in["params"] * bits / 8;
    values.push_back({"size", size, "byte", "params x bits_per_weight / 8", ""});
    values.push_back(
        {"freed", in["params"] * in["from_bits"] / 8 - size, "byte", "params x from_bits / 8 - size", ""});
  }
  return values;
}

InputSpec paramsInput() {
  return {"params", "", Domain::Positive, "parameters of the model"};
}
InputSpec paramBytesInput() {
  return {"param_bytes", "byte", Domain::Positive, "bytes of one parameter", "2"};
}
InputSpec gpusInput() {
  return {"gpus", "", Domain::Count, "GPUs that share the weights evenly", "1"};
}

Calculator decodeCalculator() {
  return {"decode",
          "What is the shortest time per generated token?",
          "gpu=H100 params=70B gpus=8 kv=1.342GB batch=64",
          {paramsInput(),
           paramBytesInput(),
           {"batch", "", Domain::Count, "requests decoded together", "1"},
           gpusInput(),
           {"hidden", "", Domain::Whole, "model width, for the activation traffic", "0"},
           {"elem_bytes", "byte", Domain::Positive, "bytes of an activation", "2"},
           {"kv", "byte", Domain::NonNegative, "KV cache of one request (see calc kv)", "0"},
           bandwidthInput(),
           optionally(peakInput()),
           {"tokens_per_s", "", Domain::Positive, "measured rate of all requests", "", GpuCell::None, true}},
          computeDecode};
}

}  // namespace

std::vector<Calculator> inferenceCalculators() {
  return {
      decodeCalculator(),
      {"prefill",
       "Intensity and least time of reading a prompt",
       "gpu=H200 params=8.03B tokens=1024",
       {paramsInput(),
        {"tokens", "", Domain::Count, "prompt tokens"},
        paramBytesInput(),
        gpusInput(),
        optionally(peakInput()),
        optionally(bandwidthInput())},
       computePrefill},
      {"kv",
       "How large is the KV cache?",
       "tokens=4096 layers=80 kv_heads=8 head_dim=128",
       {{"tokens", "", Domain::Count, "tokens held per request"},
        {"layers", "", Domain::Count, "layers"},
        {"kv_heads", "", Domain::Count, "K/V heads (fewer than query heads with GQA)"},
        {"head_dim", "", Domain::Count, "width of a head"},
        {"elem_bytes", "byte", Domain::Positive, "bytes of one element", "2"},
        {"batch", "", Domain::Count, "requests", "1"},
        {"used_tokens", "", Domain::Whole, "tokens really used", "", GpuCell::None, true}},
       computeKv},
      {"capacity",
       "How many requests fit beside the weights?",
       "gpu=H100 weights=17.5GB kv=167.8MB",
       {{"memory", "byte", Domain::Positive, "memory of one GPU", "", GpuCell::Memory},
        {"weights", "byte", Domain::NonNegative, "weights on that GPU"},
        {"kv", "byte", Domain::Positive, "KV cache of one request on that GPU"}},
       computeCapacity},
      {"speculative",
       "What does speculative decoding gain?",
       "acceptance=0.78 drafted=5 draft_time=4ms verify_time=32ms itl=32ms",
       {{"acceptance", "", Domain::Fraction, "probability that a drafted token is accepted"},
        {"drafted", "", Domain::Count, "drafted tokens per round"},
        {"draft_time", "s", Domain::NonNegative, "time to draft them"},
        {"verify_time", "s", Domain::Positive, "time to verify them"},
        {"itl", "s", Domain::Positive, "time per token without speculation"}},
       computeSpeculative},
      {"quantise",
       "Effective bits and size of block-quantised weights",
       "bits=4 group=64 params=8.75B",
       {{"bits", "", Domain::Positive, "bits of a quantised weight"},
        {"group", "", Domain::Count, "weights per scale"},
        {"scale_bits", "", Domain::NonNegative, "bits of a scale", "16"},
        {"from_bits", "", Domain::Positive, "bits of an original weight", "16"},
        {"params", "", Domain::Positive, "parameters", "", GpuCell::None, true}},
       computeQuantise},
  };
}

}  // namespace perfscope::model
