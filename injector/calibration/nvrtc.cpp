// NVRTC, bound at run time.
#include "injector/calibration/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "injector/calibration/library_search.h"

namespace perfscope::calibration {
namespace {

template <class Function>
bool bind(void* library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

// NVRTC opens its built-ins by name when it first compiles; beside a library that is on nobody's path they
// would not be found.
void loadBuiltinsBeside(const std::string& path) {
  std::error_code ignored;
  const auto folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("libnvrtc-builtins.so.", 0) == 0) {
      ::dlopen(entry.path().c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    }
  }
}

}  // namespace

Result<Nvrtc> Nvrtc::open(int driver_api) {
  const auto library = loadLibrary(nvrtcWanted(driver_api));
  if (!library) return tl::unexpected(library.error());
  loadBuiltinsBeside(library->path);
  Nvrtc nvrtc;
  nvrtc.m_path = library->path;
  Api& api = nvrtc.m_api;
  void* const handle = library->handle;
  const bool bound =
      bind(handle, api.create, "nvrtcCreateProgram") && bind(handle, api.destroy, "nvrtcDestroyProgram") &&
      bind(handle, api.compile, "nvrtcCompileProgram") && bind(handle, api.cubinSize, "nvrtcGetCUBINSize") &&
      bind(handle, api.cubin, "nvrtcGetCUBIN") && bind(handle, api.ptxSize, "nvrtcGetPTXSize") &&
      bind(handle, api.ptx, "nvrtcGetPTX") && bind(handle, api.logSize, "nvrtcGetProgramLogSize") &&
      bind(handle, api.log, "nvrtcGetProgramLog") &&
      bind(handle, api.archCount, "nvrtcGetNumSupportedArchs") &&
      bind(handle, api.archs, "nvrtcGetSupportedArchs");
  if (!bound) {
    return failure(ErrorKind::Unavailable, library->path, "is too old: it lacks functions of CUDA 11.2",
                   "install the NVRTC of CUDA 12 or 13");
  }
  return nvrtc;
}

std::vector<int> Nvrtc::knownCapabilities() const {
  int count = 0;
  if (m_api.archCount(&count) != 0 || count <= 0) return {};
  std::vector<int> known(static_cast<size_t>(count));
  if (m_api.archs(known.data()) != 0) return {};
  return known;
}

std::string Nvrtc::target(const std::vector<int>& known, int capability) {
  if (std::find(known.begin(), known.end(), capability) != known.end())
    return fmt::format("sm_{}", capability);
  int best = 0;
  for (const int candidate : known) {
    if (candidate < capability) best = std::max(best, candidate);
  }
  return best > 0 ? fmt::format("compute_{}", best) : std::string();
}

std::string Nvrtc::logOf(Program program) const {
  size_t size = 0;
  if (m_api.logSize(program, &size) != 0 || size == 0) return {};
  std::string text(size, '\0');
  if (m_api.log(program, text.data()) != 0) return {};
  text.resize(std::min(text.find('\0'), size_t{600}));
  return text;
}

Result<CompiledCode> Nvrtc::compile(const std::string& source, int capability) const {
  CompiledCode code;
  code.target = target(knownCapabilities(), capability);
  if (code.target.empty()) {
    return failure(
        ErrorKind::Unavailable, m_path,
        fmt::format("does not compile for compute capability {}.{}", capability / 10, capability % 10),
        "name the NVRTC of an older CUDA in PERFSCOPE_NVRTC (12.x for Volta)");
  }
  Program program = nullptr;
  if (m_api.create(&program, source.c_str(), "perfscope_calibration.cu", 0, nullptr, nullptr) != 0) {
    return failure(ErrorKind::Unavailable, m_path, "could not begin to compile");
  }
  const std::string arch = "--gpu-architecture=" + code.target;
  const char* const options[] = {arch.c_str(), "--std=c++17"};
  const Code result = m_api.compile(program, 2, options);
  const bool is_binary = code.target.rfind("sm_", 0) == 0;
  size_t size = 0;
  bool good = result == 0 && (is_binary ? m_api.cubinSize : m_api.ptxSize)(program, &size) == 0 && size > 0;
  if (good) {
    code.image.resize(size);
    good = (is_binary ? m_api.cubin : m_api.ptx)(program, code.image.data()) == 0;
  }
  const std::string log = good ? std::string() : logOf(program);
  m_api.destroy(&program);
  if (!good) return failure(ErrorKind::Internal, m_path, fmt::format("error {}: {}", result, log));
  return code;
}

}  // namespace perfscope::calibration
