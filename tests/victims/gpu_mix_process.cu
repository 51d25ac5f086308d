// gpu_mix: the modes about how a process starts and ends. Each prints its counts after a device
// synchronisation and before the end it is named for, so every counted record exists when the process dies.
#include "gpu_mix.cuh"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace gpu_mix {
namespace {

constexpr int kElements = 1024;

Outcome work(int kernels) {
  Outcome outcome;
  outcome.lanes.push_back(makeLane());
  Lane& lane = outcome.lanes[0];
  void* data = nullptr;
  check(cudaMalloc(&data, kElements * sizeof(float)), "cudaMalloc");
  memsetAsync(lane, data, 0, kElements * sizeof(float));
  for (int i = 0; i < kernels; ++i) launchTiny(lane, static_cast<float*>(data), kElements);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return outcome;
}

void workAndReport(const char* mode, int kernels) {
  report(mode, work(kernels));
}

// Launches batches until the time is over. After each batch has finished it prints how many kernels exist and
// when: whoever kills the process knows from the last line what must be in the profile.
void spin(double seconds) {
  constexpr int kBatch = 200;
  Lane lane = makeLane();
  void* data = nullptr;
  check(cudaMalloc(&data, kElements * sizeof(float)), "cudaMalloc");
  printLine("{\"gpu_mix_start\":\"spin\",\"pid\":" + std::to_string(getpid()) +
            ",\"batch\":" + std::to_string(kBatch) + "}");
  const uint64_t end_ns = nowNs() + uint64_t(seconds * 1e9);
  while (nowNs() < end_ns) {
    for (int i = 0; i < kBatch; ++i) launchTiny(lane, static_cast<float*>(data), kElements);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    printLine("launched " + std::to_string(lane.kernels) + ' ' + std::to_string(nowNs()));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // bounds the output, not the rate of a batch
  }
  Outcome outcome;
  outcome.lanes.push_back(lane);
  report("spin", outcome);
}

// The child's status, or -1 after it had to be killed because it did not end within the time.
int waitFor(pid_t child, int seconds) {
  for (int i = 0; i < seconds * 100; ++i) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return -1;
}

}  // namespace

int runExit3() {
  workAndReport("exit3", 3'000);
  _exit(3);
}

int runAbort() {
  workAndReport("abort", 3'000);
  std::abort();
}

int runException() {
  workAndReport("exception", 3'000);
  throw std::runtime_error("gpu_mix: this exception is not caught on purpose");
}

int runSegv(double seconds) {
  spin(seconds);
  raise(SIGSEGV);
  return 0;
}

int runSpin(double seconds) {
  spin(seconds);
  return 0;
}

int runExec(char** argv, bool clean_environment) {
  workAndReport(clean_environment ? "execclean" : "exec", 300);
  char path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
  char* clean[] = {path, nullptr};
  execve(argv[0], argv, clean_environment ? clean : environ);
  std::perror("gpu_mix: execve");
  return 126;
}

// Both processes initialise CUDA after the fork.
int runFork() {
  const pid_t child = fork();
  if (child < 0) return 71;
  workAndReport(child == 0 ? "fork-child" : "fork-parent", child == 0 ? 1'000 : 2'000);
  if (child == 0) return 0;
  return waitFor(child, 60) == 0 ? 0 : 72;
}

// CUDA first, then two children that never touch it: one ends with _exit, one runs the exit handlers.
int runForkAfter() {
  Outcome outcome = work(500);
  for (bool handlers : {false, true}) {
    const pid_t child = fork();
    if (child < 0) return 71;
    if (child == 0 && handlers) std::exit(0);
    if (child == 0) _exit(0);
    if (waitFor(child, 20) != 0) return handlers ? 73 : 72;
  }
  report("forkafter", outcome);
  return 0;
}

}  // namespace gpu_mix
