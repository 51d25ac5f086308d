// Shared by the victims: the kernels they launch, and reading of their arguments.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/support/standins/standin_cuda.h"

namespace perfscope::victim {

// Mangled as a compiler would: vectorAdd(float const*, float const*, float*, int).
inline constexpr StandinKernel kVectorAdd{
    "_Z9vectorAddPKfS0_Pfi", {1024, 1, 1}, {256, 1, 1}, {0, 0, 0}, 32, 0, 0, 3000};
inline constexpr StandinKernel kScale{"_Z5scalePffi", {64, 2, 1}, {128, 1, 1}, {0, 0, 0}, 16,
                                      1024,           4096,       2000};
// A kernel long enough to watch a run while it goes on.
inline constexpr StandinKernel kMillisecond{"_Z4slowPfi", {132, 1, 1}, {1024, 1, 1}, {2, 1, 1}, 64, 0, 0,
                                            1'000'000};

inline void launchMany(uint32_t stream, int count, const StandinKernel& kernel = kVectorAdd) {
  for (int i = 0; i < count; ++i) standinLaunch(stream, &kernel);
}

inline int argument(int argc, char** argv, int position, int otherwise) {
  return argc > position ? std::atoi(argv[position]) : otherwise;
}

}  // namespace perfscope::victim
