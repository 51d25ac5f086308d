// What the cuBLAS hooks have in common: one call -> one record.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collector/hot/callbacks.h"
#include "collector/process/clock.h"
#include "schemas/spool_format.h"

namespace perfscope::collector {

// cudaDataType values (library_types.h).
inline constexpr uint16_t kTypeFloat32 = 0, kTypeFloat64 = 1, kTypeFloat16 = 2;
// cublasComputeType_t values (cublas_api.h).
inline constexpr uint16_t kCompute16F = 64, kCompute32F = 68, kCompute64F = 70;

inline constexpr uint16_t kGemmTransposeA = 1, kGemmTransposeB = 2, kGemmBeta = 4, kGemmEpilogue = 8,
                          kGemmBetaUnknown = 16;

// Where GEMM records go: null when this process is not being recorded (or not now, or --no-gemm, or the call
// comes from inside another hooked call, which has recorded it already).
HotState* gemmTarget() noexcept;

// One hooked call on this thread: calls inside it are not recorded again (cuBLAS calls cuBLASLt).
class HookScope {
 public:
  HookScope() noexcept;
  ~HookScope();
  HookScope(const HookScope&) = delete;
  HookScope& operator=(const HookScope&) = delete;
};

// Bytes of a scalar (alpha, beta) for a compute type: 2 for half, 8 for double, else 4. Pure.
size_t scalarBytes(uint16_t compute_type) noexcept;
// kGemmBeta when the scalar at `beta` (host memory) is not zero, 0 when it is, kGemmBetaUnknown when beta is
// null.
uint16_t betaFlag(const void* beta, size_t bytes) noexcept;

// The leading dimension or size, cut to what the record holds (2^32 - 1 is no real one).
constexpr uint32_t clipped(int64_t value) noexcept {
  return value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(value);
}

// Runs `call`, which returns a cublasStatus_t, and records it when it succeeded. `describe` fills everything
// of the record but times, and runs only when the call is recorded (before the call: descriptors may be
// destroyed by then).
template <class Describe, class Call>
int recordGemm(Describe&& describe, Call&& call) {
  HotState* target = gemmTarget();
  const HookScope scope;
  if (target == nullptr) return call();
  spool::Gemm record{};
  record.head.kind = spool::Kind::Gemm;
  describe(record);
  record.start_ns = realtimeNs();
  const int status = call();
  record.end_ns = realtimeNs();
  if (status == 0) target->lanes->push(record);
  return status;
}

}  // namespace perfscope::collector
