// Steps marked with NVTX: "step 0", "step 1", ... of K kernels each, with nested ranges, a domain, registered
// texts, a payload, marks, a start/end range over threads and a thread name. Arguments: steps
// kernels-per-step pause-ms
#include <nvtx3/nvToolsExt.h>
#include <sys/syscall.h>

#include <chrono>
#include <string>
#include <thread>

#include "tests/end_to_end/victims/victim.h"

namespace {

void pushWithPayload(nvtxDomainHandle_t domain, const char* text, uint64_t payload) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.category = 7;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  attributes.payload.ullValue = payload;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = nvtxDomainRegisterStringA(domain, text);
  nvtxDomainRangePushEx(domain, &attributes);
}

}  // namespace

int main(int argc, char** argv) {
  namespace victim = perfscope::victim;
  const int steps = victim::argument(argc, argv, 1, 10);
  const int kernels = victim::argument(argc, argv, 2, 5);
  const int pause_ms = victim::argument(argc, argv, 3, 0);
  nvtxNameOsThreadA(static_cast<uint32_t>(::syscall(SYS_gettid)), "main loop");
  nvtxDomainHandle_t domain = nvtxDomainCreateA("victim");
  const uint32_t stream = standinStreamCreate();
  const nvtxRangeId_t whole = nvtxRangeStartA("whole run");
  for (int i = 0; i < steps; ++i) {
    nvtxRangePushA(("step " + std::to_string(i)).c_str());
    pushWithPayload(domain, "forward", static_cast<uint64_t>(i));
    victim::launchMany(stream, kernels);
    nvtxDomainRangePop(domain);
    nvtxMarkA("after forward");
    standinStreamSynchronize(stream);
    nvtxRangePop();
    if (pause_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
  }
  std::thread([whole] { nvtxRangeEnd(whole); }).join();
  nvtxRangePushA("never ended");
  return 0;
}
