// How many children were forked and not recorded.
#include "collector/process/forked_children.h"

#include <sys/mman.h>

#include <atomic>
#include <new>

namespace perfscope::collector {
namespace {

using Counter = std::atomic<uint32_t>;
static_assert(Counter::is_always_lock_free);

std::atomic<Counter*>& slot() noexcept {
  static constinit std::atomic<Counter*> pointer{nullptr};
  return pointer;
}

}  // namespace

void countForkedChildren() noexcept {
  void* page = ::mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) slot().store(new (page) Counter(0), std::memory_order_release);
}

void forkedChildEnds() noexcept {
  if (Counter* counter = slot().load(std::memory_order_acquire)) counter->fetch_add(1);
}

uint32_t forkedChildren() noexcept {
  const Counter* counter = slot().load(std::memory_order_acquire);
  return counter != nullptr ? counter->load() : 0;
}

}  // namespace perfscope::collector
