// Uses no GPU. Also built static, without a program interpreter: a preload cannot reach it.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

// Argument "env NAME" prints that variable; "cat" copies stdin to stdout; else a greeting on both outputs.
int main(int argc, char** argv) {
  if (argc > 2 && std::strcmp(argv[1], "env") == 0) {
    const char* value = std::getenv(argv[2]);
    std::printf("%s\n", value != nullptr ? value : "(unset)");
    return 0;
  }
  if (argc > 1 && std::strcmp(argv[1], "cat") == 0) {
    char buffer[4096];
    for (ssize_t bytes = 0; (bytes = ::read(STDIN_FILENO, buffer, sizeof buffer)) > 0;) {
      if (::write(STDOUT_FILENO, buffer, static_cast<size_t>(bytes)) != bytes) return 1;
    }
    return 0;
  }
  std::fputs("to stdout\n", stdout);
  std::fputs("to stderr\n", stderr);
  return 0;
}
