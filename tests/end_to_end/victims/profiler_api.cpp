// Kernels before, between and after cudaProfilerStart/Stop: 5, 7 and 9. Pauses are longer than the
// collector's reaction.
#include "tests/end_to_end/victims/victim.h"

int main() {
  namespace victim = perfscope::victim;
  const uint32_t stream = standinStreamCreate();
  const auto part = [stream](int kernels) {
    victim::launchMany(stream, kernels);
    standinStreamSynchronize(stream);
    ::usleep(150'000);
  };
  part(5);
  standinProfilerStart();
  ::usleep(150'000);
  part(7);
  standinProfilerStop();
  ::usleep(150'000);
  part(9);
  return 0;
}
