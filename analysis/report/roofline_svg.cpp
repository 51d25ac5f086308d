// Drawing: axes, roofs, points, legend.
#include "analysis/report/roofline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "analysis/facts/kernel_class.h"
#include "analysis/report/format.h"
#include "analysis/report/glyphs.h"

namespace perfscope {
namespace {

constexpr double kPageWidth = 1100, kLegendX = 760, kLineHeight = 17;
constexpr std::size_t kLegendColumns = 42, kMostListed = 12;

// One colour a kernel class, apart from each other also for the colour-blind (after Okabe and Ito, 2008).
constexpr std::array<const char*, 12> kColours = {"#0072b2", "#56b4e9", "#d55e00", "#cc79a7",
                                                  "#009e73", "#e69f00", "#b8a000", "#8c6bb1",
                                                  "#4daf4a", "#a65628", "#e41a1c", "#7f7f7f"};

std::string classOfKernel(const KernelReport& kernel) {
  for (std::size_t i = 0; i < kColours.size(); ++i) {
    if (kernel.kernel_class == name(static_cast<KernelClass>(i))) return fmt::format("k{}", i);
  }
  return fmt::format("k{}", kColours.size() - 1);
}

const char* ceilingClass(CeilingKind kind) {
  switch (kind) {
    case CeilingKind::Datasheet:
      return "sheet";
    case CeilingKind::AtClock:
      return "clock";
    case CeilingKind::Calibrated:
      return "calibrated";
    case CeilingKind::Overlay:
      break;
  }
  return "overlay";
}

std::string style() {
  std::string css =
      "text{font:13px system-ui,sans-serif;fill:#1a1a1a}.title{font-size:17px;font-weight:600}"
      ".dim{fill:#5a5a5a}.paper{fill:#ffffff}.axis{stroke:#1a1a1a}.grid{stroke:#e3e3e3}"
      ".roof{fill:none;stroke:#1a1a1a;stroke-width:1.6}.sheet{stroke-dasharray:7 4}.clock{stroke-dasharray:2 "
      "3}"
      ".calibrated{stroke-width:2.4}.overlay{stroke:#9a9a9a;stroke-dasharray:7 4;stroke-width:1.2}"
      ".ridge{stroke:#9a9a9a;stroke-dasharray:1 "
      "4}.hollow{fill-opacity:.18}.join{stroke:#808080;stroke-width:1.2}"
      ".whisker{stroke-width:1.4;fill:none}.number{font-size:11px}";
  for (std::size_t i = 0; i < kColours.size(); ++i) {
    css += fmt::format(".k{0}{{fill:{1};stroke:{1}}}", i, kColours[i]);
  }
  return css +
         "@media (prefers-color-scheme:dark){text{fill:#e6e6e6}.dim{fill:#a8a8a8}.paper{fill:#15171a}"
         ".axis,.roof{stroke:#e6e6e6}.grid{stroke:#2c2f33}.overlay,.ridge{stroke:#7a7a7a}}";
}

std::string textAt(double x, double y, const std::string& words, const std::string& attributes = {}) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>\n", x, y, attributes.empty() ? "" : " ",
                     attributes, escapeXml(words));
}

std::string lineFrom(double x1, double y1, double x2, double y2, const char* css) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1,
                     x2, y2, css);
}

std::string axes(const PlotFrame& f) {
  std::string svg;
  const double right = f.left + f.width, bottom = f.top + f.height;
  for (int decade = f.x_low; decade <= f.x_high; ++decade) {
    const double x = f.x(std::pow(10.0, decade));
    svg += lineFrom(x, f.top, x, bottom, "grid");
    svg += textAt(x, bottom + 18, fmt::format("{:g}", std::pow(10.0, decade)), "text-anchor=\"middle\"");
  }
  for (int decade = f.y_low; decade <= f.y_high; ++decade) {
    const double value = std::pow(10.0, decade), y = f.y(value);
    svg += lineFrom(f.left, y, right, y, "grid");
    svg += textAt(f.left - 8, y + 4, format::flopsPerSecond(value), "text-anchor=\"end\" class=\"dim\"");
  }
  svg += lineFrom(f.left, bottom, right, bottom, "axis") + lineFrom(f.left, f.top, f.left, bottom, "axis");
  return svg + textAt(f.left + f.width / 2, bottom + 38, "intensity, FLOP/byte", "text-anchor=\"middle\"");
}

std::string roofLine(const PlotFrame& f, const PictureCeiling& roof) {
  const double left = std::max(std::pow(10.0, f.x_low), std::pow(10.0, f.y_low) / roof.bytes_per_s);
  const double right = std::pow(10.0, f.x_high);
  std::string svg = fmt::format(
      "<polyline class=\"roof {}\" points=\"{:.1f},{:.1f} {:.1f},{:.1f} "
      "{:.1f},{:.1f}\"><title>{}</title></polyline>\n",
      ceilingClass(roof.kind), f.x(left), f.y(left * roof.bytes_per_s), f.x(roof.ridge()),
      f.y(roof.flops_per_s), f.x(right), f.y(roof.flops_per_s), escapeXml(roof.label));
  return svg +
         lineFrom(f.x(roof.ridge()), f.y(roof.flops_per_s), f.x(roof.ridge()), f.top + f.height, "ridge");
}

// Labels at the right ends of the roofs, moved apart where roofs lie close together.
std::string roofs(const PlotFrame& f, const RooflinePicture& picture) {
  std::string svg;
  std::vector<const PictureCeiling*> by_height;
  for (const auto& roof : picture.ceilings) {
    svg += roofLine(f, roof);
    by_height.push_back(&roof);
  }
  std::stable_sort(by_height.begin(), by_height.end(), [](const PictureCeiling* a, const PictureCeiling* b) {
    return a->flops_per_s < b->flops_per_s;
  });
  double last = f.top + f.height + kLineHeight;
  for (const auto* roof : by_height) {
    const double y = std::min(f.y(roof->flops_per_s) - 5, last - 14);
    last = y;
    svg += textAt(f.left + f.width - 4, y,
                  fmt::format("{}, {}", roof->label, format::flopsPerSecond(roof->flops_per_s)),
                  "text-anchor=\"end\" class=\"dim number\"");
  }
  return svg;
}

std::string circle(const PlotFrame& f, const PictureSpot& spot, const std::string& css, double radius,
                   const std::string& title) {
  return fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" class=\"{}\"><title>{}</title></circle>\n",
      f.x(spot.intensity), f.y(spot.flops_per_s), radius, css, escapeXml(title));
}

std::string pointMarks(const PlotFrame& f, const PicturePoint& point, const KernelReport& kernel,
                       std::size_t number) {
  const std::string css = classOfKernel(kernel);
  const double radius =
      4 + 14 * std::sqrt(std::clamp(point.share, 0.0, 1.0));  // area by time, never invisible
  const auto title = [&](const PictureSpot& spot) {
    return fmt::format("{}: {}, {}, {} of kernel time, {}", point.label, format::intensity(spot.intensity),
                       format::flopsPerSecond(spot.flops_per_s), format::percent(point.share),
                       spot.provenance);
  };
  std::string svg;
  if (point.measured && point.algorithmic) {
    svg += lineFrom(f.x(point.algorithmic->intensity), f.y(point.algorithmic->flops_per_s),
                    f.x(point.measured->intensity), f.y(point.measured->flops_per_s), "join");
  }
  const PictureSpot& main = point.main();
  if (main.low_flops_per_s && main.high_flops_per_s && *main.low_flops_per_s > 0) {
    const double x = f.x(main.intensity), low = f.y(*main.low_flops_per_s),
                 high = f.y(*main.high_flops_per_s);
    svg += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}M{3:.1f} {1:.1f}h8M{3:.1f} {2:.1f}h8\" class=\"whisker {4}\"/>\n",
        x, low, high, x - 4, css);
  }
  if (point.algorithmic)
    svg += circle(f, *point.algorithmic, css + " hollow", radius, title(*point.algorithmic));
  if (point.measured) svg += circle(f, *point.measured, css, radius, title(*point.measured));
  return svg + textAt(f.x(main.intensity) + radius + 2, f.y(main.flops_per_s) - radius / 2,
                      std::to_string(number), "class=\"number\"");
}

std::string ceilingLegend(const RooflinePicture& picture, double& y) {
  std::string svg;
  for (const auto& roof : picture.ceilings) {
    svg += fmt::format("<polyline class=\"roof {0}\" points=\"{1},{2:.1f} {3},{2:.1f}\"/>\n",
                       ceilingClass(roof.kind), kLegendX, y - 4, kLegendX + 30);
    svg += textAt(kLegendX + 38, y, glyphs::shorten(roof.label, kLegendColumns));
    y += kLineHeight;
    svg += textAt(kLegendX + 38, y,
                  fmt::format("{}, {}, ridge {}", format::flopsPerSecond(roof.flops_per_s),
                              format::bytesPerSecond(roof.bytes_per_s), format::intensity(roof.ridge())),
                  "class=\"dim number\"");
    y += kLineHeight + 2;
  }
  return svg;
}

std::string pointLegend(const RooflinePicture& picture, const Report& report, double& y) {
  std::string svg;
  for (std::size_t i = 0; i < picture.points.size(); ++i) {
    const auto& point = picture.points[i];
    svg += fmt::format("<circle cx=\"{}\" cy=\"{:.1f}\" r=\"5\" class=\"{}\"/>\n", kLegendX + 6, y - 4,
                       classOfKernel(report.kernels[point.kernel]));
    svg += textAt(kLegendX + 18, y,
                  fmt::format("{}  {}  {}", i + 1, format::percent(point.share),
                              glyphs::shorten(glyphs::clean(point.label), 30)));
    y += kLineHeight;
  }
  std::set<std::string> drawn;
  for (const auto& point : picture.points) {
    const KernelReport& kernel = report.kernels[point.kernel];
    if (!drawn.insert(kernel.kernel_class).second) continue;
    y += drawn.size() == 1 ? kLineHeight / 2 : 0;
    svg += fmt::format("<circle cx=\"{}\" cy=\"{:.1f}\" r=\"5\" class=\"{}\"/>\n", kLegendX + 6, y - 4,
                       classOfKernel(kernel));
    svg += textAt(kLegendX + 18, y, "class " + kernel.kernel_class, "class=\"dim\"");
    y += kLineHeight;
  }
  return svg;
}

std::string listsBelow(const RooflinePicture& picture, double& y) {
  std::string svg;
  const auto put = [&](const std::string& words, const char* attributes) {
    svg += textAt(90, y, glyphs::shorten(glyphs::clean(words), 150), attributes);
    y += kLineHeight;
  };
  for (const auto& note : picture.notes) put(note, "class=\"dim\"");
  if (picture.without.empty()) return svg;
  put(fmt::format("No point for {}:",
                  format::counted(static_cast<int64_t>(picture.without.size()), "kernel")),
      "");
  for (std::size_t i = 0; i < std::min(picture.without.size(), kMostListed); ++i) {
    put(glyphs::shorten(glyphs::clean(picture.without[i].label), 60) + ": " + picture.without[i].why,
        "class=\"dim number\"");
  }
  if (picture.without.size() > kMostListed)
    put(fmt::format("and {} more", picture.without.size() - kMostListed), "class=\"dim number\"");
  return svg;
}

}  // namespace

double PlotFrame::x(double intensity) const {
  return left + (std::log10(intensity) - x_low) / (x_high - x_low) * width;
}

double PlotFrame::y(double flops_per_s) const {
  return top + height - (std::log10(flops_per_s) - y_low) / (y_high - y_low) * height;
}

PlotFrame plotFrame(const RooflinePicture& picture) {
  PlotFrame frame;
  double x_least = 0, x_most = 0, y_least = 0, y_most = 0;
  const auto holdX = [&](double value) {
    x_least = x_least > 0 ? std::min(x_least, value) : value;
    x_most = std::max(x_most, value);
  };
  const auto holdY = [&](double value) {
    if (value <= 0) return;
    y_least = y_least > 0 ? std::min(y_least, value) : value;
    y_most = std::max(y_most, value);
  };
  for (const auto& roof : picture.ceilings) {
    holdX(roof.ridge() / 30), holdX(roof.ridge() * 5);
    holdY(roof.flops_per_s / 30), holdY(roof.flops_per_s);
  }
  for (const auto& point : picture.points) {
    for (const auto* spot : {&point.measured, &point.algorithmic}) {
      if (!*spot) continue;
      holdX((*spot)->intensity), holdY((*spot)->flops_per_s);
      holdY((*spot)->low_flops_per_s.value_or(0)), holdY((*spot)->high_flops_per_s.value_or(0));
    }
  }
  if (x_most <= 0 || y_most <= 0) return frame;
  const auto decades = [](double least, double most, int& low, int& high) {
    low = static_cast<int>(std::floor(std::log10(least)));
    high = std::max(low + 1, static_cast<int>(std::ceil(std::log10(most))));
  };
  decades(x_least, x_most, frame.x_low, frame.x_high);
  decades(y_least, y_most, frame.y_low, frame.y_high);
  return frame;
}

std::string escapeXml(std::string_view text) {
  std::string escaped;
  for (const char c : glyphs::clean(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string rooflineSvg(const RooflinePicture& picture, const Report& report) {
  const PlotFrame frame = plotFrame(picture);
  std::string body = textAt(frame.left, 34, picture.title, "class=\"title\"");
  body += textAt(frame.left, 56, picture.boundary, "class=\"dim\"");
  body += axes(frame) + roofs(frame, picture);
  for (std::size_t i = 0; i < picture.points.size(); ++i) {
    body += pointMarks(frame, picture.points[i], report.kernels[picture.points[i].kernel], i + 1);
  }
  double legend = frame.top + 10;
  body += ceilingLegend(picture, legend);
  legend += 8;
  body += pointLegend(picture, report, legend);
  double below = std::max(frame.top + frame.height + 68, legend + kLineHeight);
  body += listsBelow(picture, below);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" "
             "height=\"{1:.0f}\" "
             "role=\"img\" aria-label=\"{2}\">\n<style>{3}</style>\n"
             "<rect width=\"{0}\" height=\"{1:.0f}\" class=\"paper\"/>\n",
             kPageWidth, below + 10, escapeXml("Roofline of " + picture.title), style()) +
         body + "</svg>\n";
}

}  // namespace perfscope
