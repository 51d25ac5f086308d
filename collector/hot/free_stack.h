// Free buffers by index, last in first out and without a lock: the buffers in use stay few and warm.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace perfscope::collector {

// Any thread. Memory is allocated by the constructor only. The tag in the head tells a head that came back
// (ABA).
class FreeStack {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  explicit FreeStack(uint32_t capacity) : m_next(std::make_unique<std::atomic<uint32_t>[]>(capacity)) {}

  // `index` < capacity and not in the stack.
  void push(uint32_t index) noexcept {
    uint64_t head = m_head.load(std::memory_order_relaxed);
    do {
      m_next[index].store(indexOf(head), std::memory_order_relaxed);
    } while (!m_head.compare_exchange_weak(head, successor(head, index), std::memory_order_release,
                                           std::memory_order_relaxed));
    m_size.fetch_add(1, std::memory_order_relaxed);
  }

  // kNone when empty.
  uint32_t pop() noexcept {
    uint64_t head = m_head.load(std::memory_order_acquire);
    while (indexOf(head) != kNone) {
      const uint32_t next = m_next[indexOf(head)].load(std::memory_order_relaxed);
      if (m_head.compare_exchange_weak(head, successor(head, next), std::memory_order_acquire,
                                       std::memory_order_acquire)) {
        m_size.fetch_sub(1, std::memory_order_relaxed);
        return indexOf(head);
      }
    }
    return kNone;
  }

  // A snapshot.
  [[nodiscard]] size_t size() const noexcept {
    const int64_t size = m_size.load(std::memory_order_relaxed);
    return size > 0 ? static_cast<size_t>(size) : 0;
  }

 private:
  static uint32_t indexOf(uint64_t head) noexcept { return static_cast<uint32_t>(head); }
  static uint64_t successor(uint64_t head, uint32_t index) noexcept {
    return ((head >> 32) + 1) << 32 | index;
  }

  std::unique_ptr<std::atomic<uint32_t>[]> m_next;
  std::atomic<uint64_t> m_head{kNone};
  std::atomic<int64_t> m_size{0};
};

}  // namespace perfscope::collector
