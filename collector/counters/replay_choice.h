// Which launches are replayed: a few of each kernel and launch shape, after its first, spread over the run.
// Pure.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace perfscope::collector {

class ReplayChoice {
 public:
  // per_kernel 0: every launch.
  explicit ReplayChoice(uint32_t per_kernel) : m_per_kernel(per_kernel) {}

  // The next launch of this signature (a hash of name and launch shape): whether it is to be replayed. The
  // second launch is the first that is (the first one may be a warm-up), then launches in ever longer,
  // irregular distances, so that periodic programs are not met at the same place each time.
  bool due(uint64_t signature) {
    if (m_per_kernel == 0) return true;
    if (m_kernels.size() >= kSignaturesAtMost && m_kernels.count(signature) == 0) return false;
    Kernel& kernel = m_kernels[signature];
    const uint64_t launch = kernel.launches++;
    return kernel.replayed < m_per_kernel && launch >= kernel.next;
  }
  // It was.
  void replayed(uint64_t signature) {
    if (m_per_kernel == 0) return;
    Kernel& kernel = m_kernels[signature];
    ++kernel.replayed;
    const uint64_t mixed = (signature ^ kernel.launches) * 0x9E3779B97F4A7C15ULL;
    const uint64_t gap = uint64_t{1} << (kernel.replayed < 40 ? kernel.replayed : 40);
    kernel.next = kernel.launches + gap / 2 + (mixed >> 32) % gap;
  }
  [[nodiscard]] size_t signatures() const { return m_kernels.size(); }

 private:
  static constexpr size_t kSignaturesAtMost = 65536;
  struct Kernel {
    uint64_t launches = 0, next = 1;
    uint32_t replayed = 0;
  };
  uint32_t m_per_kernel;
  std::unordered_map<uint64_t, Kernel> m_kernels;
};

}  // namespace perfscope::collector
