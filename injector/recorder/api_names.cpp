// Names of CUDA API callbacks: a flat table of the ids (CUDA 13.0: cupti_runtime_cbid.h, cupti_driver_cbid.h;
// ids never change meaning between versions) that the collector asks for, and the common ones beside them.
// Version and per-thread-stream suffixes are left out of the names.
#include "injector/recorder/api_names.h"

#include <algorithm>
#include <array>

namespace perfscope {
namespace {

struct Entry {
  uint32_t id;
  std::string_view name;
  ApiClass kind;
};
constexpr auto Launch = ApiClass::Launch;
constexpr auto GraphLaunch = ApiClass::GraphLaunch;
constexpr auto Copy = ApiClass::Copy;
constexpr auto Fill = ApiClass::Fill;
constexpr auto Other = ApiClass::Other;

// clang-format off
constexpr std::array<Entry, 169> kRuntime = {{
    {10, "cudaGetLastError", Other}, {11, "cudaPeekAtLastError", Other}, {13, "cudaLaunch", Launch},
    {15, "cudaFuncGetAttributes", Other}, {16, "cudaSetDevice", Other}, {17, "cudaGetDevice", Other},
    {20, "cudaMalloc", Other}, {21, "cudaMallocPitch", Other}, {22, "cudaFree", Other},
    {23, "cudaMallocArray", Other}, {24, "cudaFreeArray", Other}, {25, "cudaMallocHost", Other},
    {26, "cudaFreeHost", Other}, {27, "cudaHostAlloc", Other}, {31, "cudaMemcpy", Copy},
    {32, "cudaMemcpy2D", Copy}, {33, "cudaMemcpyToArray", Copy}, {34, "cudaMemcpy2DToArray", Copy},
    {35, "cudaMemcpyFromArray", Copy}, {36, "cudaMemcpy2DFromArray", Copy},
    {37, "cudaMemcpyArrayToArray", Copy}, {38, "cudaMemcpy2DArrayToArray", Copy},
    {39, "cudaMemcpyToSymbol", Copy}, {40, "cudaMemcpyFromSymbol", Copy}, {41, "cudaMemcpyAsync", Copy},
    {42, "cudaMemcpyToArrayAsync", Copy}, {43, "cudaMemcpyFromArrayAsync", Copy},
    {44, "cudaMemcpy2DAsync", Copy}, {45, "cudaMemcpy2DToArrayAsync", Copy},
    {46, "cudaMemcpy2DFromArrayAsync", Copy}, {47, "cudaMemcpyToSymbolAsync", Copy},
    {48, "cudaMemcpyFromSymbolAsync", Copy}, {49, "cudaMemset", Fill}, {50, "cudaMemset2D", Fill},
    {51, "cudaMemsetAsync", Fill}, {52, "cudaMemset2DAsync", Fill}, {126, "cudaThreadSynchronize", Other},
    {129, "cudaStreamCreate", Other}, {130, "cudaStreamDestroy", Other},
    {131, "cudaStreamSynchronize", Other}, {132, "cudaStreamQuery", Other},
    {133, "cudaEventCreate", Other}, {134, "cudaEventCreateWithFlags", Other},
    {135, "cudaEventRecord", Other}, {136, "cudaEventDestroy", Other},
    {137, "cudaEventSynchronize", Other}, {138, "cudaEventQuery", Other}, {140, "cudaMalloc3D", Other},
    {141, "cudaMalloc3DArray", Other}, {142, "cudaMemset3D", Fill}, {143, "cudaMemset3DAsync", Fill},
    {144, "cudaMemcpy3D", Copy}, {145, "cudaMemcpy3DAsync", Copy}, {147, "cudaStreamWaitEvent", Other},
    {151, "cudaPointerGetAttributes", Other}, {152, "cudaHostRegister", Other},
    {153, "cudaHostUnregister", Other}, {160, "cudaMemcpyPeer", Copy}, {161, "cudaMemcpyPeerAsync", Copy},
    {162, "cudaMemcpy3DPeer", Copy}, {163, "cudaMemcpy3DPeerAsync", Copy}, {164, "cudaDeviceReset", Other},
    {165, "cudaDeviceSynchronize", Other}, {192, "cudaMallocMipmappedArray", Other},
    {194, "cudaFreeMipmappedArray", Other}, {198, "cudaStreamCreateWithFlags", Other},
    {201, "cudaStreamDestroy", Other}, {202, "cudaStreamCreateWithPriority", Other},
    {206, "cudaMallocManaged", Other}, {207, "cudaOccupancyMaxActiveBlocksPerMultiprocessor", Other},
    {210, "cudaOccupancyMaxActiveBlocksPerMultiprocessor", Other}, {211, "cudaLaunchKernel", Launch},
    {213, "cudaLaunch", Launch}, {214, "cudaLaunchKernel", Launch}, {215, "cudaMemcpy", Copy},
    {216, "cudaMemcpy2D", Copy}, {217, "cudaMemcpyToArray", Copy}, {218, "cudaMemcpy2DToArray", Copy},
    {219, "cudaMemcpyFromArray", Copy}, {220, "cudaMemcpy2DFromArray", Copy},
    {221, "cudaMemcpyArrayToArray", Copy}, {222, "cudaMemcpy2DArrayToArray", Copy},
    {223, "cudaMemcpyToSymbol", Copy}, {224, "cudaMemcpyFromSymbol", Copy}, {225, "cudaMemcpyAsync", Copy},
    {226, "cudaMemcpyToArrayAsync", Copy}, {227, "cudaMemcpyFromArrayAsync", Copy},
    {228, "cudaMemcpy2DAsync", Copy}, {229, "cudaMemcpy2DToArrayAsync", Copy},
    {230, "cudaMemcpy2DFromArrayAsync", Copy}, {231, "cudaMemcpyToSymbolAsync", Copy},
    {232, "cudaMemcpyFromSymbolAsync", Copy}, {233, "cudaMemset", Fill}, {234, "cudaMemset2D", Fill},
    {235, "cudaMemsetAsync", Fill}, {236, "cudaMemset2DAsync", Fill},
    {239, "cudaStreamSynchronize", Other}, {240, "cudaStreamQuery", Other},
    {242, "cudaEventRecord", Other}, {243, "cudaMemset3D", Fill}, {244, "cudaMemset3DAsync", Fill},
    {245, "cudaMemcpy3D", Copy}, {246, "cudaMemcpy3DAsync", Copy}, {247, "cudaStreamWaitEvent", Other},
    {249, "cudaMemcpy3DPeer", Copy}, {250, "cudaMemcpy3DPeerAsync", Copy},
    {251, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", Other},
    {252, "cudaMemPrefetchAsync", Other}, {253, "cudaMemPrefetchAsync", Other},
    {269, "cudaLaunchCooperativeKernel", Launch}, {270, "cudaLaunchCooperativeKernel", Launch},
    {271, "cudaEventCreateFromEGLSync", Other}, {272, "cudaLaunchCooperativeKernelMultiDevice", Launch},
    {273, "cudaFuncSetAttribute", Other}, {284, "cudaLaunchHostFunc", Other},
    {285, "cudaLaunchHostFunc", Other}, {310, "cudaGraphInstantiate", Other},
    {311, "cudaGraphLaunch", GraphLaunch}, {312, "cudaGraphLaunch", GraphLaunch},
    {313, "cudaGraphExecDestroy", Other}, {315, "cudaStreamBeginCapture", Other},
    {316, "cudaStreamBeginCapture", Other}, {317, "cudaStreamIsCapturing", Other},
    {318, "cudaStreamIsCapturing", Other}, {319, "cudaStreamEndCapture", Other},
    {320, "cudaStreamEndCapture", Other}, {335, "cudaGraphExecUpdate", Other},
    {348, "cudaGraphUpload", Other}, {349, "cudaGraphUpload", Other},
    {370, "cudaEventRecordWithFlags", Other}, {371, "cudaEventRecordWithFlags", Other},
    {373, "cudaMallocAsync", Other}, {374, "cudaMallocAsync", Other}, {375, "cudaFreeAsync", Other},
    {376, "cudaFreeAsync", Other}, {377, "cudaMemPoolTrimTo", Other}, {383, "cudaMemPoolCreate", Other},
    {384, "cudaMemPoolDestroy", Other}, {391, "cudaMallocFromPoolAsync", Other},
    {392, "cudaMallocFromPoolAsync", Other}, {418, "cudaGraphInstantiateWithFlags", Other},
    {430, "cudaLaunchKernelExC", Launch}, {431, "cudaLaunchKernelExC", Launch},
    {433, "cudaOccupancyMaxActiveClusters", Other}, {436, "cudaGraphInstantiateWithParams", Other},
    {437, "cudaGraphInstantiateWithParams", Other}, {443, "cudaGraphInstantiate", Other},
    {449, "cudaMemPrefetchAsync", Other}, {450, "cudaMemPrefetchAsync", Other},
    {452, "cudaStreamBeginCaptureToGraph", Other}, {453, "cudaStreamBeginCaptureToGraph", Other},
    {470, "cudaLibraryLoadData", Other}, {471, "cudaLibraryLoadFromFile", Other},
    {472, "cudaLibraryUnload", Other}, {482, "cudaMemcpyBatchAsync", Copy},
    {483, "cudaMemcpyBatchAsync", Copy}, {484, "cudaMemcpy3DBatchAsync", Copy},
    {485, "cudaMemcpy3DBatchAsync", Copy}, {487, "cudaMemPrefetchBatchAsync", Other},
    {488, "cudaMemPrefetchBatchAsync", Other}, {491, "cudaMemDiscardAndPrefetchBatchAsync", Other},
    {492, "cudaMemDiscardAndPrefetchBatchAsync", Other}, {505, "__cudaLaunchKernel", Launch},
    {506, "__cudaLaunchKernel", Launch}, {509, "cudaMemcpyBatchAsync", Copy},
    {510, "cudaMemcpyBatchAsync", Copy}, {511, "cudaMemcpy3DBatchAsync", Copy},
    {512, "cudaMemcpy3DBatchAsync", Copy}, {520, "cudaMemSetMemPool", Fill},
}};

constexpr std::array<Entry, 288> kDriver = {{
    {1, "cuInit", Other}, {10, "cuCtxCreate", Other}, {17, "cuCtxSynchronize", Other},
    {18, "cuModuleLoad", Other}, {19, "cuModuleLoadData", Other}, {20, "cuModuleLoadDataEx", Other},
    {21, "cuModuleLoadFatBinary", Other}, {22, "cuModuleUnload", Other},
    {23, "cuModuleGetFunction", Other}, {29, "cuMemAlloc", Other}, {30, "cu64MemAlloc", Other},
    {31, "cuMemAllocPitch", Other}, {32, "cu64MemAllocPitch", Other}, {33, "cuMemFree", Other},
    {34, "cu64MemFree", Other}, {37, "cuMemAllocHost", Other}, {38, "cuMemFreeHost", Other},
    {39, "cuMemHostAlloc", Other}, {43, "cuMemcpyHtoD", Copy}, {44, "cu64MemcpyHtoD", Copy},
    {45, "cuMemcpyDtoH", Copy}, {46, "cu64MemcpyDtoH", Copy}, {47, "cuMemcpyDtoD", Copy},
    {48, "cu64MemcpyDtoD", Copy}, {49, "cuMemcpyDtoA", Copy}, {50, "cu64MemcpyDtoA", Copy},
    {51, "cuMemcpyAtoD", Copy}, {52, "cu64MemcpyAtoD", Copy}, {53, "cuMemcpyHtoA", Copy},
    {54, "cuMemcpyAtoH", Copy}, {55, "cuMemcpyAtoA", Copy}, {56, "cuMemcpy2D", Copy},
    {57, "cuMemcpy2DUnaligned", Copy}, {58, "cuMemcpy3D", Copy}, {59, "cu64Memcpy3D", Copy},
    {60, "cuMemcpyHtoDAsync", Copy}, {61, "cu64MemcpyHtoDAsync", Copy}, {62, "cuMemcpyDtoHAsync", Copy},
    {63, "cu64MemcpyDtoHAsync", Copy}, {64, "cuMemcpyDtoDAsync", Copy}, {65, "cu64MemcpyDtoDAsync", Copy},
    {66, "cuMemcpyHtoAAsync", Copy}, {67, "cuMemcpyAtoHAsync", Copy}, {68, "cuMemcpy2DAsync", Copy},
    {69, "cuMemcpy3DAsync", Copy}, {70, "cu64Memcpy3DAsync", Copy}, {71, "cuMemsetD8", Fill},
    {72, "cu64MemsetD8", Fill}, {73, "cuMemsetD16", Fill}, {74, "cu64MemsetD16", Fill},
    {75, "cuMemsetD32", Fill}, {76, "cu64MemsetD32", Fill}, {77, "cuMemsetD2D8", Fill},
    {78, "cu64MemsetD2D8", Fill}, {79, "cuMemsetD2D16", Fill}, {80, "cu64MemsetD2D16", Fill},
    {81, "cuMemsetD2D32", Fill}, {82, "cu64MemsetD2D32", Fill}, {115, "cuLaunch", Launch},
    {116, "cuLaunchGrid", Launch}, {117, "cuLaunchGridAsync", Launch}, {118, "cuEventCreate", Other},
    {119, "cuEventRecord", Other}, {120, "cuEventQuery", Other}, {121, "cuEventSynchronize", Other},
    {122, "cuEventDestroy", Other}, {124, "cuStreamCreate", Other}, {125, "cuStreamQuery", Other},
    {126, "cuStreamSynchronize", Other}, {127, "cuStreamDestroy", Other}, {139, "cuD3D10CtxCreate", Other},
    {152, "cuD3D11CtxCreate", Other}, {155, "cuD3D9CtxCreate", Other}, {174, "cuGLCtxCreate", Other},
    {187, "cuVDPAUCtxCreate", Other}, {210, "cuD3D11CtxCreateOnDevice", Other},
    {212, "cuD3D10CtxCreateOnDevice", Other}, {214, "cuD3D9CtxCreateOnDevice", Other},
    {215, "cu64MemHostAlloc", Other}, {216, "cuMemsetD8Async", Fill}, {217, "cu64MemsetD8Async", Fill},
    {218, "cuMemsetD16Async", Fill}, {219, "cu64MemsetD16Async", Fill}, {220, "cuMemsetD32Async", Fill},
    {221, "cu64MemsetD32Async", Fill}, {222, "cuMemsetD2D8Async", Fill},
    {223, "cu64MemsetD2D8Async", Fill}, {224, "cuMemsetD2D16Async", Fill},
    {225, "cu64MemsetD2D16Async", Fill}, {226, "cuMemsetD2D32Async", Fill},
    {227, "cu64MemsetD2D32Async", Fill}, {232, "cu64Memcpy2D", Copy}, {233, "cu64Memcpy2DUnaligned", Copy},
    {234, "cu64Memcpy2DAsync", Copy}, {235, "cuCtxCreate", Other}, {236, "cuD3D10CtxCreate", Other},
    {237, "cuD3D11CtxCreate", Other}, {238, "cuD3D9CtxCreate", Other}, {239, "cuGLCtxCreate", Other},
    {240, "cuVDPAUCtxCreate", Other}, {243, "cuMemAlloc", Other}, {244, "cuMemAllocPitch", Other},
    {245, "cuMemFree", Other}, {248, "cuMemcpy", Copy}, {249, "cuMemsetD8", Fill},
    {250, "cuMemsetD16", Fill}, {251, "cuMemsetD32", Fill}, {252, "cuMemsetD2D8", Fill},
    {253, "cuMemsetD2D16", Fill}, {254, "cuMemsetD2D32", Fill}, {271, "cuMemHostAlloc", Other},
    {276, "cuMemcpyHtoD", Copy}, {277, "cuMemcpyHtoDAsync", Copy}, {278, "cuMemcpyDtoH", Copy},
    {279, "cuMemcpyDtoHAsync", Copy}, {280, "cuMemcpyDtoD", Copy}, {281, "cuMemcpyDtoDAsync", Copy},
    {282, "cuMemcpyAtoH", Copy}, {283, "cuMemcpyAtoHAsync", Copy}, {284, "cuMemcpyAtoD", Copy},
    {285, "cuMemcpyDtoA", Copy}, {286, "cuMemcpyAtoA", Copy}, {287, "cuMemcpy2D", Copy},
    {288, "cuMemcpy2DUnaligned", Copy}, {289, "cuMemcpy2DAsync", Copy}, {290, "cuMemcpy3D", Copy},
    {291, "cuMemcpy3DAsync", Copy}, {292, "cuMemcpyHtoA", Copy}, {293, "cuMemcpyHtoAAsync", Copy},
    {294, "cuMemAllocHost", Other}, {295, "cuStreamWaitEvent", Other}, {301, "cuMemHostRegister", Other},
    {302, "cuMemHostUnregister", Other}, {305, "cuMemcpy", Copy}, {306, "cuMemcpyAsync", Copy},
    {307, "cuLaunchKernel", Launch}, {318, "cuMemcpyPeer", Copy}, {319, "cuMemcpyPeerAsync", Copy},
    {320, "cuMemcpy3DPeer", Copy}, {321, "cuMemcpy3DPeerAsync", Copy}, {325, "cuEventDestroy", Other},
    {326, "cuStreamDestroy", Other}, {363, "cuLinkAddData", Other}, {364, "cuLinkAddFile", Other},
    {365, "cuLinkComplete", Other}, {367, "cuStreamCreateWithPriority", Other},
    {371, "cuMemAllocManaged", Other}, {374, "cuOccupancyMaxActiveBlocksPerMultiprocessor", Other},
    {379, "cuMemHostRegister", Other}, {382, "cuLinkAddData", Other}, {383, "cuLinkAddFile", Other},
    {386, "cuDevicePrimaryCtxRetain", Other}, {397, "cuMemcpyHtoD", Copy}, {398, "cuMemcpyDtoH", Copy},
    {399, "cuMemcpyDtoD", Copy}, {400, "cuMemcpyDtoA", Copy}, {401, "cuMemcpyAtoD", Copy},
    {402, "cuMemcpyHtoA", Copy}, {403, "cuMemcpyAtoH", Copy}, {404, "cuMemcpyAtoA", Copy},
    {405, "cuMemcpy2D", Copy}, {406, "cuMemcpy2DUnaligned", Copy}, {407, "cuMemcpy3D", Copy},
    {408, "cuMemcpy", Copy}, {409, "cuMemcpyPeer", Copy}, {410, "cuMemcpy3DPeer", Copy},
    {411, "cuMemsetD8", Fill}, {412, "cuMemsetD16", Fill}, {413, "cuMemsetD32", Fill},
    {414, "cuMemsetD2D8", Fill}, {415, "cuMemsetD2D16", Fill}, {416, "cuMemsetD2D32", Fill},
    {418, "cuMemcpyAsync", Copy}, {419, "cuMemcpyHtoAAsync", Copy}, {420, "cuMemcpyAtoHAsync", Copy},
    {421, "cuMemcpyHtoDAsync", Copy}, {422, "cuMemcpyDtoHAsync", Copy}, {423, "cuMemcpyDtoDAsync", Copy},
    {424, "cuMemcpy2DAsync", Copy}, {425, "cuMemcpy3DAsync", Copy}, {426, "cuMemcpyPeerAsync", Copy},
    {427, "cuMemcpy3DPeerAsync", Copy}, {428, "cuMemsetD8Async", Fill}, {429, "cuMemsetD16Async", Fill},
    {430, "cuMemsetD32Async", Fill}, {431, "cuMemsetD2D8Async", Fill}, {432, "cuMemsetD2D16Async", Fill},
    {433, "cuMemsetD2D32Async", Fill}, {436, "cuStreamWaitEvent", Other}, {439, "cuStreamQuery", Other},
    {440, "cuStreamSynchronize", Other}, {441, "cuEventRecord", Other}, {442, "cuLaunchKernel", Launch},
    {450, "cuPointerGetAttributes", Other},
    {451, "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", Other},
    {458, "cuStreamWaitValue32", Other}, {459, "cuStreamWaitValue32", Other},
    {460, "cuStreamWriteValue32", Other}, {461, "cuStreamWriteValue32", Other},
    {467, "cuMemPrefetchAsync", Other}, {468, "cuMemPrefetchAsync", Other},
    {469, "cuEventCreateFromNVNSync", Other}, {473, "cuStreamWaitValue64", Other},
    {474, "cuStreamWaitValue64", Other}, {475, "cuStreamWriteValue64", Other},
    {476, "cuStreamWriteValue64", Other}, {477, "cuLaunchCooperativeKernel", Launch},
    {478, "cuLaunchCooperativeKernel", Launch}, {479, "cuEventCreateFromEGLSync", Other},
    {480, "cuLaunchCooperativeKernelMultiDevice", Launch}, {481, "cuFuncSetAttribute", Other},
    {495, "cuStreamBeginCapture", Other}, {496, "cuStreamBeginCapture", Other},
    {497, "cuStreamEndCapture", Other}, {498, "cuStreamEndCapture", Other},
    {499, "cuStreamIsCapturing", Other}, {500, "cuStreamIsCapturing", Other},
    {513, "cuGraphInstantiate", Other}, {514, "cuGraphLaunch", GraphLaunch},
    {515, "cuGraphLaunch", GraphLaunch}, {516, "cuGraphExecDestroy", Other},
    {527, "cuLaunchHostFunc", Other}, {528, "cuLaunchHostFunc", Other},
    {539, "cuStreamBeginCapture", Other}, {540, "cuStreamBeginCapture", Other},
    {549, "cuMemCreate", Other}, {551, "cuMemMap", Other}, {552, "cuMemUnmap", Other},
    {553, "cuMemSetAccess", Fill}, {561, "cuGraphExecUpdate", Other}, {578, "cuGraphInstantiate", Other},
    {580, "cuGraphUpload", Other}, {581, "cuGraphUpload", Other}, {587, "cuEventRecordWithFlags", Other},
    {588, "cuEventRecordWithFlags", Other}, {598, "cuMemAllocAsync", Other},
    {599, "cuMemAllocAsync", Other}, {600, "cuMemFreeAsync", Other}, {601, "cuMemFreeAsync", Other},
    {602, "cuMemPoolTrimTo", Other}, {607, "cuMemPoolCreate", Other}, {608, "cuMemPoolDestroy", Other},
    {611, "cuMemAllocFromPoolAsync", Other}, {612, "cuMemAllocFromPoolAsync", Other},
    {643, "cuGraphInstantiateWithFlags", Other}, {645, "cuCtxCreate", Other},
    {652, "cuLaunchKernelEx", Launch}, {653, "cuLaunchKernelEx", Launch},
    {656, "cuGraphInstantiateWithParams", Other}, {657, "cuGraphInstantiateWithParams", Other},
    {659, "cuStreamWaitValue32", Other}, {660, "cuStreamWaitValue32", Other},
    {661, "cuStreamWaitValue64", Other}, {662, "cuStreamWaitValue64", Other},
    {663, "cuStreamWriteValue32", Other}, {664, "cuStreamWriteValue32", Other},
    {665, "cuStreamWriteValue64", Other}, {666, "cuStreamWriteValue64", Other},
    {676, "cuOccupancyMaxActiveClusters", Other}, {678, "cuLibraryLoadData", Other},
    {679, "cuLibraryLoadFromFile", Other}, {680, "cuLibraryUnload", Other},
    {696, "cuGraphExecUpdate", Other}, {716, "cuMemPrefetchAsync", Other},
    {717, "cuMemPrefetchAsync", Other}, {720, "cuStreamBeginCaptureToGraph", Other},
    {721, "cuStreamBeginCaptureToGraph", Other}, {737, "cuModuleGetFunctionCount", Other},
    {743, "cuGreenCtxCreate", Other}, {750, "cuGreenCtxWaitEvent", Other}, {756, "cuCtxWaitEvent", Other},
    {757, "cuCtxCreate", Other}, {758, "cuGreenCtxStreamCreate", Other}, {776, "cuMemcpyBatchAsync", Copy},
    {777, "cuMemcpyBatchAsync", Copy}, {778, "cuMemcpy3DBatchAsync", Copy},
    {779, "cuMemcpy3DBatchAsync", Copy}, {783, "cuStreamCreateForCaptureToCig", Other},
    {784, "cuMemPrefetchBatchAsync", Other}, {785, "cuMemPrefetchBatchAsync", Other},
    {791, "cuMemDiscardAndPrefetchBatchAsync", Other}, {792, "cuMemDiscardAndPrefetchBatchAsync", Other},
    {796, "cuMemcpyBatchAsync", Copy}, {797, "cuMemcpyBatchAsync", Copy},
    {798, "cuMemcpy3DBatchAsync", Copy}, {799, "cuMemcpy3DBatchAsync", Copy},
    {800, "cuCtxSynchronize", Other}, {803, "cuMemSetMemPool", Fill},
}};
// clang-format on

template <size_t N>
const Entry* find(const std::array<Entry, N>& table, uint32_t id) {
  const auto found = std::lower_bound(table.begin(), table.end(), id,
                                      [](const Entry& entry, uint32_t key) { return entry.id < key; });
  return found != table.end() && found->id == id ? &*found : nullptr;
}

const Entry* find(bool driver, uint32_t id) {
  return driver ? find(kDriver, id) : find(kRuntime, id);
}

}  // namespace

ApiClass apiClass(bool driver, uint32_t callback_id) {
  const Entry* const entry = find(driver, callback_id);
  return entry != nullptr ? entry->kind : ApiClass::Unknown;
}

std::string apiName(bool driver, uint32_t callback_id) {
  const Entry* const entry = find(driver, callback_id);
  if (entry != nullptr) return std::string(entry->name);
  return (driver ? "driver callback " : "runtime callback ") + std::to_string(callback_id);
}

bool apiTablesAreSorted() {
  const auto before = [](const Entry& a, const Entry& b) { return a.id < b.id; };
  return std::is_sorted(kRuntime.begin(), kRuntime.end(), before) &&
         std::is_sorted(kDriver.begin(), kDriver.end(), before);
}

}  // namespace perfscope
