// How well a launch fills the machine: waves and their tail, threads over warps, alignment of matrix
// dimensions.
#pragma once

#include <cstdint>
#include <optional>

#include "schemas/result.h"

namespace perfscope::model {

struct Waves {
  double waves = 0;        // blocks / (SMs x resident blocks): 1.01 means a second, nearly empty wave
  double whole_waves = 0;  // rounded up: what the launch takes if all blocks last equally long
  double efficiency = 0;   // waves / whole waves
  double tail_unused = 0;  // share of the last wave that is empty, 0 when it is full
};

// grid_blocks over sm_count SMs with resident_blocks each (see occupancy()). The model assumes equal blocks
// and an otherwise empty GPU. Error: Usage when a count is not positive; Unavailable when resident_blocks is
// 0.
[[nodiscard]] Result<Waves> waves(std::int64_t grid_blocks, int sm_count, int resident_blocks);

struct WarpPacking {
  std::int64_t warps = 0;
  double utilisation = 0;    // items / lanes of the warps used
  double time_per_item = 0;  // against perfect packing, 1 = perfect
};

// Work items over warps (or wavefronts) of `width` lanes. Error: Usage when a count is not positive.
[[nodiscard]] Result<WarpPacking> warpPacking(std::int64_t items, int width);

struct DimensionAlignment {
  std::int64_t elements = 0;
  double bytes = 0;
  bool aligned = false;
  std::int64_t aligned_to_bytes =
      0;                             // largest power of two that divides the dimension in bytes (at most 256)
  std::int64_t padded_elements = 0;  // next aligned size
};

struct GemmAlignment {
  DimensionAlignment m, n, k;
  double padding_overhead = 0;  // extra FLOPs of padding all three, a share of the original
  [[nodiscard]] bool aligned() const { return m.aligned && n.aligned && k.aligned; }
};

// Tensor cores are fed in 16-byte pieces: 8 elements of 16 bits, 16 of 8 bits. A dimension that is no
// multiple may cost much or nothing, depending on library and layout; a finding needs the measured speed or
// instruction mix as well. Source: cuBLAS documentation, tensor core usage. element_bits 4, 6, 8, 16, 32
// or 64. Error: Usage when a dimension, element_bits or required_bytes is not positive.
[[nodiscard]] Result<GemmAlignment> gemmAlignment(std::int64_t m, std::int64_t n, std::int64_t k,
                                                  int element_bits, std::int64_t required_bytes = 16);

}  // namespace perfscope::model
