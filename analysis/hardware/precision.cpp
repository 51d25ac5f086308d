// One table holds the names of the arithmetic paths; printing and parsing read it.
#include "analysis/hardware/precision.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace perfscope::hardware {
namespace {

struct PrecisionText {
  Precision precision;
  std::string_view name;
  std::string_view short_name;  // second accepted spelling, may be empty
  int storage_bits;
};

constexpr std::array<PrecisionText, kPrecisionCount> kTexts = {{
    {Precision::Fp64, "fp64", "", 64},
    {Precision::Fp64Tensor, "fp64_tensor", "", 64},
    {Precision::Fp32, "fp32", "", 32},
    {Precision::Fp16, "fp16", "", 16},
    {Precision::Bf16, "bf16", "", 16},
    {Precision::Tf32Tensor, "tf32_tensor", "tf32", 32},
    {Precision::Fp16TensorAcc16, "fp16_tensor_acc16", "", 16},
    {Precision::Fp16Tensor, "fp16_tensor", "", 16},
    {Precision::Bf16Tensor, "bf16_tensor", "", 16},
    {Precision::Fp8TensorAcc16, "fp8_tensor_acc16", "", 8},
    {Precision::Fp8Tensor, "fp8_tensor", "fp8", 8},
    {Precision::Fp6Tensor, "fp6_tensor", "fp6", 6},
    {Precision::Fp4Tensor, "fp4_tensor", "fp4", 4},
    {Precision::Int8Tensor, "int8_tensor", "int8", 8},
}};

const PrecisionText& textOf(Precision precision) {
  return kTexts[static_cast<std::size_t>(precision)];
}

}  // namespace

const std::array<Precision, kPrecisionCount>& allPrecisions() {
  static constexpr auto kAll = [] {
    std::array<Precision, kPrecisionCount> all{};
    for (std::size_t i = 0; i < kPrecisionCount; ++i) all[i] = kTexts[i].precision;
    return all;
  }();
  return kAll;
}

std::string_view name(Precision precision) {
  return textOf(precision).name;
}

std::string_view rateUnit(Precision precision) {
  return precision == Precision::Int8Tensor ? "op/s" : "FLOP/s";
}

bool isTensor(Precision precision) {
  return textOf(precision).name.find("tensor") != std::string_view::npos;
}

int storageBits(Precision precision) {
  return textOf(precision).storage_bits;
}

Result<Precision> parsePrecision(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string names;
  for (const PrecisionText& entry : kTexts) {
    if (lower == entry.name || (!entry.short_name.empty() && lower == entry.short_name)) {
      return entry.precision;
    }
    if (!names.empty()) names += ", ";
    names += entry.name;
  }
  return failure(ErrorKind::Usage, "precision '" + std::string(text) + "'", "no such precision",
                 "use one of " + names);
}

}  // namespace perfscope::hardware
