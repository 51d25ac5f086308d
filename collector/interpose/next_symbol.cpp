// Finds the real function behind an interposed one.
#include "collector/interpose/next_symbol.h"

#include <dlfcn.h>

#include <cstdio>

namespace perfscope::collector {

void* findNext(const char* name, const char* const* sonames, const void* ours) noexcept {
  void* found = ::dlsym(RTLD_NEXT, name);
  if (found != nullptr && found != ours) return found;
  for (; sonames != nullptr && *sonames != nullptr; ++sonames) {
    void* library = ::dlopen(*sonames, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    found = ::dlsym(library, name);
    ::dlclose(library);  // only our reference: the program keeps its own
    if (found != nullptr && found != ours) return found;
  }
  return nullptr;
}

void complainAboutMissing(const char* name) noexcept {
  std::fprintf(stderr, "perfscope: the program called %s, but no loaded library has it\n", name);
}

}  // namespace perfscope::collector
