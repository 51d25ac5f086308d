// Launches N kernels over T threads and S streams, with a device query between them as PyTorch makes many.
// Arguments: launches threads streams [runtime|driver]
#include <cstring>
#include <thread>
#include <vector>

#include "tests/end_to_end/victims/victim.h"

int main(int argc, char** argv) {
  namespace victim = perfscope::victim;
  const int launches = victim::argument(argc, argv, 1, 10000);
  const int threads = victim::argument(argc, argv, 2, 4);
  const int stream_count = victim::argument(argc, argv, 3, 4);
  const bool driver = argc > 4 && std::strcmp(argv[4], "driver") == 0;
  std::vector<uint32_t> streams;
  for (int i = 0; i < stream_count; ++i) streams.push_back(standinStreamCreate());
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      if (driver) standinUseApi(STANDIN_DRIVER);
      const int own = launches / threads + (t < launches % threads ? 1 : 0);
      for (int i = 0; i < own; ++i) {
        standinGetDevice();
        standinLaunch(streams[static_cast<size_t>((t + i) % stream_count)],
                      i % 2 == 0 ? &victim::kVectorAdd : &victim::kScale);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  standinDeviceSynchronize();
  std::printf("launched %d\n", launches);
  return 0;
}
