// The version of the CUDA runtime library in this process.
#include "collector/process/runtime_version.h"

#include <dlfcn.h>
#include <link.h>
#include <cstdlib>

#include <array>
#include <climits>
#include <cstdio>
#include <cstring>

namespace perfscope::collector {
namespace {

constexpr const char* kName = "libcudart.so";

using Path = std::array<char, PATH_MAX>;

const char* fileName(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

// The path of the first mapped libcudart, empty when there is none.
bool findMapped(Path& path) {
  path[0] = '\0';
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        if (info->dlpi_name == nullptr ||
            std::strncmp(fileName(info->dlpi_name), kName, std::strlen(kName)) != 0)
          return 0;
        auto& to = *static_cast<Path*>(data);
        std::snprintf(to.data(), to.size(), "%s", info->dlpi_name);
        return 1;
      },
      &path);
  return path[0] != '\0';
}

}  // namespace

uint32_t versionInCudartName(const char* path) {
  const char* name = fileName(path);
  const size_t length = std::strlen(kName);
  if (std::strncmp(name, kName, length) != 0) return 0;
  unsigned major = 0;
  unsigned minor = 0;
  if (std::sscanf(name + length, ".%3u.%2u", &major, &minor) != 2) return 0;
  return major * 1000 + minor * 10;
}

uint32_t runtimeVersionByName() {
  Path mapped;
  if (!findMapped(mapped)) return 0;
  Path real;
  return versionInCudartName(::realpath(mapped.data(), real.data()) != nullptr ? real.data() : mapped.data());
}

uint32_t askRuntimeVersion() {
  Path mapped;
  if (!findMapped(mapped)) return 0;
  void* library = ::dlopen(mapped.data(), RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return 0;
  using GetVersion = int (*)(int*);
  const auto getVersion = reinterpret_cast<GetVersion>(::dlsym(library, "cudaRuntimeGetVersion"));
  int version = 0;
  if (getVersion == nullptr || getVersion(&version) != 0 || version < 0) version = 0;
  ::dlclose(library);
  return static_cast<uint32_t>(version);
}

}  // namespace perfscope::collector
