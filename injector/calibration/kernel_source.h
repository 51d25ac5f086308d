// The kernels of calibration as CUDA C++ text, compiled by NVRTC on the machine at hand. Each leaves a result
// that arithmetic.h can work out on the CPU: a kernel that the compiler emptied, or that did not run, is
// found out.
#pragma once

#include <string>

namespace perfscope::calibration {

// Names of the functions, extern "C", and what their parameters are, stand in the text.
[[nodiscard]] const std::string& kernelSource();

inline constexpr int kBlockThreads = 256;  // of every kernel
inline constexpr int kChains = 8;          // independent accumulators of a thread in the fma kernels
inline constexpr int kStepsPerRound = 16;  // unrolled steps of a chain; `rounds` counts these
inline constexpr int kSharedWords = 4096;  // uint32 in shared memory (16 KiB)
inline constexpr int kSharedReads = 4;     // 16-byte reads of a thread and round
inline constexpr unsigned kWeyl =
    2654435761U;  // 2^32 / golden ratio: word i of a pattern is i * kWeyl + seed

}  // namespace perfscope::calibration
