// Memory that CUPTI fills: buffers mapped ahead of time, handed out and taken back without a lock.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collector/hot/free_stack.h"

namespace perfscope::collector {

// The take functions run on application threads inside CUPTI; everything else runs on the drain thread.
// Buffers are only reserved address space until CUPTI writes into them, and the last one given back is the
// first one taken: memory in use follows what the program needs. They are zeroed when handed out, because
// CUPTI is told so (ZEROED_OUT_ACTIVITY_BUFFER) and need not clear them on the application's time.
class BufferPool {
 public:
  static constexpr uint32_t kSpares = 8;  // throw-away buffers for a CUPTI that cannot be refused
  static constexpr size_t kEmergencyBytes = size_t{64} * 1024;  // of the last resort

  // `most` buffers of `buffer_bytes` (rounded up to pages); as few as `least` where address space is limited.
  BufferPool(size_t buffer_bytes, uint32_t most, uint32_t least);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // 0 when not even the least could be mapped.
  [[nodiscard]] uint32_t totalCount() const noexcept { return m_count; }
  [[nodiscard]] size_t bufferBytes() const noexcept { return m_buffer_bytes; }
  [[nodiscard]] size_t freeCount() const noexcept { return m_free.size(); }

  // A zeroed buffer of bufferBytes(), or null when all are in use.
  uint8_t* take() noexcept;
  // For CUPTI before 12.9, which crashes when refused (Kineto): a buffer whose records are thrown away. Null
  // only when the system has no memory left. `bytes` receives its size.
  uint8_t* takeThrowAway(size_t& bytes) noexcept;
  // Whether records in this buffer count (false: throw-away).
  [[nodiscard]] bool keeps(const uint8_t* buffer) const noexcept;
  // Drain thread: clears the buffer and makes it available again. `bytes`: size CUPTI was given.
  void giveBack(uint8_t* buffer, size_t bytes) noexcept;

 private:
  [[nodiscard]] bool isSpare(const uint8_t* buffer) const noexcept;
  [[nodiscard]] uint32_t indexIn(const uint8_t* region, const uint8_t* buffer) const noexcept {
    return static_cast<uint32_t>(static_cast<size_t>(buffer - region) / m_buffer_bytes);
  }

  size_t m_buffer_bytes;
  uint32_t m_count = 0;
  uint8_t* m_buffers = nullptr;
  uint8_t* m_spares = nullptr;
  FreeStack m_free;
  FreeStack m_free_spares;
};

}  // namespace perfscope::collector
