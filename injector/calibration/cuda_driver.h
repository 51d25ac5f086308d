// The few functions of the CUDA driver that calibration calls, as a table: filled from libcuda.so.1 at run
// time, or by a test. Declared here by hand, so that the command line builds without CUDA headers; all of
// them are part of the driver's stable binary interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "schemas/result.h"

namespace perfscope::calibration {

using CuCode = int;  // 0 = success
using CuDevice = int;
using CuPointer = std::uint64_t;  // an address on the GPU
using CuHandle = void*;           // context, module, function, stream, event

struct CuUuid {
  unsigned char bytes[16];
};

// Numbers of CUdevice_attribute.
inline constexpr int kAttributeWarpSize = 10;
inline constexpr int kAttributeMultiprocessors = 16;
inline constexpr int kAttributeL2Bytes = 38;
inline constexpr int kAttributeCapabilityMajor = 75;
inline constexpr int kAttributeCapabilityMinor = 76;
inline constexpr int kCuErrorOutOfMemory = 2;
inline constexpr int kCuErrorPeerAccessAlreadyEnabled = 704;

struct CudaDriver {
  CuCode (*init)(unsigned flags) = nullptr;
  CuCode (*driverVersion)(int* version) = nullptr;
  CuCode (*errorString)(CuCode code, const char** text) = nullptr;
  CuCode (*deviceCount)(int* count) = nullptr;
  CuCode (*deviceGet)(CuDevice* device, int ordinal) = nullptr;
  CuCode (*deviceName)(char* name, int length, CuDevice device) = nullptr;
  CuCode (*deviceUuid)(CuUuid* uuid, CuDevice device) = nullptr;
  CuCode (*deviceAttribute)(int* value, int attribute, CuDevice device) = nullptr;
  CuCode (*contextRetain)(CuHandle* context, CuDevice device) = nullptr;
  CuCode (*contextRelease)(CuDevice device) = nullptr;
  CuCode (*contextSetCurrent)(CuHandle context) = nullptr;
  CuCode (*memoryInfo)(size_t* free_bytes, size_t* total_bytes) = nullptr;
  CuCode (*allocate)(CuPointer* pointer, size_t bytes) = nullptr;
  CuCode (*release)(CuPointer pointer) = nullptr;
  CuCode (*fillBytes)(CuPointer pointer, unsigned char value, size_t bytes) = nullptr;
  CuCode (*allocateHost)(void** pointer, size_t bytes, unsigned flags) = nullptr;
  CuCode (*releaseHost)(void* pointer) = nullptr;
  CuCode (*copyToDevice)(CuPointer to, const void* from, size_t bytes) = nullptr;
  CuCode (*copyToHost)(void* to, CuPointer from, size_t bytes) = nullptr;
  CuCode (*copyOnDeviceAsync)(CuPointer to, CuPointer from, size_t bytes, CuHandle stream) = nullptr;
  CuCode (*copyToDeviceAsync)(CuPointer to, const void* from, size_t bytes, CuHandle stream) = nullptr;
  CuCode (*copyToHostAsync)(void* to, CuPointer from, size_t bytes, CuHandle stream) = nullptr;
  CuCode (*copyPeerAsync)(CuPointer to, CuHandle to_context, CuPointer from, CuHandle from_context,
                          size_t bytes, CuHandle stream) = nullptr;
  CuCode (*canAccessPeer)(int* can, CuDevice device, CuDevice peer) = nullptr;
  CuCode (*enablePeer)(CuHandle peer_context, unsigned flags) = nullptr;
  CuCode (*loadModule)(CuHandle* module, const void* image) = nullptr;
  CuCode (*unloadModule)(CuHandle module) = nullptr;
  CuCode (*moduleFunction)(CuHandle* function, CuHandle module, const char* name) = nullptr;
  CuCode (*launch)(CuHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, CuHandle stream,
                   void** parameters, void** extra) = nullptr;
  CuCode (*occupancy)(int* blocks, CuHandle function, int block_size, size_t shared_bytes) = nullptr;
  CuCode (*streamCreate)(CuHandle* stream, unsigned flags) = nullptr;
  CuCode (*streamDestroy)(CuHandle stream) = nullptr;
  CuCode (*streamSynchronize)(CuHandle stream) = nullptr;
  CuCode (*eventCreate)(CuHandle* event, unsigned flags) = nullptr;
  CuCode (*eventDestroy)(CuHandle event) = nullptr;
  CuCode (*eventRecord)(CuHandle event, CuHandle stream) = nullptr;
  CuCode (*eventSynchronize)(CuHandle event) = nullptr;
  CuCode (*eventElapsed)(float* milliseconds, CuHandle start, CuHandle stop) = nullptr;
};

// Binds all of them; the library stays loaded. Error: Unavailable (no driver, or one without a function).
Result<CudaDriver> openCudaDriver();

// Success, or an Error that names the call, the driver's words and, where one is known, the remedy.
Status check(const CudaDriver& driver, CuCode code, const std::string& call);

// "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" or "MIG-...", the form that NVML and profiles use.
std::string uuidText(const CuUuid& uuid, bool is_mig_slice);

}  // namespace perfscope::calibration
