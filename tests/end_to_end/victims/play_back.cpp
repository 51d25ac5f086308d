// Plays back files of captured CUPTI buffers, as if this process had done what was recorded. Arguments: files
#include <cinttypes>

#include "tests/end_to_end/victims/victim.h"

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const int64_t records = standinPlayBack(argv[i]);
    if (records < 0) {
      std::fprintf(stderr, "%s cannot be played back\n", argv[i]);
      return 1;
    }
    std::printf("%" PRId64 " records\n", records);
  }
  return 0;
}
