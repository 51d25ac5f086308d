// Which libcupti to use.
#include "collector/cupti/find_cupti.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iterator>

namespace perfscope::collector {
namespace {

// Calls visit(path) for the path of each mapping.
template <class Visit>
void forEachMappedPath(std::string_view maps, Visit&& visit) {
  while (!maps.empty()) {
    const auto end = maps.find('\n');
    const auto line = maps.substr(0, end);
    maps = end == std::string_view::npos ? std::string_view() : maps.substr(end + 1);
    const auto slash = line.find('/');
    if (slash != std::string_view::npos) visit(line.substr(slash));
  }
}

std::string_view fileName(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}
std::string_view folder(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const auto part : parts) text += part;
  return text;
}

void addOnce(std::vector<std::string>& list, std::initializer_list<std::string_view> parts) {
  std::string path = joined(parts);
  if (std::find(list.begin(), list.end(), path) == list.end()) list.push_back(std::move(path));
}

// Places relative to a CUDA library: the same folder (toolkit, nvidia/cu13/lib of pip), the sibling wheel of
// pip (nvidia/cuda_runtime/lib -> nvidia/cuda_cupti/lib), the toolkit's extras, and the wheels beside torch.
void addBeside(std::vector<std::string>& list, std::string_view library,
               const std::vector<std::string>& names) {
  const std::string here(folder(library));
  const std::string above(folder(here));
  const std::string site(folder(above));
  for (const auto& name : names) {
    addOnce(list, {here, "/", name});
    addOnce(list, {above, "/extras/CUPTI/lib64/", name});
    for (const std::string_view place :
         {"/cuda_cupti/lib/", "/cu13/lib/", "/nvidia/cuda_cupti/lib/", "/nvidia/cu13/lib/"})
      addOnce(list, {site, place, name});
  }
}

void addToolkit(std::vector<std::string>& list, std::string_view toolkit, std::string_view name) {
  addOnce(list, {toolkit, "/lib64/", name});
  addOnce(list, {toolkit, "/extras/CUPTI/lib64/", name});
}

bool isCudaLibrary(std::string_view path) {
  const auto name = fileName(path);
  return name.starts_with("libcudart.so") || name.starts_with("libnvrtc.so") ||
         name.starts_with("libcublas.so") || name.starts_with("libtorch_cuda.so");
}

std::string readMaps() {
  std::ifstream file("/proc/self/maps");
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

}  // namespace

std::string mappedCupti(std::string_view maps) {
  std::string found;
  forEachMappedPath(maps, [&](std::string_view path) {
    if (found.empty() && fileName(path).starts_with("libcupti.so")) found = path;
  });
  return found;
}

std::vector<std::string> cuptiCandidates(std::string_view maps, std::string_view cuda_home,
                                         int driver_major) {
  // The driver's own major first: a newer libcupti than the driver does not work, an older one does.
  std::vector<std::string> names = {"libcupti.so.13", "libcupti.so.12"};
  if (driver_major == 12) names = {"libcupti.so.12"};
  std::vector<std::string> list;
  forEachMappedPath(maps, [&](std::string_view path) {
    if (isCudaLibrary(path)) addBeside(list, path, names);
  });
  for (const auto& name : names) {
    const std::string major = name.substr(name.rfind('.') + 1);
    const std::string versioned = "/usr/local/cuda-" + major;
    if (!cuda_home.empty()) addToolkit(list, cuda_home, name);
    addOnce(list, {name});
    addToolkit(list, "/usr/local/cuda", name);
    addToolkit(list, versioned, name);
  }
  addOnce(list, {"/usr/lib/x86_64-linux-gnu/libcupti.so"});
  addOnce(list, {"libcupti.so"});
  return list;
}

Result<CuptiApi> findCupti(int driver_major) {
  if (const char* chosen = std::getenv("PERFSCOPE_CUPTI"); chosen != nullptr && *chosen != '\0') {
    if (void* library = ::dlopen(chosen, RTLD_NOW | RTLD_LOCAL)) return bindCupti(library, chosen);
    const char* why = ::dlerror();
    return failure(ErrorKind::Unavailable, std::string("PERFSCOPE_CUPTI=") + chosen,
                   why != nullptr ? why : "cannot be loaded", "correct the path or unset the variable");
  }
  const std::string maps = readMaps();
  if (const std::string path = mappedCupti(maps); !path.empty()) {
    if (void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD))
      return bindCupti(library, path);
  }
  const char* home = std::getenv("CUDA_HOME");
  for (const auto& path : cuptiCandidates(maps, home != nullptr ? home : "", driver_major)) {
    if (void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return bindCupti(library, path);
  }
  return failure(
      ErrorKind::Unavailable, "libcupti",
      "not found beside the CUDA libraries of this process, on the loader's path or under "
      "/usr/local/cuda",
      "install the CUDA toolkit's CUPTI or `pip install nvidia-cuda-cupti`, or set PERFSCOPE_CUPTI "
      "to its path");
}

}  // namespace perfscope::collector
