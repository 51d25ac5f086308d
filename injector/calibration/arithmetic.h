// What the calibration kernels must have computed, worked out on the CPU, and numbers in the formats of the
// matrix units. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace perfscope::calibration {

// Sum modulo 2^32 of the words i * kWeyl + seed for i < words.
[[nodiscard]] std::uint32_t patternSum(std::uint64_t words, std::uint32_t seed);

// What thread `self` of chainFp32, chainFp64, chainInt32 or chainFp16 leaves after `rounds`. kChainConstant
// is the c of the floating-point ones; chainFp16 gets it rounded to half.
inline constexpr double kChainConstant = -1.84375;  // exact in half; x -> x * x + c stays within [-1.9, 1.9]
inline constexpr std::uint32_t kChainInteger = 2891336453U;  // 1 modulo 4: x * c + c has period 2^32
[[nodiscard]] std::uint64_t chainFp32(std::uint32_t self, int rounds);
[[nodiscard]] std::uint64_t chainFp64(std::uint32_t self, int rounds);
[[nodiscard]] std::uint64_t chainInt32(std::uint32_t self, int rounds);
[[nodiscard]] std::uint64_t chainFp16(std::uint32_t self, int rounds);

// What thread `self` of readShared leaves.
[[nodiscard]] std::uint32_t sharedSum(std::uint32_t self, int rounds, std::uint32_t seed);

// A floating-point format of at most 32 bits: sign, exponent, fraction.
struct SmallFloat {
  int exponent_bits, fraction_bits;
};
inline constexpr SmallFloat kHalf{5, 10}, kBrain{8, 7}, kTf32{8, 10}, kE4m3{4, 3};

// Round to nearest even; below the smallest normal number to its subnormals. |value| must be within the range
// of the format (no infinities are made).
[[nodiscard]] double rounded(double value, const SmallFloat& format);
[[nodiscard]] std::uint32_t encoded(double value, const SmallFloat& format);  // of rounded(value)
[[nodiscard]] double decoded(std::uint32_t bits, const SmallFloat& format);

// `count` values about normally distributed (mean 0, deviation 1, within +-4): random data, because a matrix
// unit fed with zeros takes less power and runs at a higher clock. The same on every call.
[[nodiscard]] std::vector<double> normalTable(std::size_t count);

// Index into a table of mask + 1 entries that fillFromTable takes for element i.
[[nodiscard]] std::uint32_t tableIndex(std::uint64_t i, std::uint32_t mask, std::uint32_t seed);

}  // namespace perfscope::calibration
