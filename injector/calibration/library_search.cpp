// Searches the loader's path, toolkits and Python's wheels.
#include "injector/calibration/library_search.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace perfscope::calibration {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// Installations of Python that a user would get with "python3": prefix/bin/python3 on the PATH, as written
// and with links resolved (a virtual environment keeps its wheels beside the link).
std::vector<fs::path> pythonPrefixes() {
  std::vector<fs::path> prefixes;
  std::error_code ignored;
  for (const std::string& folder : split(variable("PATH"), ':')) {
    const fs::path python = fs::path(folder) / "python3";
    if (!fs::exists(python, ignored)) continue;
    prefixes.push_back(fs::path(folder).parent_path());
    prefixes.push_back(fs::canonical(python, ignored).parent_path().parent_path());
  }
  const std::string home = variable("HOME");
  if (!home.empty()) prefixes.push_back(fs::path(home) / ".local");
  prefixes.emplace_back("/usr/local");
  prefixes.emplace_back("/usr");
  return prefixes;
}

std::vector<fs::path> wheelFolders() {
  std::vector<fs::path> folders;
  for (const fs::path& prefix : pythonPrefixes()) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(prefix / "lib", ignored)) {
      if (entry.path().filename().string().rfind("python3", 0) != 0) continue;
      for (const char* const packages : {"site-packages", "dist-packages"}) {
        const fs::path folder = entry.path() / packages / "nvidia";
        if (fs::is_directory(folder, ignored) &&
            std::find(folders.begin(), folders.end(), folder) == folders.end()) {
          folders.push_back(folder);
        }
      }
    }
  }
  return folders;
}

std::vector<std::string> majorsFor(int driver_api) {
  if (driver_api > 0 && driver_api < 13000) return {"12"};
  return {"13", "12"};
}

}  // namespace

LibraryWanted nvrtcWanted(int driver_api) {
  return {"libnvrtc",
          "PERFSCOPE_NVRTC",
          majorsFor(driver_api),
          {"cu13/lib", "cuda_nvrtc/lib"},
          "nvidia-cuda-nvrtc"};
}

LibraryWanted cublasLtWanted(int driver_api) {
  return {"libcublasLt",
          "PERFSCOPE_CUBLASLT",
          majorsFor(driver_api),
          {"cu13/lib", "cublas/lib"},
          "nvidia-cublas"};
}

std::vector<std::string> candidates(const LibraryWanted& wanted) {
  std::vector<std::string> found;
  std::error_code ignored;
  const auto add = [&](const fs::path& path) {
    if (fs::exists(path, ignored)) found.push_back(path.string());
  };
  const std::string named = variable(wanted.variable.c_str());
  if (!named.empty()) found.push_back(named);
  for (const auto& major : wanted.majors) found.push_back(wanted.name + ".so." + major);
  std::vector<std::string> roots;
  for (const char* const name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (!variable(name).empty()) roots.push_back(variable(name));
  }
  roots.insert(roots.end(), {"/usr/local/cuda", "/usr/local/cuda-13", "/usr/local/cuda-12"});
  const std::vector<fs::path> wheels = wheelFolders();
  for (const auto& major : wanted.majors) {
    const std::string file = wanted.name + ".so." + major;
    for (const fs::path root : roots) {
      for (const char* const folder : {"lib64", "targets/x86_64-linux/lib"}) add(root / folder / file);
    }
    for (const fs::path& wheel : wheels) {
      for (const auto& folder : wanted.pip_folders) add(wheel / folder / file);
    }
  }
  return found;
}

Result<LoadedLibrary> loadLibrary(const LibraryWanted& wanted) {
  std::string last;
  for (const std::string& path : candidates(wanted)) {
    void* const handle = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (handle != nullptr) return LoadedLibrary{handle, path};
    const char* const reason = ::dlerror();
    last = reason != nullptr ? reason : path;
  }
  return failure(
      ErrorKind::Unavailable, wanted.name,
      fmt::format("not found for CUDA {} in the loader's path, CUDA_HOME, /usr/local/cuda or "
                  "Python's wheels ({})",
                  fmt::join(wanted.majors, " or "), last),
      fmt::format("`pip install {}`{}, install the CUDA Toolkit, or name the file in {}", wanted.pip_package,
                  wanted.majors.front() == "12" ? "-cu12" : "", wanted.variable));
}

}  // namespace perfscope::calibration
