// The API calls that are recorded: those that launch, copy, allocate, wait or load. A flat table of CUPTI
// callback ids.
//
// Numbers, not the enumerators: callback ids never change, while an older toolkit's header lacks the newer
// names. Several ids of one name are its versions (_v2, per-thread default stream, changed parameters).
#include "collector/cupti/api_families.h"

namespace perfscope::collector {
namespace {

constexpr std::array<ApiFamily, 72> kRuntime = {{
    {"cudaLaunch", {13, 213}},
    {"cudaMalloc", {20}},
    {"cudaMallocPitch", {21}},
    {"cudaFree", {22}},
    {"cudaMallocArray", {23}},
    {"cudaFreeArray", {24}},
    {"cudaMallocHost", {25}},
    {"cudaFreeHost", {26}},
    {"cudaHostAlloc", {27}},
    {"cudaMemcpy", {31, 215}},
    {"cudaMemcpy2D", {32, 216}},
    {"cudaMemcpyToArray", {33, 217}},
    {"cudaMemcpy2DToArray", {34, 218}},
    {"cudaMemcpyFromArray", {35, 219}},
    {"cudaMemcpy2DFromArray", {36, 220}},
    {"cudaMemcpyArrayToArray", {37, 221}},
    {"cudaMemcpy2DArrayToArray", {38, 222}},
    {"cudaMemcpyToSymbol", {39, 223}},
    {"cudaMemcpyFromSymbol", {40, 224}},
    {"cudaMemcpyAsync", {41, 225}},
    {"cudaMemcpyToArrayAsync", {42, 226}},
    {"cudaMemcpyFromArrayAsync", {43, 227}},
    {"cudaMemcpy2DAsync", {44, 228}},
    {"cudaMemcpy2DToArrayAsync", {45, 229}},
    {"cudaMemcpy2DFromArrayAsync", {46, 230}},
    {"cudaMemcpyToSymbolAsync", {47, 231}},
    {"cudaMemcpyFromSymbolAsync", {48, 232}},
    {"cudaMemset", {49, 233}},
    {"cudaMemset2D", {50, 234}},
    {"cudaMemsetAsync", {51, 235}},
    {"cudaMemset2DAsync", {52, 236}},
    {"cudaThreadSynchronize", {126}},
    {"cudaStreamSynchronize", {131, 239}},
    {"cudaEventRecord", {135, 242}},
    {"cudaEventSynchronize", {137}},
    {"cudaMalloc3D", {140}},
    {"cudaMalloc3DArray", {141}},
    {"cudaMemset3D", {142, 243}},
    {"cudaMemset3DAsync", {143, 244}},
    {"cudaMemcpy3D", {144, 245}},
    {"cudaMemcpy3DAsync", {145, 246}},
    {"cudaStreamWaitEvent", {147, 247}},
    {"cudaHostRegister", {152}},
    {"cudaHostUnregister", {153}},
    {"cudaMemcpyPeer", {160}},
    {"cudaMemcpyPeerAsync", {161}},
    {"cudaMemcpy3DPeer", {162, 249}},
    {"cudaMemcpy3DPeerAsync", {163, 250}},
    {"cudaDeviceSynchronize", {165}},
    {"cudaMallocMipmappedArray", {192}},
    {"cudaFreeMipmappedArray", {194}},
    {"cudaMallocManaged", {206}},
    {"cudaLaunchKernel", {211, 214}},
    {"cudaMemPrefetchAsync", {252, 253, 449, 450}},
    {"cudaLaunchCooperativeKernel", {269, 270}},
    {"cudaLaunchCooperativeKernelMultiDevice", {272}},
    {"cudaLaunchHostFunc", {284, 285}},
    {"cudaGraphInstantiate", {310, 443}},
    {"cudaGraphLaunch", {311, 312}},
    {"cudaGraphUpload", {348, 349}},
    {"cudaEventRecordWithFlags", {370, 371}},
    {"cudaMallocAsync", {373, 374}},
    {"cudaFreeAsync", {375, 376}},
    {"cudaMallocFromPoolAsync", {391, 392}},
    {"cudaGraphInstantiateWithFlags", {418}},
    {"cudaLaunchKernelExC", {430, 431}},
    {"cudaGraphInstantiateWithParams", {436, 437}},
    {"cudaLibraryLoadData", {470}},
    {"cudaLibraryLoadFromFile", {471}},
    {"cudaMemcpyBatchAsync", {482, 483, 509, 510}},
    {"cudaMemcpy3DBatchAsync", {484, 485, 511, 512}},
    {"cudaMemPrefetchBatchAsync", {487, 488}},
}};

constexpr std::array<ApiFamily, 81> kDriver = {{
    {"cuCtxSynchronize", {17, 800}},
    {"cuModuleLoad", {18}},
    {"cuModuleLoadData", {19}},
    {"cuModuleLoadDataEx", {20}},
    {"cuModuleLoadFatBinary", {21}},
    {"cuModuleUnload", {22}},
    {"cuMemAlloc", {29, 243}},
    {"cuMemAllocPitch", {31, 244}},
    {"cuMemFree", {33, 245}},
    {"cuMemAllocHost", {37, 294}},
    {"cuMemFreeHost", {38}},
    {"cuMemHostAlloc", {39, 271}},
    {"cuMemcpyHtoD", {43, 276, 397}},
    {"cuMemcpyDtoH", {45, 278, 398}},
    {"cuMemcpyDtoD", {47, 280, 399}},
    {"cuMemcpyDtoA", {49, 285, 400}},
    {"cuMemcpyAtoD", {51, 284, 401}},
    {"cuMemcpyHtoA", {53, 292, 402}},
    {"cuMemcpyAtoH", {54, 282, 403}},
    {"cuMemcpyAtoA", {55, 286, 404}},
    {"cuMemcpy2D", {56, 287, 405}},
    {"cuMemcpy2DUnaligned", {57, 288, 406}},
    {"cuMemcpy3D", {58, 290, 407}},
    {"cuMemcpyHtoDAsync", {60, 277, 421}},
    {"cuMemcpyDtoHAsync", {62, 279, 422}},
    {"cuMemcpyDtoDAsync", {64, 281, 423}},
    {"cuMemcpyHtoAAsync", {66, 293, 419}},
    {"cuMemcpyAtoHAsync", {67, 283, 420}},
    {"cuMemcpy2DAsync", {68, 289, 424}},
    {"cuMemcpy3DAsync", {69, 291, 425}},
    {"cuMemsetD8", {71, 249, 411}},
    {"cuMemsetD16", {73, 250, 412}},
    {"cuMemsetD32", {75, 251, 413}},
    {"cuMemsetD2D8", {77, 252, 414}},
    {"cuMemsetD2D16", {79, 253, 415}},
    {"cuMemsetD2D32", {81, 254, 416}},
    {"cuLaunch", {115}},
    {"cuEventRecord", {119, 441}},
    {"cuEventSynchronize", {121}},
    {"cuStreamSynchronize", {126, 440}},
    {"cuMemsetD8Async", {216, 428}},
    {"cuMemsetD16Async", {218, 429}},
    {"cuMemsetD32Async", {220, 430}},
    {"cuMemsetD2D8Async", {222, 431}},
    {"cuMemsetD2D16Async", {224, 432}},
    {"cuMemsetD2D32Async", {226, 433}},
    {"cuMemcpy", {248, 305, 408}},
    {"cuStreamWaitEvent", {295, 436}},
    {"cuMemHostRegister", {301, 379}},
    {"cuMemHostUnregister", {302}},
    {"cuMemcpyAsync", {306, 418}},
    {"cuLaunchKernel", {307, 442}},
    {"cuMemcpyPeer", {318, 409}},
    {"cuMemcpyPeerAsync", {319, 426}},
    {"cuMemcpy3DPeer", {320, 410}},
    {"cuMemcpy3DPeerAsync", {321, 427}},
    {"cuMemAllocManaged", {371}},
    {"cuMemPrefetchAsync", {467, 468, 716, 717}},
    {"cuLaunchCooperativeKernel", {477, 478}},
    {"cuLaunchCooperativeKernelMultiDevice", {480}},
    {"cuGraphInstantiate", {513, 578}},
    {"cuGraphLaunch", {514, 515}},
    {"cuLaunchHostFunc", {527, 528}},
    {"cuMemCreate", {549}},
    {"cuMemRelease", {550}},
    {"cuMemMap", {551}},
    {"cuMemUnmap", {552}},
    {"cuGraphUpload", {580, 581}},
    {"cuEventRecordWithFlags", {587, 588}},
    {"cuMemAllocAsync", {598, 599}},
    {"cuMemFreeAsync", {600, 601}},
    {"cuMemAllocFromPoolAsync", {611, 612}},
    {"cuGraphInstantiateWithFlags", {643}},
    {"cuLaunchKernelEx", {652, 653}},
    {"cuGraphInstantiateWithParams", {656, 657}},
    {"cuLibraryLoadData", {678}},
    {"cuLibraryLoadFromFile", {679}},
    {"cuLibraryUnload", {680}},
    {"cuMemcpyBatchAsync", {776, 777, 796, 797}},
    {"cuMemcpy3DBatchAsync", {778, 779, 798, 799}},
    {"cuMemPrefetchBatchAsync", {784, 785}},
}};

// One bit per callback id, made by the compiler.
using IdSet = std::array<uint64_t, 16>;
template <size_t N>
constexpr IdSet idsOf(const std::array<ApiFamily, N>& families) {
  IdSet set{};
  for (const ApiFamily& family : families) {
    for (const uint16_t id : family.ids)
      if (id != 0) set[id / 64] |= uint64_t{1} << (id % 64);
  }
  return set;
}
constexpr IdSet kRuntimeIds = idsOf(kRuntime);
constexpr IdSet kDriverIds = idsOf(kDriver);

constexpr bool contains(const IdSet& set, uint32_t id) noexcept {
  return id / 64 < set.size() && (set[id / 64] >> (id % 64) & 1) != 0;
}

}  // namespace

std::span<const ApiFamily> runtimeFamilies() noexcept {
  return kRuntime;
}
std::span<const ApiFamily> driverFamilies() noexcept {
  return kDriver;
}
bool isRecordedRuntimeApi(uint32_t callback_id) noexcept {
  return contains(kRuntimeIds, callback_id);
}
bool isRecordedDriverApi(uint32_t callback_id) noexcept {
  return contains(kDriverIds, callback_id);
}

}  // namespace perfscope::collector
