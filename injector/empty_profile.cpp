// The sentence for an empty profile.
#include "injector/empty_profile.h"

namespace perfscope {

std::string whyEmpty(const EmptyEvidence& e) {
  if (!e.collector_errors.empty()) {
    std::string text = "no GPU record: ";
    for (size_t i = 0; i < e.collector_errors.size(); ++i)
      text += (i > 0 ? "; " : "") + e.collector_errors[i];
    return text;
  }
  if (e.processes == 0 && !e.driver_found)
    return "no GPU record: there is no NVIDIA driver on this machine (libcuda.so.1 cannot be loaded); run on "
           "a "
           "machine with a GPU";
  if (e.processes == 0) {
    std::string text =
        "no GPU record: no process of the target initialised CUDA; check that the program reaches its GPU "
        "part "
        "and that CUDA_VISIBLE_DEVICES leaves it a device";
    if (e.statically_linked)
      text +=
          "; the program is statically linked, so only the driver's own door (CUDA_INJECTION64_PATH) was "
          "open";
    return text;
  }
  const std::string who = std::to_string(e.processes) + (e.processes == 1 ? " process" : " processes");
  if (e.losses > 0)
    return "no GPU record: " + who + " used CUDA, but all records were lost (see the losses in the report)";
  if (e.windows_configured)
    return "no GPU record: " + who +
           " used CUDA, but nothing ran on a GPU inside the collection window (--delay, --duration, --steps, "
           "--capture); widen it or check the names of the ranges";
  return "no GPU record: " + who + " initialised CUDA but launched no kernel, copy or fill";
}

}  // namespace perfscope
