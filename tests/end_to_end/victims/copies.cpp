// Memory, copies of every direction, a fill, a peer copy (when there are two devices) and waits, each a known
// number.
#include "tests/end_to_end/victims/victim.h"

int main(int argc, char** argv) {
  namespace victim = perfscope::victim;
  const bool peer = victim::argument(argc, argv, 1, 0) != 0;
  const uint32_t stream = standinStreamCreate();
  standinModuleLoad(123456);
  const uint64_t buffer = standinMalloc(1 << 20);
  for (int i = 0; i < 10; ++i) standinMemcpy(stream, STANDIN_HTOD, 1 << 20, 1);
  for (int i = 0; i < 5; ++i) standinMemcpy(stream, STANDIN_DTOH, 4096, 0);
  for (int i = 0; i < 3; ++i) standinMemcpy(stream, STANDIN_DTOD, 1 << 24, 1);
  for (int i = 0; i < 7; ++i) standinMemset(stream, 1 << 16, 0xab);
  if (peer) {
    standinMemcpyPeer(stream, 1, 1 << 22);
    standinSetDevice(1);
    victim::launchMany(standinStreamCreate(), 2);
    standinSetDevice(0);
  }
  standinStreamSynchronize(stream);
  standinFree(buffer);
  standinDeviceSynchronize();
  return 0;
}
