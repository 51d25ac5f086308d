// Report -> picture.
#include "analysis/report/roofline_picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/hardware/catalogue.h"
#include "analysis/report/kernel_labels.h"

namespace perfscope {
namespace {

bool isDrawable(const Measured<double>& value) {
  return value.has() && std::isfinite(*value) && *value > 0;
}

constexpr double kNsPerSecond = 1e9;

std::optional<PictureSpot> algorithmicSpot(const KernelReport& kernel) {
  if (!isDrawable(kernel.intensity_algorithmic) || !isDrawable(kernel.achieved_flops)) return std::nullopt;
  return PictureSpot{
      *kernel.intensity_algorithmic, *kernel.achieved_flops, {}, {}, kernel.intensity_algorithmic.provenance};
}

// Work of all launches, executed where counters saw it, over their time.
std::optional<PictureSpot> measuredSpot(const KernelReport& kernel, const std::string& level) {
  const bool executed = isDrawable(kernel.flops.executed);
  const auto& flops = executed ? kernel.flops.executed : kernel.flops.algorithmic;
  if (!isDrawable(flops) || kernel.total_ns <= 0) return std::nullopt;
  double intensity = 0;
  std::string provenance;
  if (level == "l2") {
    if (!isDrawable(kernel.bytes.l2)) return std::nullopt;
    intensity = *flops / *kernel.bytes.l2;
    provenance = kernel.bytes.l2.provenance;
  } else {
    if (!isDrawable(kernel.intensity_dram)) return std::nullopt;
    intensity = *kernel.intensity_dram;
    provenance = kernel.intensity_dram.provenance;
  }
  const double per_second = kNsPerSecond / static_cast<double>(kernel.total_ns);
  PictureSpot spot;
  spot.intensity = intensity;
  // Algorithmic FLOPs may be known for some launches only; their rate is the honest one then.
  spot.flops_per_s =
      executed || !isDrawable(kernel.achieved_flops) ? *flops * per_second : *kernel.achieved_flops;
  if (executed && kernel.flops.executed_low && kernel.flops.executed_high) {
    spot.low_flops_per_s = *kernel.flops.executed_low * per_second;
    spot.high_flops_per_s = *kernel.flops.executed_high * per_second;
  }
  spot.provenance = provenance;
  return spot;
}

std::string whyAbsent(const KernelReport& kernel, const std::string& level) {
  if (!kernel.flops.executed.has() && !kernel.achieved_flops.has())
    return "no FLOPs: " + kernel.achieved_flops.why;
  if (level == "l2") return "no L2 bytes: " + kernel.bytes.l2.why;
  return "no bytes: " + kernel.intensity_algorithmic.why;
}

const DeviceReport* busiest(const Report& report) {
  const auto most = std::max_element(
      report.devices.begin(), report.devices.end(),
      [](const DeviceReport& a, const DeviceReport& b) { return a.kernel_sum_ns < b.kernel_sum_ns; });
  return most == report.devices.end() ? nullptr : &*most;
}

// Time by precision of the kernels of a device that have a point, longest first; "" is no precision.
std::string mostUsedPrecision(const Report& report, std::int64_t device, const std::string& level) {
  std::map<std::string, std::int64_t> time_ns;
  for (const auto& kernel : report.kernels) {
    const bool has_point = measuredSpot(kernel, level) || algorithmicSpot(kernel);
    if (kernel.device == device && has_point && !kernel.roofline.precision.empty())
      time_ns[kernel.roofline.precision] += kernel.total_ns;
  }
  std::string best;
  std::int64_t longest = -1;
  for (const auto& [precision, ns] : time_ns) {
    if (ns > longest) best = precision, longest = ns;
  }
  return best;
}

Result<std::string> wantedPrecision(const Report& report, const DeviceReport& device,
                                    const PictureOptions& options) {
  if (options.precision.empty()) return mostUsedPrecision(report, device.id, options.level);
  std::set<std::string> executed;
  for (const auto& kernel : report.kernels) {
    if (kernel.device == device.id && !kernel.roofline.precision.empty())
      executed.insert(kernel.roofline.precision);
  }
  if (executed.count(options.precision) != 0) return options.precision;
  const auto parsed = hardware::parsePrecision(options.precision);
  if (!parsed) return tl::unexpected(parsed.error());
  const std::string name(hardware::name(*parsed));
  if (executed.count(name) != 0) return name;
  return failure(ErrorKind::Usage, "--precision",
                 fmt::format("no kernel of GPU {} is known to compute in {}", device.id, name),
                 executed.empty() ? "leave it out" : fmt::format("there is {}", fmt::join(executed, ", ")));
}

void addCeiling(RooflinePicture& picture, CeilingKind kind, std::string label, const Measured<double>& flops,
                const Measured<double>& bytes) {
  if (isDrawable(flops) && isDrawable(bytes))
    picture.ceilings.push_back({kind, std::move(label), *flops, *bytes});
}

// All kernels of one device and precision stand under the same ceilings.
void addCeilings(RooflinePicture& picture, const RooflineReport& roof) {
  const bool l2 = picture.level == "l2";
  const auto& calibrated_bytes =
      l2 ? roof.ceiling_l2_bytes_per_s_calibrated : roof.ceiling_bytes_per_s_calibrated;
  if (!l2) {
    addCeiling(picture, CeilingKind::Datasheet, "data sheet", roof.ceiling_flops, roof.ceiling_bytes_per_s);
    addCeiling(picture, CeilingKind::AtClock, "data sheet at the recorded clock", roof.ceiling_flops_at_clock,
               roof.ceiling_bytes_per_s);
  }
  addCeiling(picture, CeilingKind::Calibrated, l2 ? "measured on the GPU, L2 cache" : "measured on the GPU",
             roof.ceiling_flops_calibrated, calibrated_bytes);
  if (picture.ceilings.empty() || picture.ceilings.back().kind != CeilingKind::Calibrated) {
    const auto& missing =
        roof.ceiling_flops_calibrated.has() ? calibrated_bytes : roof.ceiling_flops_calibrated;
    picture.notes.push_back("no measured ceiling: " + missing.why);
  }
}

Status addOverlays(RooflinePicture& picture, const std::vector<std::string>& names) {
  for (const std::string& query : names) {
    const auto spec = hardware::findSpec(query);
    if (!spec) return tl::unexpected(spec.error());
    const auto refuse = [&](const std::string& why) {
      picture.notes.push_back(fmt::format("overlay {} refused: {}", (*spec)->name, why));
    };
    if (picture.level == "l2") {
      refuse("no data sheet prints an L2 bandwidth; it cannot share a chart of L2 bytes");
      continue;
    }
    const auto precision = hardware::parsePrecision(picture.precision);
    if (!precision) {
      refuse("the points have no single precision to compare with");
      continue;
    }
    const auto peak = hardware::datasheetPeak(**spec, *precision);
    const auto bandwidth = hardware::datasheetBandwidth(**spec);
    if (!peak || !bandwidth) {
      refuse(!peak ? fmt::format("it has no {} peak, and another precision would be another roof",
                                 picture.precision)
                   : "its memory bandwidth is not known");
      continue;
    }
    picture.ceilings.push_back({CeilingKind::Overlay, (*spec)->name, peak->value, bandwidth->value});
  }
  return {};
}

void addKernels(RooflinePicture& picture, const Report& report, std::size_t top) {
  const auto labels = kernelLabels(report.kernels);
  bool has_ceilings = false;
  for (std::size_t i = 0; i < report.kernels.size(); ++i) {
    const KernelReport& kernel = report.kernels[i];
    if (kernel.device != picture.device) continue;
    PicturePoint point{i, labels[i], measuredSpot(kernel, picture.level), {}, kernel.share};
    if (picture.level == "dram") point.algorithmic = algorithmicSpot(kernel);
    if (!point.measured && !point.algorithmic) {
      picture.without.push_back({i, labels[i], whyAbsent(kernel, picture.level)});
    } else if (kernel.roofline.precision != picture.precision) {
      picture.without.push_back(
          {i, labels[i], "computes in " + kernel.roofline.precision + ", another roof"});
    } else if (picture.points.size() >= top) {
      picture.without.push_back({i, labels[i], fmt::format("only the {} longest are drawn", top)});
    } else {
      if (!has_ceilings) addCeilings(picture, kernel.roofline);
      has_ceilings = true;
      picture.points.push_back(std::move(point));
    }
  }
}

std::string boundaryText(const RooflinePicture& picture) {
  const auto count = [&](auto&& has) {
    return std::any_of(picture.points.begin(), picture.points.end(), has);
  };
  const bool measured = count([](const PicturePoint& p) { return p.measured.has_value(); });
  const bool algorithmic = count([](const PicturePoint& p) { return p.algorithmic.has_value(); });
  if (picture.level == "l2") return "bytes: L2 cache traffic, by counters";
  if (measured && algorithmic)
    return "bytes: filled points DRAM traffic by counters, hollow points operands and result of the library "
           "call";
  if (measured) return "bytes: DRAM traffic by counters";
  return "bytes: operands and result of the library call, each moved once (algorithmic)";
}

}  // namespace

Result<RooflinePicture> rooflinePicture(const Report& report, const PictureOptions& options) {
  if (options.level != "dram" && options.level != "l2") {
    return failure(ErrorKind::Usage, "--level", "there is no level \"" + options.level + "\"", "dram or l2");
  }
  RooflinePicture picture;
  picture.level = options.level;
  const DeviceReport* const device = busiest(report);
  if (device == nullptr || report.kernels.empty()) {
    picture.title = "Roofline";
    picture.boundary = "no kernel ran on a GPU in this profile";
    picture.notes.push_back("no kernel can be placed: no kernel ran");
    return picture;
  }
  picture.device = device->id;
  picture.device_name = device->name;
  const auto precision = wantedPrecision(report, *device, options);
  if (!precision) return tl::unexpected(precision.error());
  picture.precision = *precision;
  addKernels(picture, report, options.top);
  picture.title = fmt::format("{} (GPU {}){}", device->name, device->id,
                              picture.precision.empty() ? "" : ", " + picture.precision);
  picture.boundary = boundaryText(picture);
  if (picture.points.empty()) {
    picture.notes.push_back("no kernel can be placed: " + (picture.without.empty()
                                                               ? "no kernel ran on this GPU"
                                                               : picture.without.front().why));
  } else if (auto added = addOverlays(picture, options.overlays); !added) {
    return tl::unexpected(added.error());
  }
  if (!device->calibration.empty()) picture.notes.push_back("measured ceilings: " + device->calibration);
  return picture;
}

}  // namespace perfscope
