// The kernels' arithmetic, step by step.
#include "injector/calibration/arithmetic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "injector/calibration/kernel_source.h"

namespace perfscope::calibration {
namespace {

std::uint32_t firstNumber(std::uint32_t self, int chain) {
  return (self * kChains + static_cast<std::uint32_t>(chain)) & 1023U;
}

double firstValue(std::uint32_t self, int chain) {
  return (static_cast<double>(firstNumber(self, chain)) - 512.0) / 1024.0;
}

// results = sum over the chains of bits * 31^..., as the kernels do it.
template <class First, class Step, class Bits>
std::uint64_t chains(int rounds, First&& first, Step&& step, Bits&& bits) {
  std::uint64_t result = 0;
  for (int chain = 0; chain < kChains; ++chain) {
    auto x = first(chain);
    const std::int64_t steps = std::int64_t{rounds} * kStepsPerRound;
    for (std::int64_t i = 0; i < steps; ++i) x = step(x);
    result = result * 31 + bits(x);
  }
  return result;
}

int bias(const SmallFloat& format) {
  return (1 << (format.exponent_bits - 1)) - 1;
}

}  // namespace

std::uint32_t patternSum(std::uint64_t words, std::uint32_t seed) {
  // n (n - 1) / 2: the even one of the two is halved first, so the product is exact modulo 2^64.
  const std::uint64_t a = words % 2 == 0 ? words / 2 : words;
  const std::uint64_t b = words % 2 == 0 ? words - 1 : (words - 1) / 2;
  return static_cast<std::uint32_t>(a * b * kWeyl + words * seed);
}

std::uint64_t chainFp32(std::uint32_t self, int rounds) {
  const auto c = static_cast<float>(kChainConstant);
  return chains(
      rounds, [&](int chain) { return static_cast<float>(firstValue(self, chain)); },
      [c](float x) { return std::fma(x, x, c); },
      [](float x) { return std::uint64_t{std::bit_cast<std::uint32_t>(x)}; });
}

std::uint64_t chainFp64(std::uint32_t self, int rounds) {
  return chains(
      rounds, [&](int chain) { return firstValue(self, chain); },
      [](double x) { return std::fma(x, x, kChainConstant); },
      [](double x) { return std::bit_cast<std::uint64_t>(x); });
}

std::uint64_t chainInt32(std::uint32_t self, int rounds) {
  return chains(
      rounds, [&](int chain) { return firstNumber(self, chain); },
      [](std::uint32_t x) { return x * kChainInteger + kChainInteger; },
      [](std::uint32_t x) { return std::uint64_t{x}; });
}

std::uint64_t chainFp16(std::uint32_t self, int rounds) {
  struct Pair {
    double low, high;
  };
  // The product of two halves and the sum are exact in double: rounding once to half is what the GPU does.
  const auto step = [](double x) { return rounded(x * x + kChainConstant, kHalf); };
  return chains(
      rounds,
      [&](int chain) {
        const double first = firstValue(self, chain);
        return Pair{first, -first};
      },
      [&](Pair x) {
        return Pair{step(x.low), step(x.high)};
      },
      [](Pair x) { return std::uint64_t{encoded(x.low, kHalf) | (encoded(x.high, kHalf) << 16U)}; });
}

std::uint32_t sharedSum(std::uint32_t self, int rounds, std::uint32_t seed) {
  std::uint32_t sum = 0;
  const std::uint32_t thread = self % kBlockThreads;
  for (std::uint32_t read = 0; read < kSharedReads; ++read) {
    for (std::uint32_t word = 0; word < 4; ++word) {
      sum += ((read * kBlockThreads + thread) * 4 + word) * kWeyl + seed;
    }
  }
  return sum * static_cast<std::uint32_t>(rounds);
}

double rounded(double value, const SmallFloat& format) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), 1 - bias(format));
  const int last_place = exponent - format.fraction_bits;
  return std::ldexp(std::nearbyint(std::ldexp(value, -last_place)), last_place);
}

std::uint32_t encoded(double value, const SmallFloat& format) {
  const double exact = rounded(value, format);
  const std::uint32_t sign = std::signbit(exact) ? 1U << (format.exponent_bits + format.fraction_bits) : 0U;
  const double size = std::fabs(exact);
  if (size == 0) return sign;
  const int least = 1 - bias(format);
  const int exponent = std::max(std::ilogb(size), least);
  const auto digits = static_cast<std::uint32_t>(std::ldexp(size, format.fraction_bits - exponent));
  const std::uint32_t hidden = 1U << format.fraction_bits;
  const std::uint32_t field = digits < hidden ? 0U : static_cast<std::uint32_t>(exponent + bias(format));
  return sign | (field << format.fraction_bits) | (digits & (hidden - 1U));
}

double decoded(std::uint32_t bits, const SmallFloat& format) {
  const std::uint32_t hidden = 1U << format.fraction_bits;
  const std::uint32_t field = (bits >> format.fraction_bits) & ((1U << format.exponent_bits) - 1U);
  const bool negative = ((bits >> (format.exponent_bits + format.fraction_bits)) & 1U) != 0;
  const std::uint32_t digits = (bits & (hidden - 1U)) | (field == 0 ? 0U : hidden);
  const int exponent = (field == 0 ? 1 : static_cast<int>(field)) - bias(format) - format.fraction_bits;
  const double size = std::ldexp(static_cast<double>(digits), exponent);
  return negative ? -size : size;
}

std::vector<double> normalTable(std::size_t count) {
  std::vector<double> table(count);
  std::uint64_t state = 0x9E3779B97F4A7C15U;
  for (double& value : table) {
    double sum = 0;  // of 12 uniform numbers: variance 1
    for (int i = 0; i < 12; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      sum += static_cast<double>(state >> 40U) / static_cast<double>(1U << 24U);
    }
    value = std::clamp(sum - 6.0, -4.0, 4.0);
  }
  return table;
}

std::uint32_t tableIndex(std::uint64_t i, std::uint32_t mask, std::uint32_t seed) {
  std::uint32_t h = static_cast<std::uint32_t>(i) * kWeyl + seed;
  h ^= h >> 15U;
  h *= 2246822519U;
  h ^= h >> 13U;
  return h & mask;
}

}  // namespace perfscope::calibration
