// Launches a kernel every 200 us for ever and prints, after each tenth, how many were launched and when, so
// that a killer knows what a complete record would hold. Argument: seconds after which it gives up.
#include <ctime>

#include "tests/end_to_end/victims/victim.h"

int main(int argc, char** argv) {
  namespace victim = perfscope::victim;
  const int seconds = victim::argument(argc, argv, 1, 30);
  const uint32_t stream = standinStreamCreate();
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const time_t end = now.tv_sec + seconds;
  for (long launched = 1; now.tv_sec < end; ++launched) {
    standinLaunch(stream, &victim::kVectorAdd);
    ::clock_gettime(CLOCK_REALTIME, &now);
    if (launched % 10 == 0) {
      std::printf("%ld %lld\n", launched, static_cast<long long>(now.tv_sec) * 1'000'000'000LL + now.tv_nsec);
      std::fflush(stdout);
    }
    const timespec pause{0, 200'000};
    ::nanosleep(&pause, nullptr);
  }
  return 0;
}
