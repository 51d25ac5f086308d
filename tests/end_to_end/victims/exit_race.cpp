// Threads launch for ever; the main thread returns from main while they do. Arguments: threads milliseconds
#include <thread>

#include "tests/end_to_end/victims/victim.h"

int main(int argc, char** argv) {
  namespace victim = perfscope::victim;
  const int threads = victim::argument(argc, argv, 1, 8);
  for (int i = 0; i < threads; ++i) {
    std::thread([] {
      const uint32_t stream = standinStreamCreate();
      for (;;) standinLaunch(stream, &victim::kVectorAdd);
    }).detach();
  }
  ::usleep(static_cast<useconds_t>(victim::argument(argc, argv, 2, 200)) * 1000);
  return 0;
}
