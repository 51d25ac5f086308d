// Child process: posix_spawn, signal forwarding, wait.
#include "injector/spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>
#include <vector>

namespace perfscope {
namespace {

constexpr std::array kForwarded = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT};

// What a signal handler may see: the child, and the dispositions to give back. The handler has no other way
// to reach them.
struct Forwarding {
  std::atomic<pid_t> child{0};
  std::array<struct sigaction, kForwarded.size()> before{};
};

Forwarding& forwarding() {
  static Forwarding state;
  return state;
}

void passOn(int number, siginfo_t* info, void*) {
  const int saved = errno;
  const pid_t child = forwarding().child.load(std::memory_order_relaxed);
  // The kernel sends a terminal's signals to the whole foreground group: the child has them already.
  const bool sent_to_us = info != nullptr && info->si_code <= 0;
  if (child > 0 && sent_to_us && info->si_pid != child) ::kill(child, number);
  errno = saved;
}

void borrowSignals() {
  auto& state = forwarding();
  for (size_t i = 0; i < kForwarded.size(); ++i) {
    struct sigaction action {};
    action.sa_sigaction = passOn;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(kForwarded[i], nullptr, &state.before[i]);
    // Ignored stays ignored (nohup), for us and for the child, which inherits it.
    if ((state.before[i].sa_flags & SA_SIGINFO) == 0 && state.before[i].sa_handler == SIG_IGN) continue;
    ::sigaction(kForwarded[i], &action, nullptr);
  }
}

void returnSignals() {
  auto& state = forwarding();
  state.child.store(0);
  for (size_t i = 0; i < kForwarded.size(); ++i) ::sigaction(kForwarded[i], &state.before[i], nullptr);
}

ExitStatus decode(int raw) {
  if (WIFSIGNALED(raw)) return {128 + WTERMSIG(raw), true, WTERMSIG(raw)};
  return {WEXITSTATUS(raw), false, 0};
}

// errno of posix_spawn, 0 = started.
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
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  ::posix_spawnattr_setsigmask(&attributes, &before);
  const int error =
      ::posix_spawn(&pid, program.c_str(), nullptr, &attributes, arguments.data(), variables.data());
  if (error == 0) forwarding().child.store(pid);
  ::posix_spawnattr_destroy(&attributes);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

}  // namespace

Target::Target(pid_t pid) : m_pid(pid), m_pid_fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {
  if (m_pid_fd >= 0) ::fcntl(m_pid_fd, F_SETFD, FD_CLOEXEC);
}

Target::~Target() {
  if (m_pid > 0) returnSignals();
  if (m_pid_fd >= 0) ::close(m_pid_fd);
}

Target::Target(Target&& other) noexcept
    : m_pid(std::exchange(other.m_pid, 0)),
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
    forwarding().child.store(0);
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
  borrowSignals();
  pid_t pid = 0;
  int error = start(plan.program, plan.argv, environment, pid);
  if (error == ENOEXEC) {
    // A script without "#!": shells and execvp run it with sh.
    std::vector<std::string> argv = {"/bin/sh", plan.program};
    argv.insert(argv.end(), plan.argv.begin() + 1, plan.argv.end());
    error = start("/bin/sh", argv, environment, pid);
  }
  if (error != 0) {
    returnSignals();
    const bool too_long = error == E2BIG;
    return failure(ErrorKind::InputMissing, plan.program,
                   std::string("cannot start: ") + std::strerror(error),
                   too_long ? "shorten the arguments or the environment"
                            : "check that the program runs without perfscope");
  }
  return Target(pid);
}

}  // namespace perfscope
