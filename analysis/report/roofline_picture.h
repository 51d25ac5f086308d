// What a roofline shows, as a value: ceilings, points, what has no point and why. Made from the same report
// as everything else; the text chart, SVG, HTML and CSV draw it and compute nothing. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/report/report.h"
#include "schemas/result.h"

namespace perfscope {

enum class CeilingKind { Datasheet, AtClock, Calibrated, Overlay };

// min(flops_per_s, bytes_per_s * intensity); both > 0.
struct PictureCeiling {
  CeilingKind kind = CeilingKind::Datasheet;
  std::string label;  // "data sheet", "H100 SXM 80GB"
  double flops_per_s = 0, bytes_per_s = 0;
  [[nodiscard]] double ridge() const { return flops_per_s / bytes_per_s; }
};

struct PictureSpot {
  double intensity = 0;    // FLOP/byte
  double flops_per_s = 0;  // over the time of the launches that carry the figures
  std::optional<double> low_flops_per_s, high_flops_per_s;  // interval of the estimate
  std::string provenance;
};

// A kernel with at least one spot; both = joined by a line.
struct PicturePoint {
  size_t kernel = 0;  // index into Report::kernels
  std::string label;
  std::optional<PictureSpot> measured, algorithmic;  // bytes of counters / of the library call's shapes
  double share = 0;                                  // of the kernel time of its GPU
  [[nodiscard]] const PictureSpot& main() const { return measured ? *measured : *algorithmic; }
};

struct PictureAbsent {
  size_t kernel = 0;
  std::string label, why;
};

struct RooflinePicture {
  std::string title;     // "NVIDIA H200 (GPU 0), bf16_tensor"
  std::string boundary;  // what the bytes are, one clause
  std::string precision;
  std::string device_name;
  std::int64_t device = 0;
  std::string level;  // dram | l2
  std::vector<PictureCeiling> ceilings;
  std::vector<PicturePoint> points;    // by time, longest first
  std::vector<PictureAbsent> without;  // likewise
  std::vector<std::string> notes;      // ceilings used, refused overlays, empty profiles
};

struct PictureOptions {
  std::string level = "dram";         // or "l2"
  std::string precision;              // empty: the one with most kernel time
  std::vector<std::string> overlays;  // products of the catalogue
  std::size_t top = 20;               // points drawn; the rest is listed as left out
};

// The device with most kernel time. An overlay without the precision or, at L2, without a bandwidth is
// refused in a note: its roof would be of another kind than the points. Errors: Usage for an unknown level,
// precision or product, and for a precision that no kernel executes. A profile without kernels gives a
// picture that says so.
Result<RooflinePicture> rooflinePicture(const Report& report, const PictureOptions& options);

}  // namespace perfscope
