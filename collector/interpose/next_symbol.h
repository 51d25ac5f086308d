// Finds the real function behind an interposed one, once.
#pragma once

#include <atomic>
#include <initializer_list>

namespace perfscope::collector {

// The function `name` behind ours: RTLD_NEXT first, then in each library of `sonames` (null-terminated array)
// that is already loaded. Python opens its extensions with local scope, where RTLD_NEXT finds nothing
// although the library is there; a hook that trusts it crashes the program. Null when there is none; never
// `ours`.
void* findNext(const char* name, const char* const* sonames, const void* ours) noexcept;

// F: type of the function pointer. Constant-initialised: safe as a function-local static on a hot path.
template <class F>
class NextSymbol {
 public:
  constexpr NextSymbol(const char* name, const char* const* sonames) : m_name(name), m_sonames(sonames) {}

  // The real function, or null (then `complainOnce` says so on stderr).
  F get(F ours) noexcept {
    void* found = m_found.load(std::memory_order_acquire);
    if (found == nullptr) {
      found = findNext(m_name, m_sonames, reinterpret_cast<const void*>(ours));
      if (found == nullptr) return nullptr;
      m_found.store(found, std::memory_order_release);
    }
    return reinterpret_cast<F>(found);
  }
  void complainOnce() noexcept;

 private:
  const char* m_name;
  const char* const* m_sonames;
  std::atomic<void*> m_found{nullptr};
  std::atomic<bool> m_complained{false};
};

void complainAboutMissing(const char* name) noexcept;

template <class F>
void NextSymbol<F>::complainOnce() noexcept {
  if (!m_complained.exchange(true)) complainAboutMissing(m_name);
}

}  // namespace perfscope::collector
