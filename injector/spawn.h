// Starts the target, passes signals on, returns its status: all process system calls of `perfscope run`.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>

#include "injector/borrowed_signals.h"
#include "injector/launch_plan.h"
#include "schemas/result.h"

namespace perfscope {

struct ExitStatus {
  int code = 0;  // exit code, or 128 + signal
  bool signalled = false;
  int signal = 0;
};

// A running child. Made by spawnTarget; one at a time in a process, used by one thread.
class Target {
 public:
  ~Target();
  Target(Target&& other) noexcept;
  Target& operator=(Target&&) = delete;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  [[nodiscard]] pid_t pid() const { return m_pid; }
  // Never waits. The status stays available after the child was reaped.
  std::optional<ExitStatus> poll();
  // Returns when the child ends or the time is over, whichever comes first.
  std::optional<ExitStatus> wait(std::chrono::milliseconds at_most);

 private:
  friend Result<Target> spawnTarget(const LaunchPlan& plan);
  Target(pid_t pid, std::unique_ptr<BorrowedSignals> signals);
  std::unique_ptr<BorrowedSignals> m_signals;
  pid_t m_pid;
  int m_pid_fd;  // readable when the child has ended; -1 before Linux 5.3
  std::optional<ExitStatus> m_status;
};

// The child shares our terminal, process group, files, working folder and signal mask. From here until the
// Target is destroyed signals are borrowed and passed on (see borrowed_signals.h). If we are killed the child
// lives on. Errors: InputMissing when the program cannot be executed; Unavailable when a signal that had been
// borrowed before says that nothing shall be started.
Result<Target> spawnTarget(const LaunchPlan& plan);

}  // namespace perfscope
