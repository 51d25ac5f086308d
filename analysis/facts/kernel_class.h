// What kind of work a kernel does, by its name.
#pragma once

#include <cstdint>
#include <string_view>

namespace perfscope {

enum class KernelClass : uint8_t {
  Gemm,
  Convolution,
  Attention,
  Softmax,
  Normalisation,
  Reduction,
  Embedding,
  Optimizer,
  Elementwise,
  Copy,
  Communication,
  Other,
};

// "gemm", "conv", "attention", ...: the names of the report.
[[nodiscard]] std::string_view name(KernelClass kernel_class);

// First matching pattern of one table; upper and lower case do not matter. A guess by name
// ("modelled:kernel_name"): Other when nothing matches.
[[nodiscard]] KernelClass classOf(std::string_view demangled_name);

// True for classes whose kernels do little arithmetic per byte by their nature (elementwise, copies,
// normalisation,
// ...), so that memory is what they need when no FLOPs are known.
[[nodiscard]] bool isMemoryNatured(KernelClass kernel_class);
// The same for a class by its name in the report; false for an unknown name.
[[nodiscard]] bool isMemoryNatured(std::string_view class_name);

}  // namespace perfscope
