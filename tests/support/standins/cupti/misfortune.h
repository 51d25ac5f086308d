// What can go wrong in CUPTI, asked for by a test through the environment of the target (STANDIN_CUPTI_...).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

namespace perfscope::standin {

struct Misfortune {
  const char* slot_taken = std::getenv("STANDIN_CUPTI_SLOT_TAKEN");  // name of the tool that holds CUPTI
  uint32_t version = 0;                                              // what cuptiGetVersion says
  uint64_t zero_every = 0, invert_every = 0, drop_every = 0, unknown_every = 0;  // every n-th GPU record
  bool reverse_order = false;        // GPU records of a buffer come latest first
  std::set<uint32_t> refused_kinds;  // cuptiActivityEnable answers CUPTI_ERROR_NOT_COMPATIBLE
  std::string failing_call;          // this call answers CUPTI_ERROR_UNKNOWN
  const char* log = std::getenv("STANDIN_CUPTI_LOG");  // file that gets one line a call: pid, name
  bool background_error = false;  // one error through CUPTI_CB_DOMAIN_STATE at the first launch

  static const Misfortune& get();
};

// Writes the call to the log; true = the test wants this call to fail.
bool logCall(const char* name);
// The collector broke a rule of CUPTI: says which and aborts, so that the test fails.
[[noreturn]] void violation(const char* rule);

}  // namespace perfscope::standin
