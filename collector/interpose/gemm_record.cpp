// What the cuBLAS hooks have in common.
#include "collector/interpose/gemm_record.h"

#include <array>
#include <cstring>

namespace perfscope::collector {
namespace {

// How deep this thread is in hooked calls.
thread_local int t_depth __attribute__((tls_model("initial-exec"))) = 0;

}  // namespace

HotState* gemmTarget() noexcept {
  HotState* hot = hotState();
  if (hot == nullptr || t_depth > 0 || !hot->gemm || !hot->collecting.load(std::memory_order_relaxed))
    return nullptr;
  return hot;
}

HookScope::HookScope() noexcept {
  ++t_depth;
}
HookScope::~HookScope() {
  --t_depth;
}

size_t scalarBytes(uint16_t compute_type) noexcept {
  if (compute_type == kCompute16F || compute_type == kCompute16F + 1) return 2;
  if (compute_type == kCompute64F || compute_type == kCompute64F + 1) return 8;
  return 4;
}

uint16_t betaFlag(const void* beta, size_t bytes) noexcept {
  if (beta == nullptr) return kGemmBetaUnknown;
  std::array<unsigned char, 8> value{};
  std::memcpy(value.data(), beta, bytes);
  value[bytes - 1] &= 0x7f;  // -0.0 is zero, too
  for (const unsigned char byte : value)
    if (byte != 0) return kGemmBeta;
  return 0;
}

}  // namespace perfscope::collector
