// A big profile through the true recorder, for benchmarks of reports and of the viewer.
// Usage: generate_profile KERNELS OUT.perfscope
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "injector/run_session.h"
#include "tests/bench/spool_flood.h"
#include "tests/support/temp_dir.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s KERNELS OUT.perfscope\n", argv[0]);
    return 2;
  }
  try {
    const perfscope::test::TempDir dir;
    // Two records a kernel: the launch and the execution.
    perfscope::bench::writeFlood(dir.file("flood.session"), 2 * std::strtoull(argv[1], nullptr, 10));
    const auto outcome = perfscope::recoverSession(dir.file("flood.session"), argv[2], true);
    if (!outcome) {
      std::fprintf(stderr, "%s\n", outcome.error().sentence().c_str());
      return static_cast<int>(outcome.error().kind);
    }
    std::printf("%s: %lld kernels\n", argv[2], static_cast<long long>(outcome->gpu_records));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 70;
  }
  return 0;
}
