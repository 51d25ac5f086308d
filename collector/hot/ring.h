// One thread's way out: a lock-free ring of 64-byte records with inline texts, one writer, one reader.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "schemas/spool_format.h"

namespace perfscope::collector {

inline constexpr size_t kMaxTextBytes = 4096;  // of one text in a ring; longer ones are cut and marked

// Memory belongs to the caller of `attach`. Writer: the application thread that owns it. Reader: the drain
// thread. In a ring `head.thread` of a record holds the number of text bytes that follow it (the thread is
// the ring's own).
class Ring {
 public:
  // `slots`: `capacity` records (a power of two), zero or not.
  void attach(spool::Record* slots, uint32_t capacity) noexcept {
    m_slots = slots;
    m_mask = capacity - 1;
    reset();
  }
  void reset() noexcept {
    m_head.store(0, std::memory_order_relaxed);
    m_tail.store(0, std::memory_order_relaxed);
    m_known_tail = 0;
  }
  [[nodiscard]] bool attached() const noexcept { return m_slots != nullptr; }
  [[nodiscard]] uint32_t capacity() const noexcept { return m_mask + 1; }

  // Writer. False when the ring has no room for the record and its text (then nothing was written).
  template <class T>
  bool push(const T& record, std::string_view text = {}) noexcept {
    static_assert(sizeof(T) == spool::kRecordBytes);
    if (text.size() > kMaxTextBytes) text = text.substr(0, kMaxTextBytes);
    const uint64_t needed = 1 + (text.size() + spool::kRecordBytes - 1) / spool::kRecordBytes;
    const uint64_t head = m_head.load(std::memory_order_relaxed);
    if (!hasRoom(head, needed)) return false;
    spool::Record& first = m_slots[head & m_mask];
    std::memcpy(&first, &record, sizeof(record));
    const auto bytes = static_cast<uint32_t>(text.size());
    std::memcpy(first.bytes + offsetof(spool::RecordHead, thread), &bytes, sizeof(bytes));
    for (uint64_t i = 1; i < needed; ++i) {
      const std::string_view part = text.substr((i - 1) * spool::kRecordBytes, spool::kRecordBytes);
      std::memcpy(m_slots[(head + i) & m_mask].bytes, part.data(), part.size());
    }
    m_head.store(head + needed, std::memory_order_release);
    return true;
  }

  // Reader: calls consume(record, text) for everything present; returns how many records. `text` lives in
  // `scratch` (kMaxTextBytes) only during the call.
  template <class Consume>
  size_t drain(char* scratch, Consume&& consume) {
    const uint64_t head = m_head.load(std::memory_order_acquire);
    uint64_t tail = m_tail.load(std::memory_order_relaxed);
    size_t records = 0;
    while (tail < head) {
      const spool::Record& record = m_slots[tail & m_mask];
      uint32_t bytes = 0;
      std::memcpy(&bytes, record.bytes + offsetof(spool::RecordHead, thread), sizeof(bytes));
      for (uint32_t copied = 0; copied < bytes; copied += spool::kRecordBytes) {
        const uint32_t part = bytes - copied < spool::kRecordBytes ? bytes - copied : spool::kRecordBytes;
        ++tail;
        std::memcpy(scratch + copied, m_slots[tail & m_mask].bytes, part);
      }
      ++tail;
      consume(record, std::string_view(scratch, bytes));
      m_tail.store(tail, std::memory_order_release);
      ++records;
    }
    return records;
  }

  [[nodiscard]] bool empty() const noexcept {
    return m_head.load(std::memory_order_acquire) == m_tail.load(std::memory_order_acquire);
  }

 private:
  bool hasRoom(uint64_t head, uint64_t needed) noexcept {
    if (head + needed - m_known_tail <= capacity()) return true;
    m_known_tail = m_tail.load(std::memory_order_acquire);
    return head + needed - m_known_tail <= capacity();
  }

  spool::Record* m_slots = nullptr;
  uint32_t m_mask = 0;
  alignas(64) std::atomic<uint64_t> m_head{0};
  uint64_t m_known_tail = 0;  // the writer's copy: spares it the reader's cache line
  alignas(64) std::atomic<uint64_t> m_tail{0};
};

}  // namespace perfscope::collector
