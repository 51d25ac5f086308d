// Loads its plugin with local scope, where dlsym(RTLD_NEXT) of an interposed call finds nothing
// (collector.md, 3a).
#include <dlfcn.h>

#include <cstdio>

int main(int, char** argv) {
  char path[4096];
  std::snprintf(path, sizeof path, "%s_plugin.so", argv[0]);
  void* plugin = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    return 90;
  }
  return reinterpret_cast<int (*)()>(::dlsym(plugin, "runPlugin"))();
}
