// Interposed process calls: _exit, _Exit and quick_exit (which skip exit handlers), exec* and posix_spawn*
// (which may drop the environment that leads to us). Everything else about them stays as it was. fork needs
// no hook: pthread_atfork serves it; system and popen start programs with the inherited environment.
#include <alloca.h>
#include <dlfcn.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <string>

#include "collector/guest.h"
#include "collector/interpose/exec_environment.h"
#include "collector/session.h"
#include "schemas/collector_config.h"

namespace {

using perfscope::collector::Guest;
using perfscope::collector::Session;
using perfscope::collector::WantedEnvironment;

using SpawnFunction = int(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                          char* const*, char* const*);

// The real functions. Resolved when the library is loaded: later, between fork and exec, the loader's lock
// may be held by a thread that does not exist in the child.
struct RealCalls {
  int (*execve)(const char*, char* const*, char* const*) = nullptr;
  int (*execvpe)(const char*, char* const*, char* const*) = nullptr;
  int (*fexecve)(int, char* const*, char* const*) = nullptr;
  int (*execveat)(int, const char*, char* const*, char* const*, int) = nullptr;
  SpawnFunction* posix_spawn = nullptr;
  SpawnFunction* posix_spawnp = nullptr;
  void (*quick_exit)(int) = nullptr;
  WantedEnvironment wanted;
};

template <class F>
void resolve(F*& function, const char* name) {
  function = reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

// Kept for ever: the environments of children point at them.
const char* keep(const std::string& text) {
  return (new std::string(text))->c_str();
}
const char* keepOwn(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? keep(std::string(name) + "=" + value) : nullptr;
}

WantedEnvironment wantedEnvironment(const perfscope::CollectorConfig& config) {
  WantedEnvironment wanted;
  if (config.collector_path.empty()) return wanted;
  wanted.library = keep(config.collector_path);
  wanted.preload = keep("LD_PRELOAD=" + config.collector_path);
  wanted.config = keepOwn(perfscope::kConfigVariable);
  wanted.cuda_injection = keep("CUDA_INJECTION64_PATH=" + config.collector_path);
  wanted.nvtx_injection = keep("NVTX_INJECTION64_PATH=" + config.collector_path);
  wanted.chained_cuda = keepOwn(perfscope::kChainedCudaVariable);
  wanted.chained_nvtx = keepOwn(perfscope::kChainedNvtxVariable);
  wanted.cupti = keepOwn("PERFSCOPE_CUPTI");
  wanted.capture = keepOwn("PERFSCOPE_CAPTURE_BUFFERS");
  return wanted;
}

RealCalls makeRealCalls() noexcept {
  RealCalls calls;
  resolve(calls.execve, "execve");
  resolve(calls.execvpe, "execvpe");
  resolve(calls.fexecve, "fexecve");
  resolve(calls.execveat, "execveat");
  resolve(calls.posix_spawn, "posix_spawn");
  resolve(calls.posix_spawnp, "posix_spawnp");
  resolve(calls.quick_exit, "quick_exit");
  try {
    if (Guest::instance().enabled()) calls.wanted = wantedEnvironment(Guest::instance().config());
  } catch (...) {  // out of memory: children are started as they are
  }
  return calls;
}

const RealCalls& real() noexcept {
  static const RealCalls calls = makeRealCalls();  // trivially destructible: good to the last instruction
  return calls;
}

__attribute__((constructor)) void resolveEarly() {
  real();
}

// Calls start(environment) with the repaired environment, which lives on this stack.
template <class Start>
int withEnvironment(char* const* environment, Start&& start) noexcept {
  const WantedEnvironment& wanted = real().wanted;
  if (wanted.library == nullptr) return start(environment);
  const auto room = perfscope::collector::repairRoom(wanted, environment);
  auto** entries = static_cast<const char**>(alloca(room.entries * sizeof(char*)));
  auto* text = static_cast<char*>(alloca(room.bytes));
  perfscope::collector::repairEnvironment(wanted, environment, entries, text);
  return start(const_cast<char* const*>(entries));
}

// The session is safe before the call, and goes on when the call returns (it failed).
template <class Start>
int replaceProcess(char* const* environment, Start&& start) noexcept {
  Session* session = Guest::instance().session();
  if (session != nullptr) session->beforeExec();
  const int result = withEnvironment(environment, start);
  const int saved = errno;
  if (session != nullptr) session->execFailed();
  errno = saved;
  return result;
}

int missing() noexcept {
  errno = ENOSYS;
  return -1;
}

int doExecve(const char* path, char* const* argv, char* const* environment) noexcept {
  if (real().execve == nullptr) return missing();
  return replaceProcess(environment,
                        [&](char* const* repaired) { return real().execve(path, argv, repaired); });
}

int doExecvpe(const char* file, char* const* argv, char* const* environment) noexcept {
  if (real().execvpe == nullptr) return missing();
  return replaceProcess(environment,
                        [&](char* const* repaired) { return real().execvpe(file, argv, repaired); });
}

// The arguments of execl*: counted, then copied to the caller's array.
size_t countArguments(const char* first, va_list list) {
  size_t count = first != nullptr ? 1 : 0;
  while (first != nullptr && va_arg(list, const char*) != nullptr) ++count;
  return count;
}
void copyArguments(const char* first, va_list list, char** argv, size_t count) {
  for (size_t i = 0; i < count; ++i) argv[i] = const_cast<char*>(i == 0 ? first : va_arg(list, const char*));
  argv[count] = nullptr;
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

int execve(const char* path, char* const argv[], char* const envp[]) noexcept {
  return doExecve(path, argv, envp);
}
int execv(const char* path, char* const argv[]) noexcept {
  return doExecve(path, argv, environ);
}
int execvpe(const char* file, char* const argv[], char* const envp[]) noexcept {
  return doExecvpe(file, argv, envp);
}
int execvp(const char* file, char* const argv[]) noexcept {
  return doExecvpe(file, argv, environ);
}

int execl(const char* path, const char* arg, ...) noexcept {
  va_list list;
  va_start(list, arg);
  const size_t count = countArguments(arg, list);
  va_end(list);
  auto** argv = static_cast<char**>(alloca((count + 1) * sizeof(char*)));
  va_start(list, arg);
  copyArguments(arg, list, argv, count);
  va_end(list);
  return doExecve(path, argv, environ);
}
int execlp(const char* file, const char* arg, ...) noexcept {
  va_list list;
  va_start(list, arg);
  const size_t count = countArguments(arg, list);
  va_end(list);
  auto** argv = static_cast<char**>(alloca((count + 1) * sizeof(char*)));
  va_start(list, arg);
  copyArguments(arg, list, argv, count);
  va_end(list);
  return doExecvpe(file, argv, environ);
}
int execle(const char* path, const char* arg, ...) noexcept {
  va_list list;
  va_start(list, arg);
  const size_t count = countArguments(arg, list);
  va_end(list);
  auto** argv = static_cast<char**>(alloca((count + 1) * sizeof(char*)));
  va_start(list, arg);
  copyArguments(arg, list, argv, count);
  if (count > 0) va_arg(list, const char*);  // the null after the arguments
  char* const* envp = va_arg(list, char* const*);
  va_end(list);
  return doExecve(path, argv, envp);
}

int fexecve(int file, char* const argv[], char* const envp[]) noexcept {
  if (real().fexecve == nullptr) return missing();
  return replaceProcess(envp, [&](char* const* repaired) { return real().fexecve(file, argv, repaired); });
}
int execveat(int folder, const char* path, char* const argv[], char* const envp[], int flags) noexcept {
  return replaceProcess(envp, [&](char* const* repaired) -> int {
    if (real().execveat != nullptr) return real().execveat(folder, path, argv, repaired, flags);
    return static_cast<int>(::syscall(SYS_execveat, folder, path, argv, repaired, flags));
  });
}

int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const argv[], char* const envp[]) {
  if (real().posix_spawn == nullptr) return ENOSYS;
  return withEnvironment(envp, [&](char* const* repaired) {
    return real().posix_spawn(pid, path, actions, attributes, argv, repaired);
  });
}
int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const argv[], char* const envp[]) {
  if (real().posix_spawnp == nullptr) return ENOSYS;
  return withEnvironment(envp, [&](char* const* repaired) {
    return real().posix_spawnp(pid, file, actions, attributes, argv, repaired);
  });
}

__attribute__((noreturn)) void _exit(int status) {
  Guest::instance().processEnds();
  while (true) ::syscall(SYS_exit_group, status);  // what libc's _exit does
}
__attribute__((noreturn)) void _Exit(int status) noexcept {
  _exit(status);
}
__attribute__((noreturn)) void quick_exit(int status) noexcept {
  if (real().quick_exit != nullptr) real().quick_exit(status);  // runs our at_quick_exit handler among others
  _exit(status);
}

#pragma GCC visibility pop
}
