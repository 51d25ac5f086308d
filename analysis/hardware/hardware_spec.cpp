// Ceilings and ridges of one spec: every figure leaves here with the words that say where it is from.
#include "analysis/hardware/hardware_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace perfscope::hardware {
namespace {

constexpr double kHertzPerMegahertz = 1e6;

std::string peakProvenance(const HardwareSpec& spec, const Peak& peak) {
  if (spec.origin == SpecOrigin::Modelled || peak.origin == PeakOrigin::Computed) {
    return "modelled:sm_x_clock_x_rate";
  }
  return peak.origin == PeakOrigin::Halved ? "datasheet:halved_sparse" : "datasheet";
}

Result<Ceiling> unknownCell(const HardwareSpec& spec, std::string_view what) {
  return failure(ErrorKind::Unavailable, spec.name, fmt::format("{} is not known for this product", what),
                 "choose another precision or give the figure yourself");
}

}  // namespace

std::optional<ComputeCapability> parseComputeCapability(std::string_view text) {
  ComputeCapability capability;
  const char* end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, capability.major);
  if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, capability.minor);
  if (minor.ec != std::errc{} || minor.ptr != end) return std::nullopt;
  if (capability.major < 1 || capability.minor < 0) return std::nullopt;
  return capability;
}

std::string text(ComputeCapability capability) {
  return fmt::format("{}.{}", capability.major, capability.minor);
}

std::optional<ComputeCapability> HardwareSpec::cudaCapability() const {
  return parseComputeCapability(compute_capability);
}

bool HardwareSpec::isDoubtful(std::string_view column) const {
  return std::find(doubtful.begin(), doubtful.end(), column) != doubtful.end();
}

Result<Ceiling> datasheetPeak(const HardwareSpec& spec, Precision precision) {
  const Peak& peak = spec.peak(precision);
  if (!peak.flops_per_s) return unknownCell(spec, fmt::format("the {} peak", name(precision)));
  std::string note;
  if (peak.doubtful) note = "doubtful: no second source, or sources disagree";
  if (!spec.origin_reason.empty()) note += (note.empty() ? "" : "; ") + spec.origin_reason;
  return Ceiling{*peak.flops_per_s, peakProvenance(spec, peak), std::move(note)};
}

Result<Ceiling> peakAtClock(const HardwareSpec& spec, Precision precision, double clock_mhz,
                            std::optional<int> sm_count) {
  if (!(clock_mhz > 0) || !std::isfinite(clock_mhz)) {
    return failure(ErrorKind::Usage, "SM clock", fmt::format("{} MHz is no clock", clock_mhz),
                   "give a positive clock in MHz");
  }
  const Peak& peak = spec.peak(precision);
  if (!peak.flops_per_sm_clock) {
    return unknownCell(spec, fmt::format("the {} rate per SM and clock", name(precision)));
  }
  const std::optional<int> sms = sm_count ? sm_count : spec.sm_count;
  if (!sms || *sms <= 0) return unknownCell(spec, "the number of SMs");
  return Ceiling{
      *peak.flops_per_sm_clock * *sms * clock_mhz * kHertzPerMegahertz, "modelled:sm_x_clock_x_rate",
      fmt::format("{} SMs x {:.0f} MHz x {:g} per SM and clock", *sms, clock_mhz, *peak.flops_per_sm_clock)};
}

Result<Ceiling> datasheetBandwidth(const HardwareSpec& spec) {
  if (!spec.dram_bandwidth_bytes_per_s) return unknownCell(spec, "the memory bandwidth");
  const bool device_says = spec.origin == SpecOrigin::Modelled;
  std::string note = spec.isDoubtful("mem_bw_gbs") ? "doubtful: sources disagree" : "";
  return Ceiling{*spec.dram_bandwidth_bytes_per_s, device_says ? "device" : "datasheet", std::move(note)};
}

Result<Ceiling> ridge(const HardwareSpec& spec, Precision precision) {
  auto peak = datasheetPeak(spec, precision);
  if (!peak) return peak;
  const auto bandwidth = datasheetBandwidth(spec);
  if (!bandwidth) return tl::unexpected<Error>(bandwidth.error());
  peak->value /= bandwidth->value;
  if (!bandwidth->note.empty())
    peak->note += (peak->note.empty() ? "bandwidth " : "; bandwidth ") + bandwidth->note;
  return peak;
}

}  // namespace perfscope::hardware
