// Calculators about single operations: GEMM, attention, elementwise; FLOPs, bytes and intensity.
#include "analysis/model/calculator_topics.h"
#include "analysis/model/roofline_formulas.h"

namespace perfscope::model {
namespace {

// Adds attainable rate and least time where a peak and a bandwidth are known.
void addBounds(const Inputs& in, const Work& work, std::vector<NamedValue>& values) {
  if (!in.has("peak") || !in.has("bandwidth")) return;
  const double ridge = ridgePoint(in["peak"], in["bandwidth"]);
  values.push_back(
      {"ridge", ridge, "FLOP/byte", "peak / bandwidth", std::string(text(regime(work.intensity(), ridge)))});
  values.push_back({"time_bound", rooflineTime(work.flops, work.bytes, in["peak"], in["bandwidth"]), "s",
                    "max(flops / peak, bytes / bandwidth)", "the data-sheet roof, not a prediction"});
}

Values computeGemm(const Inputs& in) {
  GemmShape shape;
  shape.m = in["m"];
  shape.n = in["n"];
  shape.k = in["k"];
  shape.batch = in["batch"];
  shape.element_bytes = in["elem_bytes"];
  shape.result_bytes = in.has("result_bytes") ? in["result_bytes"] : in["elem_bytes"];
  shape.reads_c = in["beta"] != 0;
  const Work work = gemmWork(shape);
  std::vector<NamedValue> values{
      {"flops", work.flops, "FLOP", "2 m n k batch", ""},
      {"multiply_adds", work.flops / 2, "count", "m n k batch", ""},
      {"bytes", work.bytes, "byte", "((m k + k n) elem_bytes + m n result_bytes (1 or 2)) batch",
       "each operand once; C is read too when beta is not 0"},
      {"intensity", work.intensity(), "FLOP/byte", "flops / bytes", ""}};
  addBounds(in, work, values);
  return values;
}

Values computeAttention(const Inputs& in) {
  const AttentionShape shape{in["seq"], in["head_dim"], in["heads"] * in["batch"], in["elem_bytes"]};
  const Work naive = naiveAttention(shape);
  const Work tiled = tiledAttention(shape);
  const double scores = scoreBytes(shape);
  const double score_flops = tiled.flops / 2;
  std::vector<NamedValue> values{
      {"flops", tiled.flops, "FLOP", "4 seq^2 head_dim heads batch", "dense, no mask"},
      {"score_bytes", scores, "byte", "seq^2 elem_bytes heads batch", "one seq x seq matrix"},
      {"naive_bytes", naive.bytes, "byte", "4 score_bytes + 4 seq head_dim elem_bytes heads batch",
       "scores and probabilities each written and read"},
      {"tiled_bytes", tiled.bytes, "byte", "4 seq head_dim elem_bytes heads batch",
       "only Q, K, V and O move"},
      {"traffic_ratio", ratio(naive.bytes, tiled.bytes), "x", "naive_bytes / tiled_bytes", ""},
      {"naive_intensity", naive.intensity(), "FLOP/byte", "flops / naive_bytes", ""},
      {"tiled_intensity", tiled.intensity(), "FLOP/byte", "flops / tiled_bytes", ""},
      {"score_intensity", ratio(score_flops, 2 * scores), "FLOP/byte", "2 seq^2 head_dim / (2 score_bytes)",
       "QK^T alone, counting only the scores written and read"}};
  addBounds(in, tiled, values);
  return values;
}

Values computeElementwise(const Inputs& in) {
  const double bytes = (in["reads"] + in["writes"]) * in["elem_bytes"];
  const Work work{in["flops_per_element"] * in["elements"], bytes * in["elements"]};
  std::vector<NamedValue> values{
      {"bytes_per_element", bytes, "byte", "(reads + writes) elem_bytes", ""},
      {"intensity", work.intensity(), "FLOP/byte", "flops_per_element / bytes_per_element", ""},
      {"bytes", work.bytes, "byte", "bytes_per_element x elements", ""}};
  addBounds(in, work, values);
  return values;
}

}  // namespace

std::vector<Calculator> operationCalculators() {
  const InputSpec peak = peakInput();
  const InputSpec bandwidth = bandwidthInput();
  const InputSpec element{"elem_bytes", "byte", Domain::Positive, "bytes of one element", "2"};
  return {
      {"gemm",
       "FLOPs, bytes and intensity of a matrix product",
       "m=4096 n=4096 k=4096 gpu=H200",
       {{"m", "", Domain::Count, "rows of A and C"},
        {"n", "", Domain::Count, "columns of B and C"},
        {"k", "", Domain::Count, "inner dimension"},
        {"batch", "", Domain::Count, "products", "1"},
        element,
        {"result_bytes", "byte", Domain::Positive, "bytes of an element of C, if not elem_bytes", "",
         GpuCell::None, true},
        {"beta", "", Domain::NonNegative, "0 = C is only written", "0"},
        optionally(peak),
        optionally(bandwidth)},
       computeGemm},
      {"attention",
       "Traffic of attention with and without tiling",
       "seq=8192 head_dim=128 heads=64",
       {{"seq", "", Domain::Count, "sequence length"},
        {"head_dim", "", Domain::Count, "width of a head"},
        {"heads", "", Domain::Count, "heads", "1"},
        {"batch", "", Domain::Count, "sequences", "1"},
        element,
        optionally(peak),
        optionally(bandwidth)},
       computeAttention},
      {"elementwise",
       "Intensity of an elementwise operation",
       "flops_per_element=5",
       {{"flops_per_element", "FLOP", Domain::Positive, "FLOPs per element"},
        {"reads", "", Domain::Whole, "tensors read", "1"},
        {"writes", "", Domain::Count, "tensors written", "1"},
        element,
        {"elements", "", Domain::Count, "elements", "1"},
        optionally(peak),
        optionally(bandwidth)},
       computeElementwise},
  };
}

}  // namespace perfscope::model
