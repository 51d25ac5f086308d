// Makes children in every way. Every process that uses CUDA launches N kernels. Arguments: way launches
//   before: fork before CUDA starts; parent and child both use it      after: fork after; the child only
//   computes after-cuda: fork after; the child tries CUDA and must get an error  after-exec: fork after, exec
//   this program exec: launches, then replaces itself    exec-clean: the same with an empty environment
//   spawn: posix_spawn vfork-exec: vfork + exec    exec-fails: launches, a failing exec, launches again
//   grandchildren: three levels
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <string>

#include "tests/end_to_end/victims/victim.h"

extern char** environ;

namespace {

using perfscope::victim::launchMany;

int work(int launches) {
  const uint32_t stream = standinStreamCreate();
  launchMany(stream, launches);
  return standinStreamSynchronize(stream);
}

int reap(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void replace(char** argv, const char* launches, char** environment) {
  std::string name = argv[0];
  std::string way = "work";
  std::string count = launches;
  char* arguments[] = {name.data(), way.data(), count.data(), nullptr};
  ::execve(argv[0], arguments, environment);
}

int childAfter(const std::string& way, char** argv, int launches) {
  if (way == "after-cuda") return standinLaunch(0, &perfscope::victim::kVectorAdd) == 3 ? 0 : 70;
  if (way == "after-exec") replace(argv, "50", environ);
  return launches > 0 ? 0 : 71;
}

int grandchildren(int level, int launches) {
  int status = 0;
  if (level > 0) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(grandchildren(level - 1, launches));
    status = reap(child);
  }
  return work(launches) + status;
}

int spawn(char** argv) {
  std::string name = argv[0];
  std::string way = "work";
  std::string count = "50";
  char* arguments[] = {name.data(), way.data(), count.data(), nullptr};
  char* nothing[] = {nullptr};  // a scrubbed environment, as some launchers make it
  pid_t child = 0;
  if (::posix_spawn(&child, argv[0], nullptr, nullptr, arguments, nothing) != 0) return 72;
  return reap(child);
}

int forkAround(const std::string& way, char** argv, int launches) {
  if (way == "before") {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work(launches));
    return work(launches) + reap(child);
  }
  work(launches);
  const pid_t child = ::fork();
  if (child == 0)
    std::exit(childAfter(way, argv, launches));  // exit, not _exit: its atexit handlers run as in Python
  return reap(child) + work(launches);
}

int vforkAndExec(char** argv, int launches) {
  work(launches);
  const pid_t child = ::vfork();
  if (child == 0) {
    replace(argv, "50", environ);
    ::_exit(73);
  }
  return reap(child) + work(launches);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "work";
  const int launches = perfscope::victim::argument(argc, argv, 2, 100);
  char* nothing[] = {nullptr};
  if (way == "work") return work(launches);
  if (way == "spawn") return work(launches) + spawn(argv);
  if (way == "vfork-exec") return vforkAndExec(argv, launches);
  if (way == "grandchildren") return grandchildren(2, launches);
  if (way == "exec" || way == "exec-clean") {
    work(launches);
    replace(argv, "50", way == "exec" ? environ : nothing);
    return 74;
  }
  if (way == "exec-fails") {
    work(launches);
    ::execl("/nonexistent/program", "program", nullptr);
    return work(launches);
  }
  return forkAround(way, argv, launches);
}
