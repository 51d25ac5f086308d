// Shapes and types of matrix products. Enumeration values: library_types.h and cublas_api.h of CUDA 12
// and 13.
#include "analysis/facts/gemm_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>

namespace perfscope {
namespace {

using hardware::Precision;

enum class Family : uint8_t { Float, Integer };
struct DataType {
  int value;
  int bits;  // of one element, both parts of a complex one
  bool complex;
  Family family;
  std::string_view name;
};
constexpr auto kDataTypes = std::to_array<DataType>({
    {0, 32, false, Family::Float, "fp32"},        {1, 64, false, Family::Float, "fp64"},
    {2, 16, false, Family::Float, "fp16"},        {3, 8, false, Family::Integer, "int8"},
    {4, 64, true, Family::Float, "complex fp32"}, {5, 128, true, Family::Float, "complex fp64"},
    {6, 32, true, Family::Float, "complex fp16"}, {8, 8, false, Family::Integer, "uint8"},
    {10, 32, false, Family::Integer, "int32"},    {12, 32, false, Family::Integer, "uint32"},
    {14, 16, false, Family::Float, "bf16"},       {15, 32, true, Family::Float, "complex bf16"},
    {16, 4, false, Family::Integer, "int4"},      {18, 4, false, Family::Integer, "uint4"},
    {28, 8, false, Family::Float, "fp8_e4m3"},    {29, 8, false, Family::Float, "fp8_e5m2"},
    {31, 6, false, Family::Float, "fp6_e2m3"},    {32, 6, false, Family::Float, "fp6_e3m2"},
    {33, 4, false, Family::Float, "fp4_e2m1"},
});

// cublasComputeType_t
constexpr int kCompute16F = 64, kCompute16FPedantic = 65;
constexpr int kComputeFast16F = 74, kComputeFast16BF = 75, kComputeFastTf32 = 77;

const DataType* find(int value) {
  const auto* found = std::find_if(kDataTypes.begin(), kDataTypes.end(),
                                   [value](const DataType& type) { return type.value == value; });
  return found == kDataTypes.end() ? nullptr : found;
}

bool positive(const GemmCall& call) {
  return call.m > 0 && call.n > 0 && call.k > 0 && call.batch > 0;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool holds(const std::string& text, std::string_view fragment) {
  return text.find(fragment) != std::string::npos;
}

Precision fp32Path(int compute_type, const std::string& kernel) {
  if (compute_type == kComputeFast16F) return Precision::Fp16Tensor;
  if (compute_type == kComputeFast16BF) return Precision::Bf16Tensor;
  // TF32 may also be allowed through the handle's math mode, which the call does not carry: the name does.
  if (compute_type == kComputeFastTf32 || holds(kernel, "tf32") || holds(kernel, "s1688") ||
      holds(kernel, "s16816")) {
    return Precision::Tf32Tensor;
  }
  return Precision::Fp32;
}

}  // namespace

std::optional<int> dataTypeBits(int cuda_data_type) {
  const DataType* type = find(cuda_data_type);
  if (type == nullptr) return std::nullopt;
  return type->bits;
}

std::string dataTypeName(int cuda_data_type) {
  const DataType* type = find(cuda_data_type);
  return type != nullptr ? std::string(type->name) : fmt::format("type {}", cuda_data_type);
}

std::optional<double> gemmFlops(const GemmCall& call) {
  if (!positive(call)) return std::nullopt;
  const DataType* type = find(call.a_type);
  const double per_multiply_add = type != nullptr && type->complex ? 8.0 : 2.0;
  return per_multiply_add * static_cast<double>(call.m) * static_cast<double>(call.n) *
         static_cast<double>(call.k) * static_cast<double>(call.batch);
}

std::optional<double> gemmBytes(const GemmCall& call) {
  const auto a = dataTypeBits(call.a_type), b = dataTypeBits(call.b_type);
  const auto c = dataTypeBits(call.c_type), d = dataTypeBits(call.d_type);
  if (!positive(call) || !a || !b || !c || !d) return std::nullopt;
  const auto m = static_cast<double>(call.m), n = static_cast<double>(call.n),
             k = static_cast<double>(call.k);
  double bits = m * k * *a + k * n * *b + m * n * *d;
  if (call.reads_c == 1) bits += m * n * *c;
  constexpr double kBitsPerByte = 8;
  return bits / kBitsPerByte * static_cast<double>(call.batch);
}

bool nameSaysVectorPipe(std::string_view kernel_name) {
  const std::string kernel = lower(kernel_name);
  const auto any = [&](std::initializer_list<std::string_view> fragments) {
    return std::any_of(fragments.begin(), fragments.end(),
                       [&](auto fragment) { return holds(kernel, fragment); });
  };
  // First what only vector kernels are called, then what only tensor kernels are: "sgemm" is in the names of
  // both.
  if (any({"simt", "ffma", "gemv", "gemmsn", "gemmk1"})) return true;
  if (any({"tensorop", "tf32", "mma", "s1688", "s16816", "h1688", "h16816", "nvjet"})) return false;
  return any({"sgemm", "dgemm"});
}

std::optional<Precision> executedPrecision(const GemmCall& call, std::string_view kernel_name) {
  const std::string kernel = lower(kernel_name);
  const bool vector_pipe = nameSaysVectorPipe(kernel_name);
  const DataType* type = find(call.a_type);
  if (type == nullptr) return std::nullopt;
  if (type->family == Family::Integer) return Precision::Int8Tensor;
  const int part_bits = type->complex ? type->bits / 2 : type->bits;
  switch (part_bits) {
    case 64:
      return holds(kernel, "tensorop") || holds(kernel, "dmma") || holds(kernel, "d884")
                 ? Precision::Fp64Tensor
                 : Precision::Fp64;
    case 32:
      return vector_pipe ? Precision::Fp32 : fp32Path(call.compute_type, kernel);
    case 16:
      // Vector kernels of 16-bit operands (gemv) multiply and add in fp32.
      if (vector_pipe) return Precision::Fp32;
      if (holds(lower(type->name), "bf16")) return Precision::Bf16Tensor;
      return call.compute_type == kCompute16F || call.compute_type == kCompute16FPedantic
                 ? Precision::Fp16TensorAcc16
                 : Precision::Fp16Tensor;
    case 8:
      return Precision::Fp8Tensor;
    case 6:
      return Precision::Fp6Tensor;
    case 4:
      return Precision::Fp4Tensor;
    default:
      return std::nullopt;
  }
}

std::string misalignedDimension(const GemmCall& call) {
  const auto bits = dataTypeBits(call.a_type);
  if (!bits || !positive(call)) return {};
  constexpr int64_t kAlignedBits = 16 * 8;
  const std::array<std::pair<std::string_view, int64_t>, 3> dimensions = {
      {{"m", call.m}, {"n", call.n}, {"k", call.k}}};
  for (const auto& [dimension, elements] : dimensions) {
    // A dimension of 1 is a matrix-vector product: there is nothing to align.
    if (elements == 1 || elements * *bits % kAlignedBits == 0) continue;
    return fmt::format("{} = {} x {} bits is no multiple of 16 bytes ({})", dimension, elements, *bits,
                       dataTypeName(call.a_type));
  }
  return {};
}

}  // namespace perfscope
