// What a matrix product needs: FLOPs and bytes from the call's shape and types, and on which pipe a kernel
// runs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/hardware/precision.h"
#include "analysis/trace/trace.h"

namespace perfscope {

// Bits of one element of a cudaDataType (library_types.h); complex types count both parts. Empty when not
// known.
[[nodiscard]] std::optional<int> dataTypeBits(int cuda_data_type);
// "fp16", "bf16", "fp8_e4m3", ...; "type 99" when not known.
[[nodiscard]] std::string dataTypeName(int cuda_data_type);

// 2 m n k batch, for complex types four times that (a complex multiply-add is 8 FLOPs). A fused bias or
// activation is not counted. Empty when a dimension is not positive.
[[nodiscard]] std::optional<double> gemmFlops(const GemmCall& call);

// Each operand once, the result once; C is read too when beta is not zero. When beta is not known, C counts
// as not read: a lower bound. Empty when a type or dimension is not known.
[[nodiscard]] std::optional<double> gemmBytes(const GemmCall& call);

// The pipe that the kernel of this call runs on: from types and compute type, corrected by what the kernel's
// name tells (sgemm, simt, gemv: vector pipe; tf32: TF32). Empty when the types are not known.
[[nodiscard]] std::optional<hardware::Precision> executedPrecision(const GemmCall& call,
                                                                   std::string_view kernel_name);

// True when the name says that no tensor core takes part (sgemm without tf32, simt, gemv, dgemm without
// dmma).
[[nodiscard]] bool nameSaysVectorPipe(std::string_view kernel_name);

// "k = 4095 x 2 bytes" for the first of m, n, k whose size in bytes is no multiple of 16; empty when all are.
[[nodiscard]] std::string misalignedDimension(const GemmCall& call);

}  // namespace perfscope
