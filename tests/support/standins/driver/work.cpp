// Launches, copies, fills, waits and memory of the stand-in driver.
#include <cupti.h>

#include <algorithm>
#include <ctime>

#include "tests/support/standins/driver/state.h"

using perfscope::standin::ApiScope;
using perfscope::standin::currentDevice;
using perfscope::standin::Driver;
using perfscope::standin::GpuWork;
using perfscope::standin::MemoryEvent;
using perfscope::standin::Sink;
using perfscope::standin::Wait;
using perfscope::standin::Work;

namespace {

constexpr int kNotInitialized = 3;
constexpr uint64_t kHostBytesPerNs = 50;      // PCIe 5 x16, about
constexpr uint64_t kDeviceBytesPerNs = 2000;  // device to device, about

void sleepUntil(uint64_t time_ns) {
  const timespec until{static_cast<time_t>(time_ns / 1'000'000'000),
                       static_cast<long>(time_ns % 1'000'000'000)};
  if (time_ns > standinNow()) ::clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, nullptr);
}

// Queues the work and reports it. `context` is the primary context of the device.
void queueWork(GpuWork work, uint64_t duration_ns, const ApiScope& api) {
  Driver& driver = Driver::get();
  const Driver::Span span = driver.queue(work.stream, duration_ns, currentDevice());
  work.start_ns = span.start_ns;
  work.end_ns = span.end_ns;
  work.device = span.device;
  work.context = span.device + 1;
  work.correlation = api.correlation();
  if (const Sink* sink = driver.sink()) sink->gpu_work(work);
}

void reportWait(uint32_t type, uint32_t stream, uint64_t start_ns, const ApiScope& api) {
  const Sink* sink = Driver::get().sink();
  if (sink != nullptr)
    sink->wait({type, api.correlation(), currentDevice() + 1, stream, start_ns, standinNow()});
}

uint8_t memoryKind(bool device) {
  return device ? CUPTI_ACTIVITY_MEMORY_KIND_DEVICE : CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
}

}  // namespace

extern "C" {

uint32_t standinStreamCreate() {
  const ApiScope api("cudaStreamCreate", CUPTI_RUNTIME_TRACE_CBID_cudaStreamCreate_v3020, 0);
  const uint32_t stream = Driver::get().createStream(currentDevice());
  if (const Sink* sink = Driver::get().sink()) sink->stream_created(currentDevice() + 1, stream);
  return stream;
}

int standinLaunch(uint32_t stream, const StandinKernel* kernel) {
  const ApiScope api("cudaLaunchKernel", CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
                     CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, kernel->name);
  if (!api.ready()) return kNotInitialized;
  GpuWork work;
  work.kernel = *kernel;
  work.stream = stream;
  queueWork(work, kernel->duration_ns, api);
  return 0;
}

int standinMemcpy(uint32_t stream, int kind, uint64_t bytes, int asynchronous) {
  const ApiScope api(asynchronous != 0 ? "cudaMemcpyAsync" : "cudaMemcpy",
                     asynchronous != 0 ? CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020
                                       : CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020,
                     asynchronous != 0 ? CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2
                                       : CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2);
  if (!api.ready()) return kNotInitialized;
  GpuWork work;
  work.work = Work::Memcpy;
  work.bytes = bytes;
  work.stream = stream;
  work.copy_kind = static_cast<uint8_t>(kind);
  work.src_kind = memoryKind(kind != STANDIN_HTOD);
  work.dst_kind = memoryKind(kind != STANDIN_DTOH);
  work.asynchronous = asynchronous != 0;
  queueWork(work, 1000 + bytes / (kind == STANDIN_DTOD ? kDeviceBytesPerNs : kHostBytesPerNs), api);
  if (asynchronous == 0) sleepUntil(Driver::get().freeAt(stream));
  return 0;
}

int standinMemcpyPeer(uint32_t stream, uint32_t to_device, uint64_t bytes) {
  const ApiScope api("cudaMemcpyPeerAsync", CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyPeerAsync_v4000,
                     CUPTI_DRIVER_TRACE_CBID_cuMemcpyPeerAsync);
  if (!api.ready()) return kNotInitialized;
  GpuWork work;
  work.work = Work::PeerCopy;
  work.bytes = bytes;
  work.stream = stream;
  work.copy_kind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  work.src_kind = work.dst_kind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  work.peer_device = to_device;
  queueWork(work, 1000 + bytes / kHostBytesPerNs, api);
  return 0;
}

int standinMemset(uint32_t stream, uint64_t bytes, int value) {
  const ApiScope api("cudaMemsetAsync", CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020,
                     CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async);
  if (!api.ready()) return kNotInitialized;
  GpuWork work;
  work.work = Work::Memset;
  work.bytes = bytes;
  work.stream = stream;
  work.value = static_cast<uint32_t>(value);
  work.dst_kind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  queueWork(work, 1000 + bytes / kDeviceBytesPerNs, api);
  return 0;
}

int standinStreamSynchronize(uint32_t stream) {
  const ApiScope api("cudaStreamSynchronize", CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020,
                     CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize);
  if (!api.ready()) return kNotInitialized;
  const uint64_t start = standinNow();
  sleepUntil(Driver::get().freeAt(stream));
  reportWait(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, stream, start, api);
  return 0;
}

int standinDeviceSynchronize() {
  const ApiScope api("cudaDeviceSynchronize", CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020,
                     CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize);
  if (!api.ready()) return kNotInitialized;
  const uint64_t start = standinNow();
  sleepUntil(Driver::get().freeAt());
  reportWait(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE, CUPTI_SYNCHRONIZATION_INVALID_VALUE,
             start, api);
  return 0;
}

uint64_t standinMalloc(uint64_t bytes) {
  static std::atomic<uint64_t> next_address{0x7f0000000000};
  const ApiScope api("cudaMalloc", CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020,
                     CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
  if (!api.ready()) return 0;
  const uint64_t address = next_address.fetch_add((bytes + 511) / 512 * 512);
  const uint32_t device = currentDevice();
  if (const Sink* sink = Driver::get().sink()) {
    sink->memory({false, address, bytes, standinNow(), api.correlation(), device, device + 1, 0});
  }
  return address;
}

int standinFree(uint64_t address) {
  const ApiScope api("cudaFree", CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020,
                     CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2);
  if (!api.ready()) return kNotInitialized;
  const uint32_t device = currentDevice();
  if (const Sink* sink = Driver::get().sink()) {
    sink->memory({true, address, 0, standinNow(), api.correlation(), device, device + 1, 0});
  }
  return 0;
}

int standinGetDevice() {
  const ApiScope api("cudaGetDevice", CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020, 0);
  return static_cast<int>(currentDevice());
}

int standinModuleLoad(uint64_t cubin_bytes) {
  static std::atomic<uint32_t> next_module{0};
  const ApiScope api("cuModuleLoadData", 0, CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData);
  if (!api.ready()) return kNotInitialized;
  if (const Sink* sink = Driver::get().sink()) {
    sink->module_loaded(currentDevice() + 1, next_module.fetch_add(1) + 1, cubin_bytes);
  }
  return 0;
}

int standinProfilerStart() {
  const ApiScope api("cudaProfilerStart", CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000,
                     CUPTI_DRIVER_TRACE_CBID_cuProfilerStart);
  return 0;
}

int standinProfilerStop() {
  const ApiScope api("cudaProfilerStop", CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000,
                     CUPTI_DRIVER_TRACE_CBID_cuProfilerStop);
  return 0;
}

int64_t standinPlayBack(const char* path) {
  const ApiScope api("cudaGetDevice", CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020, 0);
  const Sink* sink = Driver::get().sink();
  return sink != nullptr ? sink->play_back(path) : 0;
}

}  // extern "C"
