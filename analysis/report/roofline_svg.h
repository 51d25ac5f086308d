// A roofline picture as SVG, HTML and CSV. Readable without scripts, in light and dark; every text is
// escaped. Pure.
#pragma once

#include <string>
#include <string_view>

#include "analysis/report/roofline_picture.h"

namespace perfscope {

// Where things stand in the SVG: both axes logarithmic over whole decades. Coordinates in SVG user units, y
// downwards.
struct PlotFrame {
  double left = 108, top = 110, width = 622, height = 460;
  int x_low = -1, x_high = 4;  // exponents of ten, FLOP/byte
  int y_low = 9, y_high = 15;  // FLOP/s
  [[nodiscard]] double x(double intensity) const;
  [[nodiscard]] double y(double flops_per_s) const;
};

// Holds every point and interval, and every ridge with room on both sides.
[[nodiscard]] PlotFrame plotFrame(const RooflinePicture& picture);

// A whole document, from "<svg " to "</svg>"; also valid XML on its own.
[[nodiscard]] std::string rooflineSvg(const RooflinePicture& picture, const Report& report);

// The SVG and a table of all kernels of the device with provenance and reasons.
[[nodiscard]] std::string rooflineHtml(const RooflinePicture& picture, const Report& report);

// One row a spot (measured, algorithmic) and one for each kernel without; ceilings repeat in every row. First
// row: the names of the columns. Exact numbers, empty = not known.
[[nodiscard]] std::string rooflineCsv(const RooflinePicture& picture, const Report& report);

// &, <, >, quotes escaped, control characters and torn bytes replaced: fit for XML text and attributes.
[[nodiscard]] std::string escapeXml(std::string_view text);

}  // namespace perfscope
