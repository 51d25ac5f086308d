// The stand-in CUPTI behaves as the headers say the real one does: what the end-to-end tests rest on.
#include <cupti.h>

#include <cstdio>
#include <cstdlib>
#include <map>

#include "tests/support/standins/standin_cuda.h"

namespace {

int failures = 0;
bool refuse_buffers = false;
std::map<uint32_t, int> counts;
int without_end = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("FAILED: %s\n", what);
  ++failures;
}

void request(uint8_t** buffer, size_t* size, size_t* max_records) {
  *size = refuse_buffers ? 0 : 64 * 1024;
  *buffer = refuse_buffers ? nullptr : static_cast<uint8_t*>(std::calloc(1, *size));
  *max_records = 0;
}

void completed(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  CUptiResult result = CUPTI_SUCCESS;
  while ((result = cuptiActivityGetNextRecord(buffer, valid, &record)) == CUPTI_SUCCESS) {
    ++counts[record->kind];
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    if (reinterpret_cast<CUpti_ActivityKernel10*>(record)->end == 0) ++without_end;
  }
  expect(result == CUPTI_ERROR_MAX_LIMIT_REACHED, "the walk over a buffer ends at its last record");
  if (valid > 8) {
    record = nullptr;
    expect(cuptiActivityGetNextRecord(buffer, 8, &record) == CUPTI_ERROR_INVALID_KIND,
           "a cut record is refused");
  }
  std::free(buffer);
}

void callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

void launch(uint64_t duration_ns) {
  static const StandinKernel kKernel{"k", {1, 1, 1}, {32, 1, 1}, {0, 0, 0}, 8, 0, 0, 0};
  StandinKernel kernel = kKernel;
  kernel.duration_ns = duration_ns;
  standinLaunch(0, &kernel);
}

void subscription() {
  CUpti_SubscriberHandle first = nullptr, second = nullptr;
  char holder[64] = "";
  CUpti_SubscriberParams params{CUpti_SubscriberParams_STRUCT_SIZE, "check", holder, sizeof holder};
  CUpti_SubscriberParams wrong = params;
  wrong.structSize = 1;
  expect(cuptiSubscribe_v2(&first, callback, nullptr, &wrong) == CUPTI_ERROR_INVALID_PARAMETER,
         "struct size is checked");
  expect(cuptiSubscribe_v2(&first, callback, nullptr, &params) == CUPTI_SUCCESS, "first subscriber");
  expect(cuptiSubscribe_v2(&second, callback, nullptr, &params) ==
             CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
         "one only");
  expect(holder[0] != '\0', "the holder of the slot is named");
}

void kinds() {
  expect(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_METRIC) == CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED,
         "legacy kind");
  expect(cuptiActivityEnable(static_cast<CUpti_ActivityKind>(500)) == CUPTI_ERROR_INVALID_KIND,
         "unknown kind");
  expect(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MODULE) == CUPTI_ERROR_INVALID_KIND,
         "a kind that CUPTI 13 refuses");
  uint8_t one = 1;
  size_t none = 0;
  expect(cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &none, &one) ==
             CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT,
         "size of an attribute");
}

void selectedCallsOnly() {
  cuptiActivityRegisterCallbacks(request, completed);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  cuptiActivityEnableRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, 1);
  launch(1000);
  standinGetDevice();
  standinDeviceSynchronize();
  cuptiActivityFlushAll(0);
  expect(counts[CUPTI_ACTIVITY_KIND_RUNTIME] == 1, "one selected runtime call");
  expect(counts[CUPTI_ACTIVITY_KIND_DRIVER] == 0, "no driver call was selected");
  expect(counts[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] == 1, "one kernel");
}

void flushes() {
  counts.clear();
  launch(30'000'000'000);  // half a minute: still running at the flush
  cuptiActivityFlushAll(0);
  expect(counts[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] == 0, "a plain flush brings no running kernel");
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  expect(counts[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] == 1 && without_end == 1,
         "a forced flush cuts it: end = 0");
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  expect(counts[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] == 1, "and never brings it again");
}

void refusedBuffers() {
  refuse_buffers = true;
  launch(0);
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  size_t dropped = 0;
  cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  expect(dropped == 2, "a call and a kernel are dropped without a buffer");
  cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  expect(dropped == 0, "asking resets the count");
}

}  // namespace

int main() {
  subscription();
  kinds();
  selectedCallsOnly();
  flushes();
  refusedBuffers();
  std::printf(failures == 0 ? "stand-in CUPTI: all rules hold\n" : "stand-in CUPTI: %d rules do not hold\n",
              failures);
  return failures == 0 ? 0 : 1;
}
