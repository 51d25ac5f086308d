// Roofline verdict of one kernel.
#include "analysis/roofline/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "analysis/metrics/thresholds.h"
#include "analysis/model/roofline_formulas.h"

namespace perfscope {
namespace {

using hardware::Precision;

struct Roofs {
  Measured<double> datasheet, at_clock, bandwidth;
  Measured<double> calibrated, calibrated_bandwidth, calibrated_l2;
  std::string precision;
  // The roof to be judged by.
  [[nodiscard]] const Measured<double>& compute() const { return at_clock.has() ? at_clock : datasheet; }
};

Measured<double> measured(const Result<hardware::Ceiling>& ceiling) {
  if (!ceiling) return Measured<double>::absent(ceiling.error().reason);
  return Measured<double>::of(ceiling->value, ceiling->provenance);
}

// Time-weighted mean of the roofs of the executed precisions: T / sum(t_i / roof_i) would be right for work,
// but the times are what was measured, so the mean over time is the rate the pipes offered during it.
template <class Ceiling>
Measured<double> weighted(const RoofPoint& point, Ceiling&& ceiling) {
  double sum = 0;
  double time = 0;
  Measured<double> last = Measured<double>::absent("the executed precision is not known");
  int used = 0;
  for (size_t i = 0; i < point.ns_by_precision.size(); ++i) {
    if (point.ns_by_precision[i] <= 0) continue;
    last = measured(ceiling(static_cast<Precision>(i)));
    if (!last.has()) return last;
    const auto ns = static_cast<double>(point.ns_by_precision[i]);
    sum += ns * *last;
    time += ns;
    ++used;
  }
  if (used <= 1) return last;
  return Measured<double>::of(sum / time, last.provenance + ":time_weighted");
}

Result<hardware::Ceiling> calibratedPeak(const RoofSource& source, Precision precision) {
  const std::string id(hardware::name(precision));
  const CalibrationValue* const value = source.calibration->find(id);
  if (value == nullptr || !value->best)
    return failure(ErrorKind::Unavailable, id,
                   value != nullptr ? value->why : "the calibration has no " + id);
  const auto& clock = value->clocks.sm_clock_mhz;
  if (!clock || *clock <= 0 || !source.clock_mhz) return hardware::Ceiling{*value->best, "calibrated", {}};
  return hardware::Ceiling{*value->best * *source.clock_mhz / *clock, "calibrated:at_clock", {}};
}

Measured<double> calibratedBandwidth(const Calibration& calibration, std::initializer_list<const char*> ids) {
  Measured<double> best = Measured<double>::absent("the calibration has no such bandwidth");
  for (const char* const id : ids) {
    const CalibrationValue* const value = calibration.find(id);
    if (value == nullptr) continue;
    if (!value->best && !best.has()) best.why = value->why;
    if (value->best && (!best.has() || *value->best > *best))
      best = Measured<double>::of(*value->best, std::string("calibrated:") + id);
  }
  return best;
}

void fillCalibrated(const RoofSource& source, const RoofPoint& point, Roofs& roofs) {
  if (source.calibration == nullptr) {
    const std::string why = source.calibration_why.empty() ? kNoCalibration : source.calibration_why;
    roofs.calibrated = roofs.calibrated_bandwidth = roofs.calibrated_l2 = Measured<double>::absent(why);
    return;
  }
  roofs.calibrated = weighted(point, [&](Precision p) { return calibratedPeak(source, p); });
  roofs.calibrated_bandwidth =
      calibratedBandwidth(*source.calibration, {"dram_read", "dram_write", "dram_copy"});
  roofs.calibrated_l2 = calibratedBandwidth(*source.calibration, {"l2_read"});
}

std::string precisionText(const RoofPoint& point) {
  const auto most = std::max_element(point.ns_by_precision.begin(), point.ns_by_precision.end());
  if (*most <= 0) return {};
  const auto used = std::count_if(point.ns_by_precision.begin(), point.ns_by_precision.end(),
                                  [](int64_t ns) { return ns > 0; });
  std::string text(hardware::name(static_cast<Precision>(most - point.ns_by_precision.begin())));
  return used > 1 ? text + " (mixed)" : text;
}

Roofs roofsOf(const RoofSource& source, const RoofPoint& point) {
  Roofs roofs;
  roofs.precision = precisionText(point);
  fillCalibrated(source, point, roofs);
  if (source.spec == nullptr) {
    roofs.datasheet = roofs.at_clock = roofs.bandwidth = Measured<double>::absent(source.spec_why);
    return roofs;
  }
  const hardware::HardwareSpec& spec = *source.spec;
  roofs.datasheet = weighted(point, [&](Precision p) { return hardware::datasheetPeak(spec, p); });
  roofs.bandwidth = measured(hardware::datasheetBandwidth(spec));
  roofs.at_clock = source.clock_mhz
                       ? weighted(point,
                                  [&](Precision p) {
                                    return hardware::peakAtClock(spec, p, *source.clock_mhz, source.sm_count);
                                  })
                       : Measured<double>::absent("no SM clock was sampled");
  return roofs;
}

double perSecond(double amount, int64_t ns) {
  constexpr double kNsPerSecond = 1e9;
  return amount / static_cast<double>(ns) * kNsPerSecond;
}

// Most launches being short is not enough: of 800 launches of 6 us and 20 of 1 ms it is the long ones that
// take the time, and no launch limits those.
bool shorterThanLaunch(const RoofPoint& point) {
  constexpr double kMost = 0.5;
  return point.launch_cost_ns && point.median_ns < *point.launch_cost_ns && point.short_share >= kMost;
}

std::string launchClause(const RoofPoint& point) {
  return fmt::format(
      "the median launch runs {:.1f} us, a launch call takes {:.1f} us; {:.0f} % of the time is in launches "
      "shorter than that",
      static_cast<double>(point.median_ns) / 1e3, static_cast<double>(*point.launch_cost_ns) / 1e3,
      point.short_share * 100);
}

// What it moves beyond the operands: named where the algorithmic bytes are known too.
std::string excessClause(const RoofPoint& point) {
  constexpr double kWorthMentioning = 1.3;
  if (point.boundary == "algorithmic" || point.algorithmic_bytes_per_ns <= 0) return {};
  const double factor = point.bytes / static_cast<double>(point.byte_ns) / point.algorithmic_bytes_per_ns;
  if (factor < kWorthMentioning) return {};
  return fmt::format("; device memory moves {:.1f} x its operands and result", factor);
}

// Fills verdict, why and fraction for a kernel whose FLOPs, bytes and roofs are all known.
void judge(const RoofPoint& point, const Roofs& roofs, RooflineReport& report) {
  const double rate = perSecond(point.flops, point.flop_ns);
  const double traffic = perSecond(point.bytes, point.byte_ns);
  const double intensity = rate / traffic;
  const double compute_roof = *roofs.compute();
  const double attainable = model::attainable(compute_roof, *roofs.bandwidth, intensity);
  const bool left_of_ridge = intensity < model::ridgePoint(compute_roof, *roofs.bandwidth);
  const double of_compute = rate / compute_roof;
  const double of_bandwidth = traffic / *roofs.bandwidth;
  const std::string origin = point.flop_provenance == point.byte_provenance
                                 ? point.flop_provenance
                                 : point.flop_provenance + ", " + point.byte_provenance;
  const std::string provenance =
      origin + (roofs.at_clock.has() ? " / datasheet at the recorded clock" : " / datasheet");
  report.fraction_of_roof = Measured<double>::of(rate / attainable, provenance);
  if (roofs.calibrated.has() && roofs.calibrated_bandwidth.has()) {
    const double reachable = model::attainable(*roofs.calibrated, *roofs.calibrated_bandwidth, intensity);
    report.fraction_of_calibrated =
        Measured<double>::of(rate / reachable, "counted:api / " + roofs.calibrated.provenance);
  }
  const double enough = threshold::kRoofShare.value;
  report.verdict = left_of_ridge && of_bandwidth >= enough ? "memory"
                   : of_compute >= enough                  ? "compute"
                   : shorterThanLaunch(point)              ? "launch"
                                                           : "below_both";
  report.why = fmt::format(
      "{:.1f} FLOP/byte, {} of the ridge; {:.0f} % of the compute roof, {:.0f} % of the bandwidth", intensity,
      left_of_ridge ? "left" : "right", of_compute * 100, of_bandwidth * 100);
  if (report.verdict == "launch") report.why += "; " + launchClause(point);
  report.why += excessClause(point);
}

// A kernel without known FLOPs can still be seen to fill the memory's bandwidth. False when it does not, or
// the bytes were not measured.
bool judgeByTraffic(const RoofPoint& point, const Roofs& roofs, RooflineReport& report) {
  if (point.boundary == "algorithmic" || point.byte_ns <= 0 || !roofs.bandwidth.has()) return false;
  const double share = perSecond(point.bytes, point.byte_ns) / *roofs.bandwidth;
  if (share < threshold::kRoofShare.value) return false;
  report.verdict = "memory";
  report.fraction_of_roof = Measured<double>::of(share, point.byte_provenance + " / datasheet");
  report.why = fmt::format("{:.0f} % of the bandwidth; its FLOPs are not known", share * 100);
  return true;
}

}  // namespace

RooflineReport placeUnderRoofs(const RoofSource& source, const RoofPoint& point) {
  RooflineReport report;
  const Roofs roofs = roofsOf(source, point);
  report.precision = roofs.precision;
  report.boundary = point.boundary;
  report.ceiling_flops = roofs.datasheet;
  report.ceiling_flops_at_clock = roofs.at_clock;
  report.ceiling_bytes_per_s = roofs.bandwidth;
  report.ceiling_flops_calibrated = roofs.calibrated;
  report.ceiling_bytes_per_s_calibrated = roofs.calibrated_bandwidth;
  report.ceiling_l2_bytes_per_s_calibrated = roofs.calibrated_l2;
  report.fraction_of_calibrated = Measured<double>::absent(
      !roofs.calibrated.has() ? roofs.calibrated.why : roofs.calibrated_bandwidth.why);
  const bool has_flops = point.flops > 0 && point.flop_ns > 0;
  const bool has_bytes = point.bytes > 0 && point.byte_ns > 0;
  std::string missing;
  if (!has_flops) {
    missing = point.no_flops_why;
  } else if (!has_bytes) {
    missing = point.no_bytes_why;
  } else if (!roofs.compute().has()) {
    missing = roofs.compute().why;
  } else if (!roofs.bandwidth.has()) {
    missing = roofs.bandwidth.why;
  }
  if (missing.empty()) {
    judge(point, roofs, report);
    return report;
  }
  if (!has_flops && judgeByTraffic(point, roofs, report)) return report;
  report.fraction_of_roof = Measured<double>::absent(missing);
  if (report.fraction_of_calibrated.why.empty()) report.fraction_of_calibrated.why = missing;
  report.verdict = shorterThanLaunch(point) ? "launch" : has_flops ? "unknown" : "no_flops";
  report.why = shorterThanLaunch(point) ? launchClause(point) : missing;
  return report;
}

}  // namespace perfscope
