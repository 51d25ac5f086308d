// `perfscope roofline FILE`: the roofline as text, or as a picture, a page or a table in a file.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "analysis/report/format.h"
#include "analysis/report/glyphs.h"
#include "analysis/report/report_builder.h"
#include "analysis/report/report_words.h"
#include "analysis/report/roofline_chart.h"
#include "analysis/report/roofline_svg.h"
#include "analysis/report/text_page.h"
#include "cli/command_table.h"
#include "cli/output_file.h"
#include "cli/value_checks.h"

namespace perfscope::cli {
namespace {

struct Values {
  std::string file, output, level = "dram", precision, overlay, hardware, calibration = "auto";
  std::size_t top = 20;
  bool force = false;
};

constexpr std::size_t kChartColumns = 64, kBesideChart = 26, kChartRows = 14, kMostLetters = 26;

std::string endingOf(const std::string& path) {
  const auto dot = path.rfind('.');
  return dot == std::string::npos ? std::string() : path.substr(dot + 1);
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin < list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin) words.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

void printChart(Page& page, const RooflinePicture& picture) {
  if (picture.ceilings.empty()) return;
  std::vector<ChartPoint> points;
  for (std::size_t i = 0; i < std::min(picture.points.size(), kMostLetters); ++i) {
    const auto& spot = picture.points[i].main();
    points.push_back({spot.intensity, spot.flops_per_s, static_cast<char>('a' + i)});
  }
  const auto& roof = picture.ceilings.front();
  const auto lines = rooflineChart({roof.flops_per_s, roof.bytes_per_s}, points,
                                   {std::min(kChartColumns, page.columnsBeside(kBesideChart)), kChartRows});
  for (const auto& line : lines) page.line({{line, Ink::Plain}});
  if (!lines.empty()) page.blank();
}

void printCeilings(Page& page, const RooflinePicture& picture) {
  if (picture.ceilings.empty()) return;
  TextTable table({{"ceiling", true, true}, {"compute"}, {"memory"}, {"ridge"}});
  for (const auto& roof : picture.ceilings) {
    table.row({{roof.label, roof.kind == CeilingKind::Overlay ? Ink::Dim : Ink::Bold},
               {format::flopsPerSecond(roof.flops_per_s)},
               {format::bytesPerSecond(roof.bytes_per_s)},
               {format::intensity(roof.ridge())}});
  }
  table.print(page);
  page.blank();
}

void printPoints(Page& page, const RooflinePicture& picture, const Report& report) {
  if (picture.points.empty()) return;
  TextTable table({{""},
                   {"kernel", true, true},
                   {"share"},
                   {"FLOP/byte"},
                   {"reached"},
                   {"of roof"},
                   {"of measured", false, false, 1},
                   {"bytes", true, false, 3},
                   {"limit", true, false, 2}});
  for (std::size_t i = 0; i < picture.points.size(); ++i) {
    const auto& point = picture.points[i];
    const auto& roof = report.kernels[point.kernel].roofline;
    const auto percent = [](const Measured<double>& m) { return m.has() ? format::percent(*m) : "-"; };
    const auto row = [&](const PictureSpot& spot, const char* kind) {
      table.row({{i < kMostLetters ? std::string(1, static_cast<char>('a' + i)) : ""},
                 {point.label},
                 {format::percent(point.share)},
                 {format::number(spot.intensity)},
                 {format::flopsPerSecond(spot.flops_per_s)},
                 {percent(roof.fraction_of_roof)},
                 {percent(roof.fraction_of_calibrated)},
                 {kind},
                 {words::title(words::roofline(roof.verdict), roof.verdict)}});
    };
    if (point.measured) row(*point.measured, "measured");
    if (point.algorithmic) row(*point.algorithmic, "algorithmic");
  }
  table.print(page);
}

std::string text(const RooflinePicture& picture, const Report& report, const Console& console) {
  Page page({console.columns, console.colorOut(), console.utf8});
  page.heading("ROOFLINE", picture.title);
  page.text(2, picture.boundary, Ink::Dim);
  page.blank();
  printChart(page, picture);
  printCeilings(page, picture);
  printPoints(page, picture, report);
  for (const auto& note : picture.notes) page.text(2, note, Ink::Dim, 2);
  if (!picture.without.empty()) {
    page.blank();
    page.text(
        2, "No point for " + format::counted(static_cast<int64_t>(picture.without.size()), "kernel") + ":");
    constexpr std::size_t kListed = 10;
    for (std::size_t i = 0; i < std::min(kListed, picture.without.size()); ++i) {
      page.text(4, glyphs::shorten(picture.without[i].label, 40) + ": " + picture.without[i].why, Ink::Dim,
                2);
    }
    if (picture.without.size() > kListed)
      page.text(4, fmt::format("and {} more (-o x.csv lists all)", picture.without.size() - kListed),
                Ink::Dim);
  }
  return page.text();
}

int roofline(Console& console, const Values& values) {
  const std::string ending = endingOf(values.output);
  if (!values.output.empty() && ending != "svg" && ending != "html" && ending != "csv") {
    return fail(console,
                {ErrorKind::Usage, "-o " + values.output, "the ending tells the form, and this is none",
                 "end the name with .svg, .html or .csv"});
  }
  ReportOptions options;
  options.hardware_spec = values.hardware;
  options.calibration = values.calibration == "off" ? "" : values.calibration;
  const auto report = buildReport(values.file, options);
  if (!report) return fail(console, report.error());
  const auto picture =
      rooflinePicture(*report, {values.level, values.precision, split(values.overlay), values.top});
  if (!picture) return fail(console, picture.error());
  if (values.output.empty()) {
    console.out << text(*picture, *report, console);
    return 0;
  }
  for (const auto& note : picture->notes) {
    if (note.rfind("overlay ", 0) == 0) warn(console, note);
  }
  const std::string content = ending == "svg"    ? rooflineSvg(*picture, *report)
                              : ending == "html" ? rooflineHtml(*picture, *report)
                                                 : rooflineCsv(*picture, *report);
  const auto written = writeOutputFile(values.output, content, values.force);
  return written ? 0 : fail(console, written.error());
}

Runner define(CLI::App& app) {
  auto values = std::make_shared<Values>();
  app.add_option("FILE", values->file, "a profile made by `perfscope run`")->required();
  app.add_option("-o,--output", values->output, "write a picture (.svg), a page (.html) or a table (.csv)")
      ->type_name("FILE");
  app.add_option("--level", values->level, "whose bytes: dram or l2 (needs hardware counters)")
      ->check(oneOf({"dram", "l2"}))
      ->type_name("NAME");
  app.add_option("--precision", values->precision,
                 "only kernels that compute in this, e.g. bf16_tensor; default: the one with most time")
      ->type_name("NAME");
  app.add_option("--overlay", values->overlay,
                 "roofs of other products, separated by commas: V100,A100-80,H100,B200")
      ->type_name("LIST");
  app.add_option("--hw", values->hardware, "compare with this product instead of the recorded one")
      ->type_name("SPEC");
  app.add_option("--calibration", values->calibration,
                 "a file of `perfscope calibrate`, or off; default: the stored one")
      ->type_name("FILE|off");
  app.add_option("--top", values->top, "kernels drawn, longest first (default 20)")
      ->check(wholeNumber(1, 200))
      ->type_name("N");
  app.add_flag("--force", values->force, "replace an existing output");
  return [values](Console& console, const std::vector<std::string>&) { return roofline(console, *values); };
}

}  // namespace

Command rooflineCommand() {
  return {"roofline",
          "every kernel under the roofs of its GPU: chart and table, or a picture in a file",
          "[options] FILE",
          {{"roofline train.perfscope", "chart and table in the terminal"},
           {"roofline train.perfscope -o roof.svg --overlay A100-80,B200",
            "a picture, other generations in grey"},
           {"roofline train.perfscope -o roof.html", "the picture with a table of all kernels"}},
          false,
          define};
}

}  // namespace perfscope::cli
