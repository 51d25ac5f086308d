// A CUPTI of our own making for unit tests.
#include "tests/support/fake_cupti.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace perfscope::test {
namespace {

// Sizes of CUDA 13.0. 0: a kind the fake does not know, where a walk must stop.
size_t recordBytes(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return sizeof(CUpti_ActivityMemcpyPtoP4);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return sizeof(CUpti_ActivitySynchronization2);
    case CUPTI_ACTIVITY_KIND_DRIVER:
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return sizeof(CUpti_ActivityMemory4);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return sizeof(CUpti_ActivityOverhead3);
    case CUPTI_ACTIVITY_KIND_CONTEXT:
      return sizeof(CUpti_ActivityContext3);
    case CUPTI_ACTIVITY_KIND_STREAM:
      return sizeof(CUpti_ActivityStream);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return sizeof(CUpti_ActivityDevice5);
    case CUPTI_ACTIVITY_KIND_MODULE:
      return sizeof(CUpti_ActivityModule);
    case CUPTI_ACTIVITY_KIND_JIT:
      return sizeof(CUpti_ActivityJit2);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return sizeof(CUpti_ActivityGraphTrace2);
    case CUPTI_ACTIVITY_KIND_MARKER:
      return sizeof(CUpti_ActivityMarker2);
    default:
      return 0;
  }
}

// The fake, locked for the length of one expression.
class Locked {
 public:
  FakeCupti* operator->() { return &FakeCupti::instance(); }

 private:
  std::lock_guard<std::mutex> m_guard{FakeCupti::lock()};
};
Locked fake() {
  return Locked();
}

CUptiResult getVersion(uint32_t* version) {
  *version = fake()->version;
  return CUPTI_SUCCESS;
}
CUptiResult subscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void*) {
  fake()->order.emplace_back("subscribe");
  const CUptiResult result = fake()->subscribe_result;
  if (result == CUPTI_SUCCESS) fake()->callback = callback;
  *handle = nullptr;
  return result;
}
CUptiResult subscribeV2(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*, void* params) {
  auto& in = *static_cast<collector::SubscriberParams*>(params);
  const std::string holder = fake()->slot_holder;
  std::strncpy(in.old_subscriber_name, holder.c_str(), in.old_subscriber_bytes - 1);
  return fake()->subscribe_result;
}
CUptiResult unsubscribe(CUpti_SubscriberHandle) {
  ++fake()->unsubscribes;
  return CUPTI_SUCCESS;
}
CUptiResult enableCallback(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId) {
  fake()->order.emplace_back("callback");
  return CUPTI_SUCCESS;
}
CUptiResult enableDomain(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain) {
  return CUPTI_SUCCESS;
}
CUptiResult registerCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                              CUpti_BuffersCallbackCompleteFunc completed) {
  fake()->order.emplace_back("register");
  fake()->requested = requested;
  fake()->completed = completed;
  return CUPTI_SUCCESS;
}
CUptiResult enable(CUpti_ActivityKind kind) {
  fake()->order.emplace_back("enable");
  if (kind == fake()->refused_kind) return CUPTI_ERROR_INVALID_KIND;
  fake()->enabled.push_back(kind);
  return CUPTI_SUCCESS;
}
CUptiResult disable(CUpti_ActivityKind kind) {
  fake()->disabled.push_back(kind);
  return CUPTI_SUCCESS;
}
CUptiResult flushAll(uint32_t flag) {
  ++fake()->flushes;
  if (flag != 0) ++fake()->forced_flushes;
  const uint32_t delay_ms = fake()->flush_delay_ms;
  if (delay_ms != 0) std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
  return CUPTI_SUCCESS;
}
CUptiResult numDropped(CUcontext, uint32_t, size_t* dropped) {
  *dropped = std::exchange(fake()->dropped, size_t{0});
  return CUPTI_SUCCESS;
}
CUptiResult setAttribute(CUpti_ActivityAttribute, size_t*, void*) {
  fake()->order.emplace_back("attribute");
  return CUPTI_SUCCESS;
}
CUptiResult getTimestamp(uint64_t* time) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  *time = static_cast<uint64_t>(now.tv_sec) * 1'000'000'000ULL + static_cast<uint64_t>(now.tv_nsec);
  return CUPTI_SUCCESS;
}
CUptiResult enableRuntimeApi(CUpti_CallbackId id, uint8_t on) {
  (on != 0 ? fake()->runtime_calls : fake()->runtime_calls_off).push_back(id);
  return CUPTI_SUCCESS;
}
CUptiResult enableDriverApi(CUpti_CallbackId id, uint8_t on) {
  (on != 0 ? fake()->driver_calls : fake()->driver_calls_off).push_back(id);
  return CUPTI_SUCCESS;
}
// A node "handle" is its id plus one, so that null stays null.
CUptiResult graphNodeId(CUgraphNode node, uint64_t* id) {
  *id = reinterpret_cast<uint64_t>(node);
  return CUPTI_SUCCESS;
}
CUptiResult graphId(CUgraph graph, uint32_t* id) {
  *id = static_cast<uint32_t>(reinterpret_cast<uint64_t>(graph));
  return CUPTI_SUCCESS;
}
CUptiResult threadIdType(CUpti_ActivityThreadIdType) {
  return CUPTI_SUCCESS;
}

}  // namespace

CUpti_ActivityKernel10& BufferBuilder::addKernel(const char* name, uint64_t start_ns, uint64_t end_ns,
                                                 uint32_t correlation) {
  auto& kernel = add<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  kernel.name = name;
  kernel.start = start_ns;
  kernel.end = end_ns;
  kernel.correlationId = correlation;
  kernel.gridX = kernel.gridY = kernel.gridZ = 1;
  kernel.blockX = kernel.blockY = kernel.blockZ = 1;
  return kernel;
}

CUpti_ActivityAPI& BufferBuilder::addApi(bool driver, uint32_t callback_id, uint32_t correlation,
                                         uint64_t start_ns, uint64_t end_ns, uint32_t thread) {
  auto& api = add<CUpti_ActivityAPI>(driver ? CUPTI_ACTIVITY_KIND_DRIVER : CUPTI_ACTIVITY_KIND_RUNTIME);
  api.cbid = callback_id;
  api.correlationId = correlation;
  api.start = start_ns;
  api.end = end_ns;
  api.threadId = thread;
  return api;
}

CUptiResult fakeGetNextRecord(uint8_t* buffer, size_t valid_bytes, CUpti_Activity** record) {
  size_t at = 0;
  if (*record != nullptr) {
    const size_t bytes = recordBytes((*record)->kind);
    at = static_cast<size_t>(reinterpret_cast<uint8_t*>(*record) - buffer) + bytes;
  }
  if (at + sizeof(CUpti_ActivityKind) > valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  auto* next = reinterpret_cast<CUpti_Activity*>(buffer + at);
  const size_t bytes = recordBytes(next->kind);
  if (bytes == 0) return CUPTI_ERROR_INVALID_KIND;
  if (at + bytes > valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = next;
  return CUPTI_SUCCESS;
}

bool FakeCupti::deliver(BufferBuilder& buffer) {
  const FakeCupti now = snapshot();
  uint8_t* memory = nullptr;
  size_t bytes = 0;
  size_t records = 0;
  now.requested(&memory, &bytes, &records);
  if (memory == nullptr) return false;
  const size_t valid = std::min(bytes, buffer.size());
  std::memcpy(memory, buffer.data(), valid);
  now.completed(nullptr, 0, memory, bytes, valid);
  return true;
}

FakeCupti& FakeCupti::instance() {
  static FakeCupti fake_cupti;
  return fake_cupti;
}

std::mutex& FakeCupti::lock() {
  static std::mutex mutex;
  return mutex;
}

FakeCupti FakeCupti::snapshot() {
  const std::lock_guard<std::mutex> guard(lock());
  return instance();
}

void FakeCupti::reset() {
  const std::lock_guard<std::mutex> guard(lock());
  instance() = FakeCupti{};
}

collector::CuptiApi FakeCupti::table() {
  collector::CuptiApi api;
  api.version = snapshot().version;
  api.path = "fake/libcupti.so";
  api.get_version = getVersion;
  api.subscribe = subscribe;
  api.unsubscribe = unsubscribe;
  api.enable_callback = enableCallback;
  api.enable_domain = enableDomain;
  api.activity_register_callbacks = registerCallbacks;
  api.activity_enable = enable;
  api.activity_disable = disable;
  api.activity_flush_all = flushAll;
  api.activity_get_next_record = fakeGetNextRecord;
  api.activity_get_num_dropped_records = numDropped;
  api.activity_set_attribute = setAttribute;
  api.get_timestamp = getTimestamp;
  api.subscribe_v2 = subscribeV2;
  api.activity_enable_runtime_api = enableRuntimeApi;
  api.activity_enable_driver_api = enableDriverApi;
  api.get_graph_node_id = graphNodeId;
  api.get_graph_id = graphId;
  api.set_thread_id_type = threadIdType;
  return api;
}

}  // namespace perfscope::test
