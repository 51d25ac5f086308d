// Binding the CUPTI function table.
#include "collector/cupti/cupti_api.h"

#include <dlfcn.h>

#include <utility>

namespace perfscope::collector {
namespace {

template <class F>
bool bind(void* library, const char* name, F*& function) {
  function = reinterpret_cast<F*>(::dlsym(library, name));
  return function != nullptr;
}

const char* bindRequired(void* library, CuptiApi& api) {
  if (!bind(library, "cuptiGetVersion", api.get_version)) return "cuptiGetVersion";
  if (!bind(library, "cuptiSubscribe", api.subscribe)) return "cuptiSubscribe";
  if (!bind(library, "cuptiUnsubscribe", api.unsubscribe)) return "cuptiUnsubscribe";
  if (!bind(library, "cuptiEnableCallback", api.enable_callback)) return "cuptiEnableCallback";
  if (!bind(library, "cuptiEnableDomain", api.enable_domain)) return "cuptiEnableDomain";
  if (!bind(library, "cuptiActivityRegisterCallbacks", api.activity_register_callbacks))
    return "cuptiActivityRegisterCallbacks";
  if (!bind(library, "cuptiActivityEnable", api.activity_enable)) return "cuptiActivityEnable";
  if (!bind(library, "cuptiActivityDisable", api.activity_disable)) return "cuptiActivityDisable";
  if (!bind(library, "cuptiActivityFlushAll", api.activity_flush_all)) return "cuptiActivityFlushAll";
  if (!bind(library, "cuptiActivityGetNextRecord", api.activity_get_next_record))
    return "cuptiActivityGetNextRecord";
  if (!bind(library, "cuptiActivityGetNumDroppedRecords", api.activity_get_num_dropped_records))
    return "cuptiActivityGetNumDroppedRecords";
  if (!bind(library, "cuptiActivitySetAttribute", api.activity_set_attribute))
    return "cuptiActivitySetAttribute";
  if (!bind(library, "cuptiGetTimestamp", api.get_timestamp)) return "cuptiGetTimestamp";
  return nullptr;
}

void bindOptional(void* library, CuptiApi& api) {
  bind(library, "cuptiSubscribe_v2", api.subscribe_v2);
  bind(library, "cuptiActivityEnableRuntimeApi", api.activity_enable_runtime_api);
  bind(library, "cuptiActivityEnableDriverApi", api.activity_enable_driver_api);
  bind(library, "cuptiGetGraphNodeId", api.get_graph_node_id);
  bind(library, "cuptiGetGraphId", api.get_graph_id);
  bind(library, "cuptiSetThreadIdType", api.set_thread_id_type);
  bind(library, "cuptiGetResultString", api.get_result_string);
}

}  // namespace

Result<CuptiApi> bindCupti(void* library, std::string path) {
  CuptiApi api;
  api.path = std::move(path);
  if (const char* missing = bindRequired(library, api)) {
    return failure(ErrorKind::Unavailable, api.path, std::string("lacks the function ") + missing,
                   "install the libcupti of CUDA 12 or newer");
  }
  bindOptional(library, api);
  if (api.get_version(&api.version) != CUPTI_SUCCESS)
    return failure(ErrorKind::Unavailable, api.path, "cuptiGetVersion failed", "reinstall CUPTI");
  return api;
}

}  // namespace perfscope::collector
