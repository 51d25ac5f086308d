// Spool -> database: events a second on one core, peak memory, bytes a kernel. Usage: recorder_bench
// [EVENTS...] Floors (spec/product.md, 6): 500,000 events/s, 64 B a kernel, memory that does not grow with
// the run. Ends 1 when a floor is missed and `--check` was given.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <vector>

#include "injector/run_session.h"
#include "tests/bench/spool_flood.h"
#include "tests/support/temp_dir.h"

namespace {

constexpr double kFloorEventsPerS = 500e3;
constexpr double kCeilingBytesPerKernel = 64;

// CPU time of this process: what one core does, whatever else the machine is busy with.
double cpuSeconds() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Measured {
  double events_per_s = 0;  // of CPU time
  double bytes_per_kernel = 0;
};

// In a child of its own, so that its peak memory is that of this size alone.
int measure(uint64_t events, bool check) {
  const perfscope::test::TempDir dir;
  const std::string session = dir.file("flood.perfscope.session");
  const auto flood = perfscope::bench::writeFlood(session, events);
  const double cpu_before_s = cpuSeconds();
  const auto start = std::chrono::steady_clock::now();
  const auto outcome = perfscope::recoverSession(session, dir.file("flood.perfscope"), false);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!outcome) {
    std::fprintf(stderr, "%s\n", outcome.error().sentence().c_str());
    return 1;
  }
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  Measured m;
  const double cpu_s = cpuSeconds() - cpu_before_s;
  m.events_per_s = static_cast<double>(flood.records) / cpu_s;
  m.bytes_per_kernel = static_cast<double>(std::filesystem::file_size(dir.file("flood.perfscope"))) /
                       static_cast<double>(flood.kernels);
  std::printf(
      "%11llu events %9llu kernels  %6.2f s CPU %6.2f s wall  %9.0f events/s  %5.1f B/kernel  peak %4ld "
      "MiB\n",
      static_cast<unsigned long long>(flood.records), static_cast<unsigned long long>(flood.kernels), cpu_s,
      seconds, m.events_per_s, m.bytes_per_kernel, usage.ru_maxrss / 1024);
  std::fflush(stdout);
  if (static_cast<uint64_t>(outcome->gpu_records) != flood.kernels) {
    std::fprintf(stderr, "recorded %lld kernels\n", static_cast<long long>(outcome->gpu_records));
    return 1;
  }
  return check && (m.events_per_s < kFloorEventsPerS || m.bytes_per_kernel > kCeilingBytesPerKernel) ? 1 : 0;
}

int inChild(uint64_t events, bool check) {
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 1;
    try {
      code = measure(events, check);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    std::_Exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<uint64_t> sizes;
  bool check = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--check") == 0) {
      check = true;
    } else {
      sizes.push_back(std::strtoull(argv[i], nullptr, 10));
    }
  }
  if (sizes.empty()) sizes = {2'000'000};
  int worst = 0;
  for (const uint64_t events : sizes) worst |= inChild(events, check);
  return worst;
}
