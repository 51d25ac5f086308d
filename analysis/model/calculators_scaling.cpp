// Calculators about scaling: collectives, overlap, Amdahl, pipelines, feeding the GPU, scaling tax.
#include <algorithm>
#include <cmath>

#include "analysis/model/calculator_topics.h"
#include "analysis/model/roofline_formulas.h"
#include "analysis/model/scaling_formulas.h"

namespace perfscope::model {
namespace {

Values computeRing(const Inputs& in) {
  const double factor = ringAllReduceFactor(in["ranks"]);
  const double time = ringAllReduceTime(in["bytes"], in["ranks"], in["bandwidth"], in["step_latency"]);
  std::vector<NamedValue> values{
      {"factor", factor, "x", "2 (ranks - 1) / ranks", "all-gather and reduce-scatter: half of it"},
      {"wire_bytes", factor * in["bytes"], "byte", "factor x bytes", "sent by each rank"},
      {"time", time, "s", "wire_bytes / bandwidth + 2 (ranks - 1) step_latency", ""}};
  if (time > 0) {
    values.push_back({"algorithm_bandwidth", ratio(in["bytes"], time), "byte/s", "bytes / time", ""});
    values.push_back(
        {"bus_bandwidth", ratio(factor * in["bytes"], time), "byte/s", "factor x bytes / time", ""});
  }
  if (in.has("compute")) {
    values.push_back({"efficiency", ratio(in["compute"], in["compute"] + time), "share",
                      "compute / (compute + time)", "nothing overlaps"});
  }
  return values;
}

Values computeOverlap(const Inputs& in) {
  const double serial = in["compute"] + in["communication"];
  const double overlapped = std::max(in["compute"], in["communication"]);
  return std::vector<NamedValue>{
      {"serial", serial, "s", "compute + communication", "nothing overlaps"},
      {"overlapped", overlapped, "s", "max(compute, communication)", "everything overlaps"},
      {"gain", ratio(serial, overlapped), "x", "serial / overlapped", "upper bound"}};
}

Values computeAmdahl(const Inputs& in) {
  const double speedup = amdahlSpeedup(in["share"], in["factor"]);
  std::vector<NamedValue> values{
      {"time", ratio(1, speedup), "share", "1 - share + share / factor", "of the time before"},
      {"speedup", speedup, "x", "1 / time", ""}};
  if (const auto limit = amdahlLimit(in["share"])) {
    values.push_back({"limit", *limit, "x", "1 / (1 - share)", "no factor exceeds it"});
  }
  return values;
}

Values computeShare(const Inputs& in) {
  const double share = shareFromSpeedup(in["speedup"], in["factor"]);
  return std::vector<NamedValue>{
      {"share", share, "share", "(1 - 1 / speedup) / (1 - 1 / factor)",
       share > 1 ? "above 100 %: the part alone cannot explain the gain" : "of the time before"}};
}

Values computePipeline(const Inputs& in) {
  const double utilisation = pipelineUtilisation(in["stages"], in["microbatches"]);
  return std::vector<NamedValue>{
      {"utilisation", utilisation, "share", "microbatches / (microbatches + stages - 1)", "equal stages"},
      {"bubble", 1 - utilisation, "share", "1 - utilisation", ""}};
}

Values computeFeed(const Inputs& in) {
  const double per_step = ratio(in["prepare"], in["workers"]);
  const double step = std::max(per_step, in["step"]);
  return std::vector<NamedValue>{
      {"serial_step", in["prepare"] + in["step"], "s", "prepare + step", "one after the other"},
      {"serial_utilisation", ratio(in["step"], in["prepare"] + in["step"]), "share",
       "step / (prepare + step)", ""},
      {"pipelined_step", step, "s", "max(prepare / workers, step)",
       per_step > in["step"] ? "input-bound" : "GPU-bound"},
      {"pipelined_utilisation", ratio(in["step"], step), "share", "step / pipelined_step", ""},
      {"workers_needed", std::ceil(ratio(in["prepare"], in["step"])), "count", "ceil(prepare / step)", ""}};
}

Values computeTax(const Inputs& in) {
  const double tax = 1 - ratio(in["fleet"], in["node"]);
  std::vector<NamedValue> values{{"tax", tax, "share", "1 - fleet / node",
                                  tax < 0 ? "negative: the fleet beats the node, an input is wrong" : ""}};
  if (in.has("predicted")) {
    values.push_back({"time", ratio(in["predicted"], 1 - tax), "s", "predicted / (1 - tax)", ""});
  }
  return values;
}

Calculator ringCalculator() {
  return {"ring",
          "How long does a ring all-reduce take?",
          "gpu=H100 bytes=16.06GB ranks=8",
          {{"bytes", "byte", Domain::Positive, "buffer of one rank"},
           {"ranks", "", Domain::Count, "ranks in the ring"},
           {"bandwidth", "byte/s", Domain::Positive, "link bandwidth, one direction", "", GpuCell::Nvlink},
           {"step_latency", "s", Domain::NonNegative, "latency of one of the 2 (ranks - 1) steps", "0"},
           {"compute", "s", Domain::Positive, "compute time beside it", "", GpuCell::None, true}},
          computeRing};
}

}  // namespace

std::vector<Calculator> scalingCalculators() {
  return {
      ringCalculator(),
      {"overlap",
       "What can hiding communication gain at most?",
       "compute=249.4ms communication=62.5ms",
       {{"compute", "s", Domain::Positive, "compute time"},
        {"communication", "s", Domain::NonNegative, "communication time"}},
       computeOverlap},
      {"amdahl",
       "What does speeding up a part give the whole?",
       "share=60% factor=2",
       {{"share", "", Domain::Fraction, "share of the time that gets faster"},
        {"factor", "", Domain::Positive, "how many times faster (or workers)"}},
       computeAmdahl},
      {"share",
       "Which share of the time explains an observed gain?",
       "speedup=1.05 factor=2",
       {{"speedup", "", Domain::Positive, "observed speed-up of the whole"},
        {"factor", "", Domain::Positive, "speed-up of the part"}},
       computeShare},
      {"pipeline",
       "How busy are the stages of a pipeline?",
       "stages=4 microbatches=8",
       {{"stages", "", Domain::Count, "stages"},
        {"microbatches", "", Domain::Count, "micro-batches in flight", "1"}},
       computePipeline},
      {"feed",
       "Does the input pipeline keep the GPU busy?",
       "prepare=40ms step=10ms workers=4",
       {{"prepare", "s", Domain::Positive, "time to prepare one batch"},
        {"step", "s", Domain::Positive, "GPU time of one step"},
        {"workers", "", Domain::Count, "batches prepared at once", "1"}},
       computeFeed},
      {"tax",
       "What does scaling out cost?",
       "fleet=48% node=65%",
       {{"fleet", "", Domain::Fraction, "utilisation of the fleet"},
        {"node", "", Domain::Fraction, "utilisation of one node"},
        {"predicted", "s", Domain::Positive, "time predicted without the tax", "", GpuCell::None, true}},
       computeTax},
  };
}

}  // namespace perfscope::model
