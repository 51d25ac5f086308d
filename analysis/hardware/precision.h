// The arithmetic paths of a GPU that have a peak of their own, and their names in text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "schemas/result.h"

namespace perfscope::hardware {

// Plain names are the vector pipes, `Tensor` names the matrix units. A 16-bit or 8-bit float multiply may
// accumulate in 16 or 32 bits; GeForce boards run the 32-bit form at half rate, so the two are kept apart.
// The name without `Acc16` accumulates in 32 bits.
enum class Precision : std::uint8_t {
  Fp64,
  Fp64Tensor,
  Fp32,
  Fp16,
  Bf16,
  Tf32Tensor,
  Fp16TensorAcc16,
  Fp16Tensor,
  Bf16Tensor,
  Fp8TensorAcc16,
  Fp8Tensor,
  Fp6Tensor,
  Fp4Tensor,
  Int8Tensor,
};

inline constexpr std::size_t kPrecisionCount = 14;

// All precisions in the order of the enumeration (also the order of tables and listings).
[[nodiscard]] const std::array<Precision, kPrecisionCount>& allPrecisions();

// "fp16_tensor": the stable name used in reports and on the command line.
[[nodiscard]] std::string_view name(Precision precision);

// "op/s" for the integer path (an integer operation is no FLOP), "FLOP/s" for all others.
[[nodiscard]] std::string_view rateUnit(Precision precision);

// True for the matrix units.
[[nodiscard]] bool isTensor(Precision precision);

// Bits of one stored element (tf32 is stored in 32 bits).
[[nodiscard]] int storageBits(Precision precision);

// Parses name() and the short forms tf32, fp8, fp6, fp4, int8; the case does not matter. "fp16" and "bf16"
// are the vector pipes, as in the catalogue. Error: Usage, lists the valid names.
[[nodiscard]] Result<Precision> parsePrecision(std::string_view text);

}  // namespace perfscope::hardware
