// NVIDIA's run-time compiler: CUDA C++ text -> code for the GPU at hand, also for one that did not exist when
// this program was built.
#pragma once

#include <string>
#include <vector>

#include "schemas/result.h"

namespace perfscope::calibration {

struct CompiledCode {
  std::vector<char> image;  // a cubin, or PTX that ends in a zero byte
  std::string target;       // "sm_90" or "compute_80"
};

class Nvrtc {
 public:
  // Errors: Unavailable (no library, or one without a function).
  static Result<Nvrtc> open(int driver_api);

  // The target for compute capability major.minor (90 = 9.0): its own code where this NVRTC knows it, else
  // PTX of the newest older one that it knows, which the driver translates. "" when there is none. Pure.
  static std::string target(const std::vector<int>& known, int capability);

  // `capability`: 90 for 9.0. Errors: Unavailable (too old for this NVRTC), Internal with the compiler's log.
  Result<CompiledCode> compile(const std::string& source, int capability) const;

  [[nodiscard]] const std::string& path() const { return m_path; }

 private:
  using Code = int;
  using Program = void*;
  struct Api {
    Code (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    Code (*destroy)(Program*) = nullptr;
    Code (*compile)(Program, int, const char* const*) = nullptr;
    Code (*cubinSize)(Program, size_t*) = nullptr;
    Code (*cubin)(Program, char*) = nullptr;
    Code (*ptxSize)(Program, size_t*) = nullptr;
    Code (*ptx)(Program, char*) = nullptr;
    Code (*logSize)(Program, size_t*) = nullptr;
    Code (*log)(Program, char*) = nullptr;
    Code (*archCount)(int*) = nullptr;
    Code (*archs)(int*) = nullptr;
  };
  [[nodiscard]] std::vector<int> knownCapabilities() const;
  [[nodiscard]] std::string logOf(Program program) const;

  Api m_api;
  std::string m_path;
};

}  // namespace perfscope::calibration
