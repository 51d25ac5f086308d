// The part of cuBLASLt that one matrix product needs, bound at run time and declared by hand: handles are
// opaque, the numbers are those of the vendor's headers and part of its stable interface (CUDA 12 and 13).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "injector/calibration/cuda_driver.h"
#include "schemas/result.h"

namespace perfscope::calibration {

// cudaDataType.
enum class LtType : int {
  Real32F = 0,
  Real64F = 1,
  Real16F = 2,
  Int8 = 3,
  Int32 = 10,
  Real16Bf = 14,
  Real8E4m3 = 28,
};

// cublasComputeType_t.
enum class LtCompute : int { Float32 = 68, Double = 70, Int32 = 72, Float32AsTf32 = 77 };

// D = transpose(A) * B, all n x n, column by column; both inputs of one type. TN is the one layout that every
// type has.
struct LtProduct {
  LtType input = LtType::Real16F, output = LtType::Real16F;
  LtCompute compute = LtCompute::Float32;
  LtType scale = LtType::Real32F;  // of alpha and beta
  std::uint64_t n = 0;
  bool has_fast_sums = false;  // FP8 units: sums kept in the unit, as frameworks ask for
};

class CublasLt {
 public:
  // Errors: Unavailable (no library, or one without a function).
  static Result<CublasLt> open(int driver_api);

  struct Algorithm {
    std::uint64_t data[8];
  };
  struct Heuristic {  // cublasLtMatmulHeuristicResult_t
    Algorithm algorithm;
    std::size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
  };
  using Handle = void*;

  // A prepared product; destroyed by destroy(). Must not outlive this object.
  struct Plan {
    Handle operation = nullptr, layout_in = nullptr, layout_out = nullptr;
    std::vector<Heuristic> algorithms;  // the library's proposals, best first
    LtProduct product;
  };
  // Makes a handle in the current context. Pairs with destroyHandle().
  Result<Handle> createHandle() const;
  void destroyHandle(Handle handle) const;
  // Error: Unavailable when the library has no algorithm for it on this GPU.
  Result<Plan> plan(Handle handle, const LtProduct& product, std::size_t workspace_bytes, int most) const;
  void destroy(Plan& plan) const;
  Status multiply(Handle handle, const Plan& plan, const Algorithm& algorithm, CuPointer a, CuPointer b,
                  CuPointer d, CuPointer workspace, std::size_t workspace_bytes, CuHandle stream) const;

  [[nodiscard]] const std::string& path() const { return m_path; }

 private:
  using Code = int;
  struct Api {
    Code (*create)(Handle*) = nullptr;
    Code (*destroy)(Handle) = nullptr;
    Code (*layoutCreate)(Handle*, int type, std::uint64_t rows, std::uint64_t columns,
                         std::int64_t ld) = nullptr;
    Code (*layoutDestroy)(Handle) = nullptr;
    Code (*operationCreate)(Handle*, int compute, int scale) = nullptr;
    Code (*operationDestroy)(Handle) = nullptr;
    Code (*operationSet)(Handle, int attribute, const void*, std::size_t) = nullptr;
    Code (*preferenceCreate)(Handle*) = nullptr;
    Code (*preferenceDestroy)(Handle) = nullptr;
    Code (*preferenceSet)(Handle, int attribute, const void*, std::size_t) = nullptr;
    Code (*heuristic)(Handle, Handle, Handle, Handle, Handle, Handle, Handle, int, Heuristic*,
                      int*) = nullptr;
    Code (*matmul)(Handle, Handle, const void* alpha, const void* a, Handle, const void* b, Handle,
                   const void* beta, const void* c, Handle, void* d, Handle, const Algorithm*,
                   void* workspace, std::size_t, CuHandle stream) = nullptr;
  };
  Status proposals(Handle handle, std::size_t workspace_bytes, int most, Plan& plan) const;

  Api m_api;
  std::string m_path;
};

}  // namespace perfscope::calibration
