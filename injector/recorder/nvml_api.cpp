// Binding of NVML by dlopen and dlsym.
#include "injector/recorder/nvml_api.h"

#include <dlfcn.h>

namespace perfscope {
namespace {

template <class Function>
void bind(void* library, Function& function, const char* name) {
  if (function == nullptr) function = reinterpret_cast<Function>(::dlsym(library, name));
}

}  // namespace

std::optional<NvmlApi> openNvml() {
  void* const library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::nullopt;
  NvmlApi api;
  bind(library, api.init, "nvmlInit_v2");
  bind(library, api.shutdown, "nvmlShutdown");
  bind(library, api.driverVersion, "nvmlSystemGetDriverVersion");
  bind(library, api.cudaVersion, "nvmlSystemGetCudaDriverVersion_v2");
  bind(library, api.byUuid, "nvmlDeviceGetHandleByUUID");
  bind(library, api.count, "nvmlDeviceGetCount_v2");
  bind(library, api.byIndex, "nvmlDeviceGetHandleByIndex_v2");
  bind(library, api.uuid, "nvmlDeviceGetUUID");
  bind(library, api.clock, "nvmlDeviceGetClockInfo");
  bind(library, api.maxClock, "nvmlDeviceGetMaxClockInfo");
  bind(library, api.power, "nvmlDeviceGetPowerUsage");
  bind(library, api.powerLimit, "nvmlDeviceGetEnforcedPowerLimit");
  bind(library, api.temperature, "nvmlDeviceGetTemperature");
  bind(library, api.reasons, "nvmlDeviceGetCurrentClocksEventReasons");
  bind(library, api.reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");  // its name before driver 535
  bind(library, api.energy, "nvmlDeviceGetTotalEnergyConsumption");
  bind(library, api.utilization, "nvmlDeviceGetUtilizationRates");
  bind(library, api.memory, "nvmlDeviceGetMemoryInfo");
  bind(library, api.pcie, "nvmlDeviceGetPcieThroughput");
  if (api.init == nullptr || api.shutdown == nullptr || api.byUuid == nullptr) return std::nullopt;
  return api;
}

}  // namespace perfscope
