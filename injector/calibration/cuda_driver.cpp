// Binding of the driver by dlopen and dlsym.
#include "injector/calibration/cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace perfscope::calibration {
namespace {

template <class Function>
void bind(void* library, Function& function, const char* name, std::string& missing) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(name);
}

void bindDevices(void* library, CudaDriver& d, std::string& missing) {
  bind(library, d.init, "cuInit", missing);
  bind(library, d.driverVersion, "cuDriverGetVersion", missing);
  bind(library, d.errorString, "cuGetErrorString", missing);
  bind(library, d.deviceCount, "cuDeviceGetCount", missing);
  bind(library, d.deviceGet, "cuDeviceGet", missing);
  bind(library, d.deviceName, "cuDeviceGetName", missing);
  bind(library, d.deviceUuid, "cuDeviceGetUuid_v2", missing);  // tells MIG slices apart; driver 11.4
  bind(library, d.deviceAttribute, "cuDeviceGetAttribute", missing);
  bind(library, d.contextRetain, "cuDevicePrimaryCtxRetain", missing);
  bind(library, d.contextRelease, "cuDevicePrimaryCtxRelease_v2", missing);
  bind(library, d.contextSetCurrent, "cuCtxSetCurrent", missing);
  bind(library, d.canAccessPeer, "cuDeviceCanAccessPeer", missing);
  bind(library, d.enablePeer, "cuCtxEnablePeerAccess", missing);
}

void bindMemory(void* library, CudaDriver& d, std::string& missing) {
  bind(library, d.memoryInfo, "cuMemGetInfo_v2", missing);
  bind(library, d.allocate, "cuMemAlloc_v2", missing);
  bind(library, d.release, "cuMemFree_v2", missing);
  bind(library, d.fillBytes, "cuMemsetD8_v2", missing);
  bind(library, d.allocateHost, "cuMemHostAlloc", missing);
  bind(library, d.releaseHost, "cuMemFreeHost", missing);
  bind(library, d.copyToDevice, "cuMemcpyHtoD_v2", missing);
  bind(library, d.copyToHost, "cuMemcpyDtoH_v2", missing);
  bind(library, d.copyOnDeviceAsync, "cuMemcpyDtoDAsync_v2", missing);
  bind(library, d.copyToDeviceAsync, "cuMemcpyHtoDAsync_v2", missing);
  bind(library, d.copyToHostAsync, "cuMemcpyDtoHAsync_v2", missing);
  bind(library, d.copyPeerAsync, "cuMemcpyPeerAsync", missing);
}

void bindWork(void* library, CudaDriver& d, std::string& missing) {
  bind(library, d.loadModule, "cuModuleLoadData", missing);
  bind(library, d.unloadModule, "cuModuleUnload", missing);
  bind(library, d.moduleFunction, "cuModuleGetFunction", missing);
  bind(library, d.launch, "cuLaunchKernel", missing);
  bind(library, d.occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor", missing);
  bind(library, d.streamCreate, "cuStreamCreate", missing);
  bind(library, d.streamDestroy, "cuStreamDestroy_v2", missing);
  bind(library, d.streamSynchronize, "cuStreamSynchronize", missing);
  bind(library, d.eventCreate, "cuEventCreate", missing);
  bind(library, d.eventDestroy, "cuEventDestroy_v2", missing);
  bind(library, d.eventRecord, "cuEventRecord", missing);
  bind(library, d.eventSynchronize, "cuEventSynchronize", missing);
  bind(library, d.eventElapsed, "cuEventElapsedTime", missing);
}

}  // namespace

Result<CudaDriver> openCudaDriver() {
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return failure(ErrorKind::Unavailable, "calibrate", "no NVIDIA driver: libcuda.so.1 cannot be loaded",
                   "run it on the machine with the GPU; in a container, start it with --gpus all");
  }
  CudaDriver driver;
  std::string missing;
  bindDevices(library, driver, missing);
  bindMemory(library, driver, missing);
  bindWork(library, driver, missing);
  if (!missing.empty()) {
    return failure(ErrorKind::Unavailable, "libcuda.so.1", "lacks " + missing,
                   "update the NVIDIA driver (525 or newer)");
  }
  return driver;
}

Status check(const CudaDriver& driver, CuCode code, const std::string& call) {
  if (code == 0) return {};
  const char* text = nullptr;
  if (driver.errorString != nullptr) driver.errorString(code, &text);
  std::string remedy;
  if (code == kCuErrorOutOfMemory) remedy = "end other programs on this GPU, then try again";
  return failure(ErrorKind::Unavailable, call,
                 fmt::format("{} (error {})", text != nullptr ? text : "the driver refused", code), remedy);
}

std::string uuidText(const CuUuid& uuid, bool is_mig_slice) {
  std::string text = is_mig_slice ? "MIG-" : "GPU-";
  for (size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid.bytes[i]);
  }
  return text;
}

}  // namespace perfscope::calibration
