// The roofline of the text report: a chart of the ceiling that most kernel time runs under, then a table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "analysis/report/format.h"
#include "analysis/report/kernel_labels.h"
#include "analysis/report/report_text_sections.h"
#include "analysis/report/report_words.h"
#include "analysis/report/roofline_chart.h"

namespace perfscope::text_report {
namespace {

constexpr size_t kMostLetters = 26;
constexpr size_t kChartColumns = 64, kBesideChart = 26;  // beside: both labels of the axes

const Measured<double>& intensityOf(const KernelReport& kernel) {
  return kernel.intensity_dram.has() && kernel.roofline.boundary != "algorithmic"
             ? kernel.intensity_dram
             : kernel.intensity_algorithmic;
}

bool hasPoint(const KernelReport& kernel) {
  const auto& roof = kernel.roofline;
  return intensityOf(kernel).has() && std::isfinite(*intensityOf(kernel)) && kernel.achieved_flops.has() &&
         roof.ceiling_flops.has() && roof.ceiling_bytes_per_s.has();
}

std::vector<const KernelReport*> pointsOf(const Report& report, size_t top) {
  std::vector<const KernelReport*> points;
  for (const auto& kernel : report.kernels) {
    if (hasPoint(kernel) && points.size() < std::min(top, kMostLetters)) points.push_back(&kernel);
  }
  return points;
}

// Ceilings differ by device and precision; only points under the same ones may share a chart.
using RoofKey = std::tuple<int64_t, std::string, std::string>;
RoofKey keyOf(const KernelReport& kernel) {
  return {kernel.device, kernel.roofline.precision, kernel.roofline.boundary};
}

void printChart(Page& page, const std::vector<const KernelReport*>& points) {
  std::map<RoofKey, int64_t> time_ns;
  for (const auto* kernel : points) time_ns[keyOf(*kernel)] += kernel->total_ns;
  RoofKey best;
  int64_t longest = -1;
  for (const auto& [key, ns] : time_ns) {
    if (ns > longest) best = key;
    longest = std::max(longest, ns);
  }
  ChartRoof roof;
  std::vector<ChartPoint> drawn;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto& kernel = *points[i];
    if (keyOf(kernel) != best) continue;
    if (drawn.empty()) roof = {*kernel.roofline.ceiling_flops, *kernel.roofline.ceiling_bytes_per_s};
    drawn.push_back({*intensityOf(kernel), *kernel.achieved_flops, static_cast<char>('a' + i)});
  }
  const auto lines =
      rooflineChart(roof, drawn, {std::min(kChartColumns, page.columnsBeside(kBesideChart)), 11});
  if (lines.empty()) return;
  std::string at_clock;
  for (const auto* kernel : points) {
    if (keyOf(*kernel) != best || !kernel->roofline.ceiling_flops_at_clock.has()) continue;
    at_clock = fmt::format(" \"Of roof\" compares with the roof at the recorded clock, {}.",
                           format::flopsPerSecond(*kernel->roofline.ceiling_flops_at_clock));
    break;
  }
  for (const auto* kernel : points) {
    const auto& measured = kernel->roofline;
    if (keyOf(*kernel) != best || !measured.ceiling_flops_calibrated.has() ||
        !measured.ceiling_bytes_per_s_calibrated.has())
      continue;
    at_clock += fmt::format(" Measured by `perfscope calibrate`: {} and {}.",
                            format::bytesPerSecond(*measured.ceiling_bytes_per_s_calibrated),
                            format::flopsPerSecond(*measured.ceiling_flops_calibrated));
    break;
  }
  page.text(
      2,
      fmt::format("GPU {}, {}, bytes: {}. Roof of the datasheet: {} and {}, they meet at the ridge, {}.{}",
                  std::get<0>(best), std::get<1>(best), std::get<2>(best),
                  format::bytesPerSecond(roof.bytes_per_s), format::flopsPerSecond(roof.flops_per_s),
                  format::intensity(roof.flops_per_s / roof.bytes_per_s), at_clock),
      Ink::Dim);
  for (const auto& line : lines) page.line({{line, Ink::Plain}});
  page.blank();
}

}  // namespace

void printRoofline(Page& page, const Report& report, const TextOptions& options) {
  page.heading("ROOFLINE", "what a kernel reached, against what the chip allows for the bytes it moves");
  const auto points = pointsOf(report, options.top);
  if (points.empty()) {
    std::string why;
    for (const auto& kernel : report.kernels) {
      if (why.empty()) why = kernel.achieved_flops.has() ? kernel.roofline.why : kernel.achieved_flops.why;
    }
    page.text(
        2, "No kernel can be placed: " + words::notMeasured(report.kernels.empty() ? "no kernel ran" : why));
    return;
  }
  printChart(page, points);
  const auto labels = kernelLabels(report.kernels);
  TextTable table({{""},
                   {"kernel", true, true},
                   {"FLOP/byte", false, false, 2},
                   {"reached", false, false, 3},
                   {"of roof"},
                   {"precision", true, false, 4},
                   {"limit", true, false, 1}});
  for (size_t i = 0; i < points.size(); ++i) {
    const auto& kernel = *points[i];
    const auto& roof = kernel.roofline;
    table.row({{std::string(1, static_cast<char>('a' + i))},
               {labels[static_cast<size_t>(points[i] - report.kernels.data())]},
               {format::number(*intensityOf(kernel))},
               {format::flopsPerSecond(*kernel.achieved_flops)},
               {roof.fraction_of_roof.has() ? format::percent(*roof.fraction_of_roof) : "-"},
               {roof.precision},
               {words::title(words::roofline(roof.verdict), roof.verdict)}});
  }
  table.print(page);
  std::map<std::string, bool> explained;
  for (const auto* kernel : points) {
    const auto& word = words::roofline(kernel->roofline.verdict);
    if (!word.meaning.empty() && explained.emplace(word.id, true).second) {
      page.text(2, fmt::format("limit \"{}\": {}", word.title, word.meaning), Ink::Dim, 2);
    }
  }
  const size_t without = report.kernels.size() - static_cast<size_t>(std::count_if(
                                                     report.kernels.begin(), report.kernels.end(), hasPoint));
  if (without > 0) {
    page.text(2,
              fmt::format("no point for {}: FLOPs or bytes are not known",
                          format::counted(static_cast<int64_t>(without), "kernel")),
              Ink::Dim);
  }
}

}  // namespace perfscope::text_report
