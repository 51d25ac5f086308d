// Reads the wished misfortunes once, and keeps the call log.
#include "tests/support/standins/cupti/misfortune.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>

// The build of an older CUPTI (libcupti.so.12) sets its own; see CMakeLists.txt.
#ifndef STANDIN_CUPTI_DEFAULT_VERSION
#define STANDIN_CUPTI_DEFAULT_VERSION 130001
#endif

namespace perfscope::standin {
namespace {

uint64_t number(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

Misfortune fromEnvironment() {
  Misfortune wish;
  wish.version = static_cast<uint32_t>(number("STANDIN_CUPTI_VERSION", STANDIN_CUPTI_DEFAULT_VERSION));
  wish.zero_every = number("STANDIN_CUPTI_ZERO_EVERY", 0);
  wish.invert_every = number("STANDIN_CUPTI_INVERT_EVERY", 0);
  wish.drop_every = number("STANDIN_CUPTI_DROP_EVERY", 0);
  wish.unknown_every = number("STANDIN_CUPTI_UNKNOWN_EVERY", 0);
  wish.reverse_order = number("STANDIN_CUPTI_REVERSE", 0) != 0;
  wish.background_error = number("STANDIN_CUPTI_BACKGROUND_ERROR", 0) != 0;
  if (const char* text = std::getenv("STANDIN_CUPTI_FAIL")) wish.failing_call = text;
  if (const char* text = std::getenv("STANDIN_CUPTI_REFUSE_KINDS")) {
    std::istringstream kinds(text);
    for (std::string kind; std::getline(kinds, kind, ',');) wish.refused_kinds.insert(std::stoul(kind));
  }
  return wish;
}

}  // namespace

const Misfortune& Misfortune::get() {
  static const auto* wish = new Misfortune(fromEnvironment());
  return *wish;
}

bool logCall(const char* name) {
  const Misfortune& wish = Misfortune::get();
  if (wish.log != nullptr) {
    const int file = ::open(wish.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    char line[128];
    const int length = std::snprintf(line, sizeof line, "%d %s\n", static_cast<int>(::getpid()), name);
    if (file >= 0 && ::write(file, line, static_cast<size_t>(length)) < 0)
      violation("the call log cannot be written");
    if (file >= 0) ::close(file);
  }
  return !wish.failing_call.empty() && wish.failing_call == name;
}

void violation(const char* rule) {
  std::fprintf(stderr, "stand-in CUPTI: rule broken: %s\n", rule);
  std::abort();
}

}  // namespace perfscope::standin
