// The callback calls of the stand-in libcupti: subscriber, enabled callbacks, names of results, ids of
// graphs.
#include "tests/support/standins/cupti/misfortune.h"
#include "tests/support/standins/cupti/state.h"

using perfscope::standin::Cupti;
using perfscope::standin::insideCallback;
using perfscope::standin::kCallbackIds;
using perfscope::standin::logCall;
using perfscope::standin::violation;

namespace {

bool fails(const char* call) {
  if (insideCallback()) violation(call);
  return logCall(call);
}

CUptiResult subscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* user_data,
                      char* holder, size_t holder_bytes) {
  if (subscriber == nullptr || callback == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  const CUptiResult result = Cupti::get().subscribe(callback, user_data, holder, holder_bytes);
  if (result == CUPTI_SUCCESS) *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&Cupti::get());
  return result;
}

bool valid(CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain) {
  return reinterpret_cast<Cupti*>(subscriber) == &Cupti::get() && domain > CUPTI_CB_DOMAIN_INVALID &&
         domain < CUPTI_CB_DOMAIN_SIZE;
}

}  // namespace

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* user_data) {
  if (fails("cuptiSubscribe")) return CUPTI_ERROR_UNKNOWN;
  return subscribe(subscriber, callback, user_data, nullptr, 0);
}

#ifndef STANDIN_CUPTI_12_0  // in CUDA 13.0 and later only
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                              void* user_data, CUpti_SubscriberParams* params) {
  if (fails("cuptiSubscribe_v2")) return CUPTI_ERROR_UNKNOWN;
  if (params == nullptr) return subscribe(subscriber, callback, user_data, nullptr, 0);
  if (params->structSize != CUpti_SubscriberParams_STRUCT_SIZE) return CUPTI_ERROR_INVALID_PARAMETER;
  return subscribe(subscriber, callback, user_data, params->oldSubscriberName, params->oldSubscriberSize);
}
#endif

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  if (fails("cuptiUnsubscribe")) return CUPTI_ERROR_UNKNOWN;
  if (!valid(subscriber, CUPTI_CB_DOMAIN_RESOURCE)) return CUPTI_ERROR_INVALID_PARAMETER;
  Cupti::get().unsubscribe();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (fails("cuptiEnableCallback")) return CUPTI_ERROR_UNKNOWN;
  if (!valid(subscriber, domain) || id == 0 || id >= kCallbackIds) return CUPTI_ERROR_INVALID_PARAMETER;
  Cupti::get().callbacks[domain][id].store(enable != 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber,
                              CUpti_CallbackDomain domain) {
  if (fails("cuptiEnableDomain")) return CUPTI_ERROR_UNKNOWN;
  if (!valid(subscriber, domain)) return CUPTI_ERROR_INVALID_PARAMETER;
  for (auto& flag : Cupti::get().callbacks[domain]) flag.store(enable != 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  if (text == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *text = result == CUPTI_SUCCESS ? "CUPTI_SUCCESS" : "CUPTI_ERROR of the stand-in";
  return CUPTI_SUCCESS;
}

// Allowed inside callbacks: this is where a client learns which node was made.
CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t* id) {
  if (node == nullptr || id == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *id = standinGraphNodeId(node);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetGraphId(CUgraph graph, uint32_t* id) {
  if (graph == nullptr || id == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *id = standinGraphId(graph);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetGraphExecId(CUgraphExec graph, uint32_t* id) {
  return cuptiGetGraphId(reinterpret_cast<CUgraph>(graph), id);
}

CUptiResult cuptiGetContextId(CUcontext context, uint32_t* id) {
  if (id == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *id = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(context));
  return CUPTI_SUCCESS;
}

}  // extern "C"
