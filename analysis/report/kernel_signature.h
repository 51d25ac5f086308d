// What a person calls a kernel: its demangled name without return type, parameters, namespaces and the
// template arguments that only say how it is built. Pure.
#pragma once

#include <string>
#include <string_view>

namespace perfscope {

// How much of the template arguments is kept, each level with all that the one before keeps.
enum class SignatureDetail {
  Functor,  // what the kernel computes, in few letters: "elementwise<add<BFloat16>>"
  Types,    // names in full and the scalar types: "vectorized_elementwise_kernel<CUDAFunctor_add<BFloat16>>"
  Everything,  // numbers, traits and metadata too
  FullName,    // as it was given
};

// The name itself where it is no template or cannot be read (brackets that do not match).
[[nodiscard]] std::string kernelSignature(std::string_view demangled, SignatureDetail detail);

}  // namespace perfscope
