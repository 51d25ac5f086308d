// Searches with dlopen and the file system.
#include "injector/cupti_search.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "injector/preflight.h"

namespace perfscope {
namespace {

namespace fs = std::filesystem;
constexpr const char* kCollectorName = "libperfscope_collector.so";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool loads(const std::string& name) {
  // NODELETE: libcupti does not survive being unloaded without leaving its allocations behind.
  void* const handle = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) return false;
  ::dlclose(handle);
  return true;
}

}  // namespace

std::optional<int> driverApiVersion() {
  void* const handle = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return std::nullopt;
  using Function = int (*)(int*);
  const auto function = reinterpret_cast<Function>(::dlsym(handle, "cuDriverGetVersion"));
  int version = 0;
  const bool known = function != nullptr && function(&version) == 0 && version > 0;
  // Not closed: unloading the driver library after use is not something it is made for.
  return known ? std::optional<int>(version) : std::nullopt;
}

std::string findCupti(int driver_api) {
  std::string wanted = variable("PERFSCOPE_CUPTI");
  if (!wanted.empty() && loads(wanted)) return wanted;
  std::vector<std::string> sonames = {"libcupti.so.13", "libcupti.so.12"};
  if (driver_api > 0 && driver_api < 13000) sonames = {"libcupti.so.12"};
  for (const auto& name : sonames) {
    if (loads(name)) return name;
  }
  const std::string home = variable("CUDA_HOME");
  std::vector<std::string> roots;
  if (!home.empty()) roots.push_back(home);
  roots.insert(roots.end(), {"/usr/local/cuda", "/usr/local/cuda-13", "/usr/local/cuda-12"});
  for (const fs::path root : roots) {
    for (const char* const folder : {"extras/CUPTI/lib64", "lib64", "targets/x86_64-linux/lib"}) {
      for (const auto& name : sonames) {
        std::error_code ignored;
        const fs::path path = root / folder / name;
        if (fs::exists(path, ignored)) return path.string();
      }
    }
  }
  return {};
}

std::string findCollectorLibrary(const std::string& wanted) {
  std::error_code ignored;
  const auto absoluteIfThere = [&](const fs::path& path) -> std::string {
    return fs::is_regular_file(path, ignored) ? fs::canonical(path, ignored).string() : std::string();
  };
  if (!wanted.empty()) return absoluteIfThere(wanted);
  const std::string named = variable("PERFSCOPE_COLLECTOR");
  if (!named.empty()) return absoluteIfThere(named);
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* const folder : {"../lib", "../lib/perfscope", ".", "lib"}) {
    std::string path = absoluteIfThere(self / folder / kCollectorName);
    if (!path.empty()) return path;
  }
  return {};
}

}  // namespace perfscope
