// Launches N kernels and then ends in the way it is told: every way a process can end.
// Arguments: ending launches pause-ms (between the last wait and the end)
#include <dlfcn.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>

#include "tests/end_to_end/victims/victim.h"

namespace {

[[noreturn]] void waitForSignal() {
  std::printf("ready\n");
  std::fflush(stdout);
  for (;;) ::pause();
}

void onSignal(int) {
  constexpr char kText[] = "own handler\n";
  if (::write(STDOUT_FILENO, kText, sizeof kText - 1) < 0) ::_exit(98);
  ::_exit(42);
}

void overflow() {
  volatile int* nowhere = nullptr;
  *nowhere = 1;
}

}  // namespace

int main(int argc, char** argv) {
  namespace victim = perfscope::victim;
  const std::string ending = argc > 1 ? argv[1] : "return";
  const int launches = victim::argument(argc, argv, 2, 1000);
  if (ending == "own-handler") std::signal(SIGTERM, onSignal);
  if (ending == "ignore-term") std::signal(SIGTERM, SIG_IGN);
  const uint32_t stream = standinStreamCreate();
  victim::launchMany(stream, launches);
  standinStreamSynchronize(stream);
  ::usleep(static_cast<useconds_t>(victim::argument(argc, argv, 3, 0)) * 1000);
  if (ending == "return") return 7;
  if (ending == "exit") std::exit(5);
  if (ending == "_exit") ::_exit(3);
  if (ending == "_Exit") std::_Exit(4);
  if (ending == "quick_exit") std::quick_exit(6);
  if (ending == "abort") std::abort();
  if (ending == "exception") throw std::runtime_error("nobody catches this");
  if (ending == "segv") overflow();
  if (ending == "wait" || ending == "own-handler") waitForSignal();
  if (ending == "ignore-term") {
    ::raise(SIGTERM);
    return 11;
  }
  if (ending == "raise-term") ::raise(SIGTERM);
  if (ending == "running-kernel") {  // ends while a kernel still runs
    StandinKernel endless = victim::kVectorAdd;
    endless.duration_ns = 60'000'000'000;
    standinLaunch(stream, &endless);
    return 0;
  }
  return 99;
}
