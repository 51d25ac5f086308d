// Memory that CUPTI fills: buffers mapped ahead of time, handed out and taken back without a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collector/hot/free_stack.h"

namespace perfscope::collector {

// `take` runs on application threads inside CUPTI; everything else runs on the drain thread. The pool begins
// with `count` buffers and may grow to kMaxChunks times as many (never inside `take`). Buffers are zeroed
// when handed out, because CUPTI is told so (ZEROED_OUT_ACTIVITY_BUFFER) and need not clear them on the
// application's time.
class BufferPool {
 public:
  static constexpr uint32_t kMaxChunks = 4;
  static constexpr uint32_t kSpares = 8;  // throw-away buffers for a CUPTI that cannot be refused
  static constexpr size_t kEmergencyBytes = 64 * 1024;  // of the last resort

  BufferPool(size_t buffer_bytes, uint32_t count);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // False when the first chunk could not be mapped (address space limit).
  [[nodiscard]] bool valid() const noexcept { return m_chunk_count.load(std::memory_order_relaxed) > 0; }
  [[nodiscard]] size_t bufferBytes() const noexcept { return m_buffer_bytes; }
  [[nodiscard]] size_t freeCount() const noexcept { return m_free.size(); }
  [[nodiscard]] size_t totalCount() const noexcept {
    return static_cast<size_t>(m_chunk_count.load(std::memory_order_relaxed)) * m_count;
  }

  // A zeroed buffer of bufferBytes(), or null when all are in use.
  uint8_t* take() noexcept;
  // For CUPTI before 12.9, which crashes when refused (Kineto): a buffer whose records are thrown away. Null
  // only when the system has no memory left. `bytes` receives its size.
  uint8_t* takeThrowAway(size_t& bytes) noexcept;
  // Whether records in this buffer count (false: throw-away).
  [[nodiscard]] bool keeps(const uint8_t* buffer) const noexcept;
  // Drain thread: clears the buffer and makes it available again. `bytes`: size CUPTI was given.
  void giveBack(uint8_t* buffer, size_t bytes) noexcept;
  // Drain thread: maps another chunk when fewer than a quarter of the buffers are free.
  void growIfLow() noexcept;

 private:
  bool addChunk() noexcept;
  [[nodiscard]] uint8_t* bufferAt(uint32_t index) const noexcept;
  [[nodiscard]] uint32_t indexOf(const uint8_t* buffer) const noexcept;  // FreeStack::kNone: not one of the pool
  [[nodiscard]] bool isSpare(const uint8_t* buffer) const noexcept;

  size_t m_buffer_bytes;
  uint32_t m_count;
  std::array<std::atomic<uint8_t*>, kMaxChunks> m_chunks{};
  std::atomic<uint32_t> m_chunk_count{0};
  uint8_t* m_spares = nullptr;
  FreeStack m_free;
  FreeStack m_free_spares;
};

}  // namespace perfscope::collector
