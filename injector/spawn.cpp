// Child process: posix_spawn and wait.
#include "injector/spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>
#include <vector>

namespace perfscope {
namespace {

ExitStatus decode(int raw) {
  if (WIFSIGNALED(raw)) return {128 + WTERMSIG(raw), true, WTERMSIG(raw)};
  return {WEXITSTATUS(raw), false, 0};
}

// errno of posix_spawn, 0 = started, ECANCELED = a signal came first.
int start(const std::string& program, const std::vector<std::string>& argv,
          const std::vector<std::string>& environment, pid_t& pid) {
  std::vector<char*> arguments;
  std::vector<char*> variables;
  arguments.reserve(argv.size() + 1);
  variables.reserve(environment.size() + 1);
  for (const auto& text : argv) arguments.push_back(const_cast<char*>(text.c_str()));
  for (const auto& text : environment) variables.push_back(const_cast<char*>(text.c_str()));
  arguments.push_back(nullptr);
  variables.push_back(nullptr);
  // Blocked until the child is known to the handler: a signal that comes in between is passed on, not lost.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  // Asked under the mask: from here on a signal waits and becomes the child's.
  if (const int number = BorrowedSignals::interruptedBy(); number != 0) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return ECANCELED;
  }
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  ::posix_spawnattr_setsigmask(&attributes, &before);
  const int error =
      ::posix_spawn(&pid, program.c_str(), nullptr, &attributes, arguments.data(), variables.data());
  if (error == 0) passSignalsTo(pid);
  ::posix_spawnattr_destroy(&attributes);
  unblockSignalsForChild(&before);
  return error;
}

}  // namespace

Target::Target(pid_t pid, std::unique_ptr<BorrowedSignals> signals)
    : m_signals(std::move(signals)),
      m_pid(pid),
      m_pid_fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {
  if (m_pid_fd >= 0) ::fcntl(m_pid_fd, F_SETFD, FD_CLOEXEC);
}

Target::~Target() {
  if (m_pid > 0) passSignalsTo(0);
  if (m_pid_fd >= 0) ::close(m_pid_fd);
}

Target::Target(Target&& other) noexcept
    : m_signals(std::move(other.m_signals)),
      m_pid(std::exchange(other.m_pid, 0)),
      m_pid_fd(std::exchange(other.m_pid_fd, -1)),
      m_status(std::exchange(other.m_status, std::nullopt)) {}

std::optional<ExitStatus> Target::wait(std::chrono::milliseconds at_most) {
  constexpr std::chrono::milliseconds kSlice(5);  // where the kernel cannot wake us
  const auto until = std::chrono::steady_clock::now() + at_most;
  for (;;) {
    if (const auto status = this->poll()) return status;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return std::nullopt;
    struct pollfd entry {
      m_pid_fd, POLLIN, 0
    };
    const auto pause = m_pid_fd >= 0 ? left : std::min(left, kSlice);
    ::poll(&entry, m_pid_fd >= 0 ? 1 : 0, static_cast<int>(pause.count()));
  }
}

std::optional<ExitStatus> Target::poll() {
  if (m_status || m_pid <= 0) return m_status;
  int raw = 0;
  const pid_t got = ::waitpid(m_pid, &raw, WNOHANG);
  if (got == m_pid) {
    // The number may belong to someone else from now on: no signal goes there any more.
    passSignalsTo(0);
    m_status = decode(raw);
  }
  return m_status;
}

Result<Target> spawnTarget(const LaunchPlan& plan) {
  std::vector<std::string> environment;
  for (const auto& [name, value] : plan.environment) {
    environment.push_back(name);
    environment.back().append("=").append(value);
  }
  auto signals = std::make_unique<BorrowedSignals>();
  pid_t pid = 0;
  int error = start(plan.program, plan.argv, environment, pid);
  if (error == ENOEXEC) {
    // A script without "#!": shells and execvp run it with sh.
    std::vector<std::string> argv = {"/bin/sh", plan.program};
    argv.insert(argv.end(), plan.argv.begin() + 1, plan.argv.end());
    error = start("/bin/sh", argv, environment, pid);
  }
  if (error != 0) {
    if (error == ECANCELED)
      return failure(ErrorKind::Unavailable, plan.program, "was not started: a signal came first");
    const bool too_long = error == E2BIG;
    return failure(ErrorKind::InputMissing, plan.program,
                   std::string("cannot start: ") + std::strerror(error),
                   too_long ? "shorten the arguments or the environment"
                            : "check that the program runs without perfscope");
  }
  return Target(pid, std::move(signals));
}

}  // namespace perfscope
