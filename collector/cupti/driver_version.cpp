// The CUDA driver's version.
#include "collector/cupti/driver_version.h"

#include <dlfcn.h>

namespace perfscope::collector {

int readDriverVersion() {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return 0;
  using GetVersion = int (*)(int*);
  const auto getVersion = reinterpret_cast<GetVersion>(::dlsym(library, "cuDriverGetVersion"));
  int version = 0;
  if (getVersion == nullptr || getVersion(&version) != 0) version = 0;
  ::dlclose(library);
  return version;
}

}  // namespace perfscope::collector
