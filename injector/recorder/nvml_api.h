// The few NVML functions that are used, as a table: filled from libnvidia-ml.so.1 at run time, or by a test.
// NVML headers are not needed; the functions have been stable since driver 418.
#pragma once

#include <optional>
#include <string>

namespace perfscope {

using NvmlDevice = void*;
using NvmlCode = int;  // 0 = success
struct NvmlMemory {
  unsigned long long total, free, used;
};
struct NvmlUtilization {
  unsigned gpu, memory;
};

// A function that the library lacks is null: what it would tell stays NULL.
struct NvmlApi {
  NvmlCode (*init)() = nullptr;
  NvmlCode (*shutdown)() = nullptr;
  NvmlCode (*driverVersion)(char*, unsigned) = nullptr;
  NvmlCode (*cudaVersion)(int*) = nullptr;
  NvmlCode (*byUuid)(const char*, NvmlDevice*) = nullptr;
  NvmlCode (*count)(unsigned*) = nullptr;  // all three or none are used
  NvmlCode (*byIndex)(unsigned, NvmlDevice*) = nullptr;
  NvmlCode (*uuid)(NvmlDevice, char*, unsigned) = nullptr;
  NvmlCode (*clock)(NvmlDevice, unsigned, unsigned*) = nullptr;  // MHz
  NvmlCode (*maxClock)(NvmlDevice, unsigned, unsigned*) = nullptr;
  NvmlCode (*power)(NvmlDevice, unsigned*) = nullptr;  // mW
  NvmlCode (*powerLimit)(NvmlDevice, unsigned*) = nullptr;
  NvmlCode (*temperature)(NvmlDevice, unsigned, unsigned*) = nullptr;
  NvmlCode (*reasons)(NvmlDevice, unsigned long long*) = nullptr;
  NvmlCode (*energy)(NvmlDevice, unsigned long long*) = nullptr;  // mJ
  NvmlCode (*utilization)(NvmlDevice, NvmlUtilization*) = nullptr;
  NvmlCode (*memory)(NvmlDevice, NvmlMemory*) = nullptr;
  NvmlCode (*pcie)(NvmlDevice, unsigned, unsigned*) = nullptr;  // kB/s, measured over 20 ms meanwhile
};

inline constexpr unsigned kNvmlClockSm = 1;
inline constexpr unsigned kNvmlClockMemory = 2;
inline constexpr unsigned kNvmlTemperatureGpu = 0;
inline constexpr unsigned kNvmlPcieTx = 0;
inline constexpr unsigned kNvmlPcieRx = 1;

// nullopt when there is no NVML library, or none with the functions that cannot be done without. The library
// stays loaded.
std::optional<NvmlApi> openNvml();

}  // namespace perfscope
