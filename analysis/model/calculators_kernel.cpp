// Calculators about launches: waves, warps, occupancy, alignment, launch cost, fusion.
#include <algorithm>
#include <cmath>

#include "analysis/model/calculator_topics.h"
#include "analysis/model/launch_shape.h"
#include "analysis/model/occupancy.h"
#include "analysis/model/roofline_formulas.h"

namespace perfscope::model {
namespace {

// Counts that become an int: the domain check allows up to 2^53.
Result<int> smallCount(const Inputs& in, std::string_view name) {
  constexpr std::int64_t kLargest = 1'000'000'000;
  const std::int64_t value = in.whole(name);
  if (value >= 0 && value <= kLargest) return static_cast<int>(value);
  return failure(ErrorKind::Usage, std::string(name), "the number is too large", "give at most 1e9");
}

Values computeWaves(const Inputs& in) {
  const auto sms = smallCount(in, "sms");
  const auto resident = smallCount(in, "resident");
  if (!sms) return tl::unexpected<Error>(sms.error());
  if (!resident) return tl::unexpected<Error>(resident.error());
  const auto result = waves(in.whole("blocks"), *sms, *resident);
  if (!result) return tl::unexpected<Error>(result.error());
  return std::vector<NamedValue>{
      {"waves", result->waves, "x", "blocks / (sms x resident)", ""},
      {"whole_waves", result->whole_waves, "count", "ceil(waves)", "equal blocks on an empty GPU"},
      {"efficiency", result->efficiency, "share", "waves / whole_waves", ""},
      {"tail_unused", result->tail_unused, "share", "whole_waves - waves", "of the last wave"}};
}

Values computeWarps(const Inputs& in) {
  const auto width = smallCount(in, "width");
  if (!width) return tl::unexpected<Error>(width.error());
  const auto packing = warpPacking(in.whole("items"), *width);
  if (!packing) return tl::unexpected<Error>(packing.error());
  return std::vector<NamedValue>{
      {"warps", static_cast<double>(packing->warps), "count", "ceil(items / width)", ""},
      {"utilisation", packing->utilisation, "share", "items / (width x warps)", ""},
      {"time_per_item", packing->time_per_item, "x", "width x warps / items", "against perfect packing"}};
}

Result<OccupancyLimits> limitsOf(const Inputs& in) {
  constexpr double kMinorDigits = 10;
  const double capability = in["cc"];
  const int major = static_cast<int>(std::min(capability, 1000.0));
  return occupancyLimits(
      major, static_cast<int>(std::lround((std::min(capability, 1000.0) - major) * kMinorDigits)));
}

Values computeOccupancy(const Inputs& in) {
  auto limits = limitsOf(in);
  if (!limits) return tl::unexpected<Error>(limits.error());
  const auto threads = smallCount(in, "threads");
  const auto registers = smallCount(in, "registers");
  if (!threads) return tl::unexpected<Error>(threads.error());
  if (!registers) return tl::unexpected<Error>(registers.error());
  if (in.has("carveout")) limits->shared_bytes_per_sm = in.whole("carveout");
  const auto result = occupancy(*limits, *registers, *threads, in.whole("shared"));
  if (!result) return tl::unexpected<Error>(result.error());
  std::vector<NamedValue> values{
      {"resident_blocks", static_cast<double>(result->resident_blocks), "count",
       "the smallest of the four block limits", "limited by " + std::string(text(result->limiter))},
      {"resident_warps", static_cast<double>(result->resident_warps), "count",
       "resident_blocks x ceil(threads / 32)", ""},
      {"occupancy", result->share, "share", "resident_warps / warps an SM holds",
       "theoretical, without clusters"}};
  for (std::size_t i = 0; i < kOccupancyLimiterCount; ++i) {
    const auto limiter = static_cast<OccupancyLimiter>(i);
    std::string name = "blocks_by_" + std::string(text(limiter));
    for (char& c : name) c = c == ' ' ? '_' : c;
    values.push_back({std::move(name), static_cast<double>(result->blocks_by_limiter[i]), "count",
                      "blocks this resource alone would allow", ""});
  }
  if (!in.has("blocks") || !in.has("sms") || result->resident_blocks == 0) return values;
  const auto sms = smallCount(in, "sms");
  if (!sms) return tl::unexpected<Error>(sms.error());
  const auto shape = waves(in.whole("blocks"), *sms, result->resident_blocks);
  if (!shape) return tl::unexpected<Error>(shape.error());
  values.push_back({"waves", shape->waves, "x", "blocks / (sms x resident_blocks)", ""});
  values.push_back({"tail_unused", shape->tail_unused, "share", "ceil(waves) - waves", "of the last wave"});
  return values;
}

Values computeAlignment(const Inputs& in) {
  constexpr double kBitsPerByte = 8;
  const double bits = in["elem_bytes"] * kBitsPerByte;
  if (bits != std::floor(bits) || bits > 128) {
    return failure(ErrorKind::Usage, "calc alignment", "elem_bytes is no whole number of bits up to 16 bytes",
                   "use 0.5, 0.75, 1, 2, 4 or 8");
  }
  const auto result = gemmAlignment(in.whole("m"), in.whole("n"), in.whole("k"), static_cast<int>(bits),
                                    std::min<std::int64_t>(in.whole("required"), 1'000'000));
  if (!result) return tl::unexpected<Error>(result.error());
  std::vector<NamedValue> values;
  const auto add = [&](const std::string& name, const DimensionAlignment& dimension) {
    values.push_back({name + "_aligned_to", static_cast<double>(dimension.aligned_to_bytes), "byte",
                      "largest power of two (up to 256) that divides " + name + " x elem_bytes",
                      dimension.aligned ? "" : "not a multiple of the required bytes"});
    values.push_back({name + "_padded", static_cast<double>(dimension.padded_elements), "count",
                      "next aligned size of " + name, ""});
  };
  add("m", result->m);
  add("n", result->n);
  add("k", result->k);
  values.push_back({"padding_overhead", result->padding_overhead, "share", "padded m n k / (m n k) - 1",
                    "a hint only: the measured speed or instruction mix decides"});
  return values;
}

Values computeLaunch(const Inputs& in) {
  const double per_layer = in["kernels"] * in["launch"];
  const double total = per_layer * in["layers"];
  std::vector<NamedValue> values{{"per_layer", per_layer, "s", "kernels x launch", ""},
                                 {"total", total, "s", "kernels x launch x layers", ""}};
  if (in.has("work")) {
    values.push_back({"share", ratio(total, total + in["work"]), "share", "total / (total + work)",
                      "if launches and work do not overlap"});
  }
  return values;
}

Values computeFusion(const Inputs& in) {
  const double one = in["elements"] * in["elem_bytes"];
  const double all = one * in["tensors"];
  return std::vector<NamedValue>{
      {"one_tensor", one, "byte", "elements x elem_bytes", ""},
      {"all_tensors", all, "byte", "one_tensor x tensors", ""},
      {"removed_per_layer", 2 * all, "byte", "2 x all_tensors", "each intermediate is written and read once"},
      {"removed", 2 * all * in["layers"], "byte", "removed_per_layer x layers", ""}};
}

}  // namespace

std::vector<Calculator> kernelCalculators() {
  const InputSpec sms{"sms", "", Domain::Count, "streaming multiprocessors", "", GpuCell::SmCount};
  const InputSpec blocks{"blocks", "", Domain::Count, "blocks of the grid"};
  return {
      {"waves",
       "How full is the last wave of a launch?",
       "gpu=H200 blocks=133 resident=1",
       {blocks, sms, {"resident", "", Domain::Count, "resident blocks per SM", "1"}},
       computeWaves},
      {"warps",
       "How well do work items fill warps?",
       "items=33",
       {{"items", "", Domain::Count, "work items"},
        {"width", "", Domain::Count, "lanes of a warp (wavefront: 64)", "32"}},
       computeWarps},
      {"occupancy",
       "How many blocks fit on an SM, and what limits them?",
       "gpu=H200 registers=128 threads=256 shared=48Ki blocks=1000",
       {{"cc", "", Domain::Positive, "compute capability, e.g. 9.0", "", GpuCell::Capability},
        {"registers", "", Domain::Whole, "registers per thread"},
        {"threads", "", Domain::Count, "threads per block"},
        {"shared", "byte", Domain::Whole, "static + dynamic shared memory per block", "0"},
        {"carveout", "byte", Domain::Whole, "shared memory the driver set aside per SM, if not all", "",
         GpuCell::None, true},
        optionally(blocks),
        optionally(sms)},
       computeOccupancy},
      {"alignment",
       "Do the dimensions of a GEMM feed the tensor cores evenly?",
       "m=4095 n=4095 k=4095",
       {{"m", "", Domain::Count, "rows"},
        {"n", "", Domain::Count, "columns"},
        {"k", "", Domain::Count, "inner dimension"},
        {"elem_bytes", "byte", Domain::Positive, "bytes of one element", "2"},
        {"required", "byte", Domain::Count, "alignment the library wants", "16"}},
       computeAlignment},
      {"launch",
       "What do kernel launches cost?",
       "kernels=30 launch=5us layers=70",
       {{"kernels", "", Domain::Count, "launches per layer"},
        {"launch", "s", Domain::Positive, "host time of one launch"},
        {"layers", "", Domain::Count, "layers", "1"},
        {"work", "s", Domain::Positive, "kernel time beside it", "", GpuCell::None, true}},
       computeLaunch},
      {"fusion",
       "What traffic goes away when intermediates stay on chip?",
       "elements=8388608 tensors=2 layers=80",
       {{"elements", "", Domain::Count, "elements of an intermediate"},
        {"elem_bytes", "byte", Domain::Positive, "bytes of one element", "2"},
        {"tensors", "", Domain::Count, "intermediates", "1"},
        {"layers", "", Domain::Count, "layers", "1"}},
       computeFusion},
  };
}

}  // namespace perfscope::model
