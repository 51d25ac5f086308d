// Interposed cuptiSubscribe: a second CUPTI client in the program (torch.profiler's Kineto) is refused by
// CUPTI while PerfScope records, and its trace has no GPU rows. Seen here, it becomes a line in the ledger.
// Our own subscription goes through the table that was bound to the library, not through here.
#include <cupti.h>

#include "collector/hot/callbacks.h"
#include "collector/interpose/next_symbol.h"

namespace {

namespace pc = perfscope::collector;

constexpr const char* kCupti[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so", nullptr};

void noticeOther() noexcept {
  if (pc::HotState* hot = pc::hotState()) hot->other_profiler.store(true, std::memory_order_relaxed);
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* user) {
  static pc::NextSymbol<decltype(&cuptiSubscribe)> next("cuptiSubscribe", kCupti);
  const auto real = next.get(&cuptiSubscribe);
  if (real == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  noticeOther();
  return real(subscriber, callback, user);
}

#pragma GCC visibility pop
}
