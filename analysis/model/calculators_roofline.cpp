// Calculators about the roofline: ridge, attainable rate, achieved point, iron law.
#include "analysis/model/calculator_topics.h"
#include "analysis/model/roofline_formulas.h"

namespace perfscope::model {
namespace {

std::string aboveHundred(double share) {
  return share > 1 ? "above 100 %: an input or the ceiling is wrong (or the clock exceeds the data sheet's)"
                   : "";
}

Values computeRidge(const Inputs& in) {
  return std::vector<NamedValue>{{"ridge", ridgePoint(in["peak"], in["bandwidth"]), "FLOP/byte",
                                  "peak / bandwidth",
                                  "below it memory is the lower roof, above it arithmetic"}};
}

Values computeRoofline(const Inputs& in) {
  const double ridge = ridgePoint(in["peak"], in["bandwidth"]);
  const double rate = attainable(in["peak"], in["bandwidth"], in["intensity"]);
  return std::vector<NamedValue>{
      {"ridge", ridge, "FLOP/byte", "peak / bandwidth", ""},
      {"attainable", rate, "FLOP/s", "min(peak, bandwidth x intensity)",
       std::string(text(regime(in["intensity"], ridge)))},
      {"share_of_peak", ratio(rate, in["peak"]), "share", "attainable / peak", ""}};
}

// Verdict thresholds of the report: 60 % of a roof counts as reaching it.
constexpr double kReachesRoof = 0.6;

std::string achievedVerdict(double of_peak, double of_bandwidth, double intensity, double ridge) {
  if (intensity < ridge && of_bandwidth >= kReachesRoof) return "memory-bound: cut bytes (fusion), not FLOP";
  if (intensity >= ridge && of_peak >= kReachesRoof) return "compute-bound: fewer FLOP or a faster unit";
  return "below both roofs: launch size, occupancy, access pattern or latency";
}

Values computeAchieved(const Inputs& in) {
  const double intensity = ratio(in["rate"], in["traffic"]);
  const double ridge = ridgePoint(in["peak"], in["bandwidth"]);
  const double of_peak = ratio(in["rate"], in["peak"]);
  const double of_bandwidth = ratio(in["traffic"], in["bandwidth"]);
  return std::vector<NamedValue>{
      {"intensity", intensity, "FLOP/byte", "rate / traffic",
       achievedVerdict(of_peak, of_bandwidth, intensity, ridge)},
      {"ridge", ridge, "FLOP/byte", "peak / bandwidth", ""},
      {"share_of_peak", of_peak, "share", "rate / peak", aboveHundred(of_peak)},
      {"share_of_bandwidth", of_bandwidth, "share", "traffic / bandwidth", aboveHundred(of_bandwidth)}};
}

Values computeIron(const Inputs& in) {
  IronLaw law;
  law.data_s = ratio(in["bytes"], in["bandwidth"]);
  law.compute_s = ratio(in["flops"], in["peak"] * in["efficiency"]);
  law.overhead_s = in["overhead"];
  return std::vector<NamedValue>{
      {"data_time", law.data_s, "s", "bytes / bandwidth", ""},
      {"compute_time", law.compute_s, "s", "flops / (peak x efficiency)", ""},
      {"additive", law.additive(), "s", "data + compute + overhead", "nothing overlaps"},
      {"overlapped", law.overlapped(), "s", "max(data, compute) + overhead", "everything overlaps"}};
}

}  // namespace

std::vector<Calculator> rooflineCalculators() {
  const InputSpec peak = peakInput();
  const InputSpec bandwidth = bandwidthInput();
  return {
      {"ridge",
       "From which intensity on is arithmetic the limit?",
       "gpu=H200 precision=fp8_tensor",
       {peak, bandwidth},
       computeRidge},
      {"roofline",
       "What rate can a kernel of this intensity reach?",
       "gpu=H100 intensity=200",
       {peak, bandwidth, {"intensity", "FLOP/byte", Domain::NonNegative, "FLOPs per byte of memory traffic"}},
       computeRoofline},
      {"achieved",
       "How far is a measured kernel from its roofs?",
       "gpu=H100 rate=15T traffic=2.8T",
       {peak,
        bandwidth,
        {"rate", "FLOP/s", Domain::Positive, "measured arithmetic rate"},
        {"traffic", "byte/s", Domain::Positive, "measured memory traffic"}},
       computeAchieved},
      {"iron",
       "How do data, arithmetic and overhead add up?",
       "gpu=H200 bytes=10G flops=1T efficiency=0.7 overhead=1ms",
       {peak,
        bandwidth,
        {"bytes", "byte", Domain::NonNegative, "memory traffic"},
        {"flops", "FLOP", Domain::NonNegative, "arithmetic"},
        {"efficiency", "", Domain::Positive,
         "measured share of the peak the arithmetic reaches; there is no default"},
        {"overhead", "s", Domain::NonNegative, "launches, synchronisation, host", "0"}},
       computeIron},
  };
}

}  // namespace perfscope::model
