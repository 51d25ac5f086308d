// Where NVRTC and cuBLASLt are: neither comes with the driver.
#pragma once

#include <string>
#include <vector>

#include "schemas/result.h"

namespace perfscope::calibration {

struct LibraryWanted {
  std::string name;                      // "libnvrtc"
  std::string variable;                  // environment variable that names the file: "PERFSCOPE_NVRTC"
  std::vector<std::string> majors;       // wished for, best first: {"13", "12"}
  std::vector<std::string> pip_folders;  // below site-packages/nvidia: {"cu13/lib", "cuda_nvrtc/lib"}
  std::string pip_package;               // for the remedy: "nvidia-cuda-nvrtc"
};

// `driver_api` is cuDriverGetVersion (13000 = CUDA 13.0): an older driver cannot run a newer major version.
LibraryWanted nvrtcWanted(int driver_api);
LibraryWanted cublasLtWanted(int driver_api);

// Existing files and bare sonames in the order of trying: the variable, the loader's own path (soname),
// CUDA_HOME and CUDA_PATH, /usr/local/cuda*, NVIDIA's wheels of the Python on the PATH. Reads folders only.
std::vector<std::string> candidates(const LibraryWanted& wanted);

struct LoadedLibrary {
  void* handle = nullptr;  // never closed
  std::string path;
};

// The first candidate that loads. Error: Unavailable with where it was looked for and how to get it.
Result<LoadedLibrary> loadLibrary(const LibraryWanted& wanted);

}  // namespace perfscope::calibration
