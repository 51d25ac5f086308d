// The picture as a page with a table, and as comma-separated values.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/format.h"
#include "analysis/report/roofline_svg.h"

namespace perfscope {
namespace {

std::string cell(const std::string& text, const char* css = "") {
  return fmt::format("<td{}>{}</td>", *css != '\0' ? fmt::format(" class=\"{}\"", css) : "", escapeXml(text));
}

std::string orWhyText(const Measured<double>& value, std::string (*print)(double)) {
  return value.has() ? print(*value) + " (" + value.provenance + ")" : "not measured, because " + value.why;
}

std::string tableRow(const KernelReport& kernel, const std::string& label, const std::string& number,
                     const PictureSpot* spot, const std::string& kind, const std::string& why) {
  std::string row = "<tr>" + cell(number, "n") + cell(label) + cell(kernel.kernel_class) +
                    cell(format::percent(kernel.share), "n") + cell(format::count(kernel.count), "n") +
                    cell(format::duration(static_cast<double>(kernel.total_ns)), "n");
  if (spot == nullptr) return row + fmt::format("<td colspan=\"6\">no point: {}</td></tr>\n", escapeXml(why));
  row += cell(format::intensity(spot->intensity), "n") +
         cell(format::flopsPerSecond(spot->flops_per_s), "n") + cell(kind + ", " + spot->provenance) +
         cell(orWhyText(kernel.roofline.fraction_of_roof, format::percent)) +
         cell(orWhyText(kernel.roofline.fraction_of_calibrated, format::percent)) +
         cell(kernel.roofline.verdict);
  return row + "</tr>\n";
}

std::string table(const RooflinePicture& picture, const Report& report) {
  std::string html =
      "<table><thead><tr><th>#</th><th>kernel</th><th>class</th><th>share</th><th>calls</th><th>time</th>"
      "<th>FLOP/byte</th><th>reached</th><th>where the bytes come from</th><th>of the roof</th>"
      "<th>of the measured roof</th><th>limit</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < picture.points.size(); ++i) {
    const auto& point = picture.points[i];
    const auto& kernel = report.kernels[point.kernel];
    const std::string number = std::to_string(i + 1);
    if (point.measured) html += tableRow(kernel, point.label, number, &*point.measured, "measured", {});
    if (point.algorithmic)
      html += tableRow(kernel, point.label, number, &*point.algorithmic, "algorithmic", {});
  }
  for (const auto& absent : picture.without) {
    html += tableRow(report.kernels[absent.kernel], absent.label, "", nullptr, {}, absent.why);
  }
  return html + "</tbody></table>\n";
}

const PictureCeiling* ceiling(const RooflinePicture& picture, CeilingKind kind) {
  const auto found = std::find_if(picture.ceilings.begin(), picture.ceilings.end(),
                                  [kind](const PictureCeiling& c) { return c.kind == kind; });
  return found == picture.ceilings.end() ? nullptr : &*found;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string exactOrEmpty(const std::optional<double>& value) {
  return value ? format::exact(*value) : std::string();
}

std::string csvRow(const RooflinePicture& picture, const KernelReport& kernel, const char* kind,
                   const PictureSpot* spot, const std::string& why) {
  std::string row =
      fmt::format("{},{},{},{},{},{},{},{},{},", quoted(kernel.name), quoted(kernel.kernel_class),
                  kernel.device, kernel.count, kernel.total_ns, format::exact(kernel.share),
                  quoted(kernel.roofline.precision), picture.level, kind);
  if (spot != nullptr) {
    row += fmt::format("{},{},{},{},{},", format::exact(spot->intensity), format::exact(spot->flops_per_s),
                       exactOrEmpty(spot->low_flops_per_s), exactOrEmpty(spot->high_flops_per_s),
                       quoted(spot->provenance));
  } else {
    row += ",,,,,";
  }
  for (const auto kind_of_roof : {CeilingKind::Datasheet, CeilingKind::AtClock, CeilingKind::Calibrated}) {
    // A kernel of another precision stands under other roofs than the drawn ones.
    const auto* const roof = spot != nullptr ? ceiling(picture, kind_of_roof) : nullptr;
    row += roof != nullptr ? format::exact(roof->flops_per_s) + "," + format::exact(roof->bytes_per_s) + ","
                           : std::string(",,");
  }
  row += exactOrEmpty(kernel.roofline.fraction_of_roof.value) + ",";
  return row + quoted(kernel.roofline.verdict) + "," + quoted(why) + "\n";
}

}  // namespace

std::string rooflineHtml(const RooflinePicture& picture, const Report& report) {
  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n<style>"
             ":root{{color-scheme:light dark}}body{{font:14px system-ui,sans-serif;margin:24px}}"
             "svg{{max-width:100%;height:auto}}table{{border-collapse:collapse}}"
             "td,th{{padding:3px 9px;border-bottom:1px solid #8884;text-align:left;vertical-align:top}}"
             ".n{{text-align:right;font-variant-numeric:tabular-nums}}</style></head>\n<body>\n",
             escapeXml("Roofline of " + picture.title)) +
         rooflineSvg(picture, report) + table(picture, report) +
         fmt::format(
             "<p>One fused multiply-add = 2 FLOP, sparsity off. Profile: {}. perfscope "
             "{}.</p>\n</body></html>\n",
             escapeXml(report.path), escapeXml(report.perfscope_version));
}

std::string rooflineCsv(const RooflinePicture& picture, const Report& report) {
  std::string csv =
      "kernel,class,device,count,total_ns,share,precision,level,point,flop_per_byte,flops_per_s,flops_per_s_"
      "low,"
      "flops_per_s_high,provenance,datasheet_flops_per_s,datasheet_bytes_per_s,at_clock_flops_per_s,"
      "at_clock_bytes_per_s,calibrated_flops_per_s,calibrated_bytes_per_s,fraction_of_roof,verdict,why\n";
  for (const auto& point : picture.points) {
    const auto& kernel = report.kernels[point.kernel];
    if (point.measured) csv += csvRow(picture, kernel, "measured", &*point.measured, {});
    if (point.algorithmic) csv += csvRow(picture, kernel, "algorithmic", &*point.algorithmic, {});
  }
  for (const auto& absent : picture.without) {
    csv += csvRow(picture, report.kernels[absent.kernel], "none", nullptr, absent.why);
  }
  return csv;
}

}  // namespace perfscope
