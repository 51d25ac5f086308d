// A bounded lock-free queue for many producers and many consumers (after D. Vyukov: a sequence number per
// cell).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace perfscope::collector {

// All memory is allocated by the constructor; push and pop never wait and never allocate. T must be trivially
// copyable. Threads: any number on both sides.
template <class T>
class BoundedQueue {
 public:
  // Capacity is rounded up to a power of two.
  explicit BoundedQueue(size_t capacity) {
    size_t size = 2;
    while (size < capacity) size *= 2;
    m_mask = size - 1;
    m_cells = std::make_unique<Cell[]>(size);
    for (size_t i = 0; i < size; ++i) m_cells[i].sequence.store(i, std::memory_order_relaxed);
  }

  // False when full.
  bool tryPush(const T& value) noexcept {
    size_t position = m_tail.load(std::memory_order_relaxed);
    while (true) {
      Cell& cell = m_cells[position & m_mask];
      const size_t sequence = cell.sequence.load(std::memory_order_acquire);
      const auto lead = static_cast<intptr_t>(sequence) - static_cast<intptr_t>(position);
      if (lead < 0) return false;
      if (lead > 0) {
        position = m_tail.load(std::memory_order_relaxed);
      } else if (m_tail.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
        cell.value = value;
        cell.sequence.store(position + 1, std::memory_order_release);
        return true;
      }
    }
  }

  // False when empty.
  bool tryPop(T& value) noexcept {
    size_t position = m_head.load(std::memory_order_relaxed);
    while (true) {
      Cell& cell = m_cells[position & m_mask];
      const size_t sequence = cell.sequence.load(std::memory_order_acquire);
      const auto lead = static_cast<intptr_t>(sequence) - static_cast<intptr_t>(position + 1);
      if (lead < 0) return false;
      if (lead > 0) {
        position = m_head.load(std::memory_order_relaxed);
      } else if (m_head.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
        value = cell.value;
        cell.sequence.store(position + m_mask + 1, std::memory_order_release);
        return true;
      }
    }
  }

  // A snapshot; exact only when nobody else is at work.
  [[nodiscard]] size_t size() const noexcept {
    const size_t tail = m_tail.load(std::memory_order_relaxed);
    const size_t head = m_head.load(std::memory_order_relaxed);
    return tail > head ? tail - head : 0;
  }
  [[nodiscard]] size_t capacity() const noexcept { return m_mask + 1; }

 private:
  struct Cell {
    std::atomic<size_t> sequence;
    T value;
  };
  size_t m_mask = 0;
  std::unique_ptr<Cell[]> m_cells;
  alignas(64) std::atomic<size_t> m_tail{0};
  alignas(64) std::atomic<size_t> m_head{0};
};

}  // namespace perfscope::collector
