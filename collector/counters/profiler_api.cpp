// Binding the profiler functions.
#include "collector/counters/profiler_api.h"

#include <dlfcn.h>

namespace perfscope::collector {
#if PERFSCOPE_PM_SAMPLING
namespace {

class Binder {
 public:
  explicit Binder(void* library) : m_library(library) {}
  template <class F>
  Binder& bind(const char* name, F*& function) {
    function = reinterpret_cast<F*>(::dlsym(m_library, name));
    if (function == nullptr && m_missing == nullptr) m_missing = name;
    return *this;
  }
  [[nodiscard]] const char* missing() const { return m_missing; }

 private:
  void* m_library;
  const char* m_missing = nullptr;
};

}  // namespace

Result<ProfilerApi> bindProfiler(void* library, const std::string& path) {
  ProfilerApi api;
  Binder binder(library);
  binder.bind("cuptiProfilerInitialize", api.initialize)
      .bind("cuptiDeviceGetChipName", api.chip_name)
      .bind("cuptiGetDeviceId", api.device_of_context)
      .bind("cuptiProfilerHostInitialize", api.host_open)
      .bind("cuptiProfilerHostDeinitialize", api.host_close)
      .bind("cuptiProfilerHostConfigAddMetrics", api.host_add_metrics)
      .bind("cuptiProfilerHostGetConfigImageSize", api.host_config_size)
      .bind("cuptiProfilerHostGetConfigImage", api.host_config)
      .bind("cuptiProfilerHostGetNumOfPasses", api.host_passes)
      .bind("cuptiProfilerHostEvaluateToGpuValues", api.host_evaluate)
      .bind("cuptiPmSamplingGetCounterAvailability", api.pm_availability)
      .bind("cuptiPmSamplingEnable", api.pm_enable)
      .bind("cuptiPmSamplingDisable", api.pm_disable)
      .bind("cuptiPmSamplingSetConfig", api.pm_set_config)
      .bind("cuptiPmSamplingStart", api.pm_start)
      .bind("cuptiPmSamplingStop", api.pm_stop)
      .bind("cuptiPmSamplingDecodeData", api.pm_decode)
      .bind("cuptiPmSamplingGetCounterDataSize", api.pm_image_size)
      .bind("cuptiPmSamplingCounterDataImageInitialize", api.pm_image_init)
      .bind("cuptiPmSamplingGetCounterDataInfo", api.pm_image_info)
      .bind("cuptiPmSamplingCounterDataGetSampleInfo", api.pm_sample_info)
      .bind("cuptiProfilerGetCounterAvailability", api.rp_availability)
      .bind("cuptiRangeProfilerEnable", api.rp_enable)
      .bind("cuptiRangeProfilerSetConfig", api.rp_set_config)
      .bind("cuptiRangeProfilerStart", api.rp_start)
      .bind("cuptiRangeProfilerStop", api.rp_stop)
      .bind("cuptiRangeProfilerDecodeData", api.rp_decode)
      .bind("cuptiRangeProfilerGetCounterDataSize", api.rp_image_size)
      .bind("cuptiRangeProfilerCounterDataImageInitialize", api.rp_image_init)
      .bind("cuptiRangeProfilerGetCounterDataInfo", api.rp_image_info);
  if (binder.missing() == nullptr) return api;
  return failure(ErrorKind::Unavailable, path, std::string("lacks the function ") + binder.missing(),
                 "use the libcupti of CUDA 12.6 or newer for hardware counters");
}
#endif
}  // namespace perfscope::collector
