// Waves, warp packing and alignment; conventions are in the header.
#include "analysis/model/launch_shape.h"

#include <cmath>
#include <numeric>

namespace perfscope::model {
namespace {

constexpr int kBitsPerByte = 8;
constexpr std::int64_t kLargestAlignment = 256;
// Grids have at most 2^31-1 x 65535 x 65535 blocks; this bound on sizes keeps all products below 2^63.
constexpr std::int64_t kLargestDimension = std::int64_t{1} << 40;

tl::unexpected<Error> refuse(std::string where, std::string reason) {
  return failure(ErrorKind::Usage, std::move(where), std::move(reason), "give positive counts");
}

DimensionAlignment alignmentOf(std::int64_t elements, int element_bits, std::int64_t required_bytes) {
  DimensionAlignment result;
  const std::int64_t bits = elements * element_bits;
  const std::int64_t required_bits = required_bytes * kBitsPerByte;
  result.elements = elements;
  result.bytes = static_cast<double>(bits) / kBitsPerByte;
  result.aligned = bits % required_bits == 0;
  while (result.aligned_to_bytes < kLargestAlignment) {
    const std::int64_t next = result.aligned_to_bytes == 0 ? 1 : result.aligned_to_bytes * 2;
    if (bits % (next * kBitsPerByte) != 0) break;
    result.aligned_to_bytes = next;
  }
  const std::int64_t step = std::lcm(static_cast<std::int64_t>(element_bits), required_bits) / element_bits;
  result.padded_elements = (elements + step - 1) / step * step;
  return result;
}

}  // namespace

Result<Waves> waves(std::int64_t grid_blocks, int sm_count, int resident_blocks) {
  if (grid_blocks <= 0 || sm_count <= 0 || resident_blocks < 0) {
    return refuse("waves", "blocks and SMs must be positive");
  }
  if (resident_blocks == 0) {
    return failure(ErrorKind::Unavailable, "waves", "no block fits on an SM, so the launch cannot run",
                   "see the limiter of the occupancy");
  }
  Waves result;
  result.waves = static_cast<double>(grid_blocks) / (static_cast<double>(sm_count) * resident_blocks);
  result.whole_waves = std::ceil(result.waves);
  result.efficiency = result.waves / result.whole_waves;
  result.tail_unused = result.whole_waves - result.waves;
  return result;
}

Result<WarpPacking> warpPacking(std::int64_t items, int width) {
  if (items <= 0 || width <= 0) return refuse("warps", "items and lanes must be positive");
  WarpPacking result;
  result.warps = items / width + (items % width != 0 ? 1 : 0);
  const double lanes = static_cast<double>(result.warps) * width;
  result.utilisation = static_cast<double>(items) / lanes;
  result.time_per_item = lanes / static_cast<double>(items);
  return result;
}

Result<GemmAlignment> gemmAlignment(std::int64_t m, std::int64_t n, std::int64_t k, int element_bits,
                                    std::int64_t required_bytes) {
  constexpr int kLargestElementBits = 128;
  constexpr std::int64_t kLargestRequirement = 4096;
  const auto valid = [](std::int64_t dimension) { return dimension > 0 && dimension <= kLargestDimension; };
  if (!valid(m) || !valid(n) || !valid(k))
    return refuse("alignment", "m, n and k must be positive and below 2^40");
  if (element_bits <= 0 || element_bits > kLargestElementBits || required_bytes <= 0 ||
      required_bytes > kLargestRequirement) {
    return refuse("alignment",
                  "element size and required alignment must be positive (at most 128 bits, 4096 bytes)");
  }
  GemmAlignment result;
  result.m = alignmentOf(m, element_bits, required_bytes);
  result.n = alignmentOf(n, element_bits, required_bytes);
  result.k = alignmentOf(k, element_bits, required_bytes);
  const auto grown = [](const DimensionAlignment& dimension) {
    return static_cast<double>(dimension.padded_elements) / static_cast<double>(dimension.elements);
  };
  result.padding_overhead = grown(result.m) * grown(result.n) * grown(result.k) - 1;
  return result;
}

}  // namespace perfscope::model
