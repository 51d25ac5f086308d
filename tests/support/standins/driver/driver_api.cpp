// The few true driver entry points that a profiler asks: initialisation, versions, devices.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/support/standins/driver/state.h"

using perfscope::standin::Driver;

namespace {

constexpr CUresult kSuccess = CUDA_SUCCESS;

int attributeValue(CUdevice_attribute attribute) {
  switch (attribute) {  // values of an H200 SXM, as its driver reports them
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return 9;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return 0;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return 132;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      return 1980000;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      return 32;
    default:
      return 0;
  }
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned int) {
  return static_cast<CUresult>(Driver::get().initialize());
}

CUresult cuDriverGetVersion(int* version) {
  const char* text = std::getenv("STANDIN_CUDA_VERSION");
  *version = text != nullptr ? std::atoi(text) : 13000;
  return kSuccess;
}

CUresult cuDeviceGetCount(int* count) {
  *count = static_cast<int>(Driver::get().deviceCount());
  return kSuccess;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return ordinal < static_cast<int>(Driver::get().deviceCount()) ? kSuccess : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  std::snprintf(name, static_cast<size_t>(length), "NVIDIA H200");
  return kSuccess;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  *value = attributeValue(attribute);
  return kSuccess;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = nullptr;
  return kSuccess;
}

CUresult cuCtxSynchronize() {
  return static_cast<CUresult>(standinDeviceSynchronize());
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = error == kSuccess ? "no error" : "an error of the stand-in driver";
  return kSuccess;
}

void standinUseApi(int api) {
  perfscope::standin::currentApi() = api;
}
void standinSetDevice(uint32_t device) {
  perfscope::standin::currentDevice() = device;
}

}  // extern "C"
