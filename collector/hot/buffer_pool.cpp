// Memory that CUPTI fills.
#include "collector/hot/buffer_pool.h"

#include <sys/mman.h>

#include <cstring>

namespace perfscope::collector {
namespace {

// Lazily backed: a buffer costs memory only once CUPTI writes into it.
uint8_t* mapPages(size_t bytes) noexcept {
  void* address =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return address == MAP_FAILED ? nullptr : static_cast<uint8_t*>(address);
}

constexpr size_t kPage = 4096;
constexpr size_t roundUpToPage(size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

BufferPool::BufferPool(size_t buffer_bytes, uint32_t count)
    : m_buffer_bytes(roundUpToPage(buffer_bytes)),
      m_count(count == 0 ? 1 : count),
      m_free(m_count * kMaxChunks),
      m_free_spares(kSpares) {
  addChunk();
  m_spares = mapPages(kSpares * m_buffer_bytes);
  for (uint32_t i = kSpares; m_spares != nullptr && i > 0; --i) m_free_spares.push(i - 1);
}

BufferPool::~BufferPool() {
  for (auto& chunk : m_chunks) {
    if (uint8_t* pages = chunk.load(std::memory_order_relaxed)) ::munmap(pages, m_count * m_buffer_bytes);
  }
  if (m_spares != nullptr) ::munmap(m_spares, kSpares * m_buffer_bytes);
}

bool BufferPool::addChunk() noexcept {
  const uint32_t index = m_chunk_count.load(std::memory_order_relaxed);
  if (index >= kMaxChunks) return false;
  uint8_t* pages = mapPages(m_count * m_buffer_bytes);
  if (pages == nullptr) return false;
  m_chunks[index].store(pages, std::memory_order_release);
  m_chunk_count.store(index + 1, std::memory_order_release);
  for (uint32_t i = m_count; i > 0; --i) m_free.push(index * m_count + i - 1);
  return true;
}

uint8_t* BufferPool::bufferAt(uint32_t index) const noexcept {
  return m_chunks[index / m_count].load(std::memory_order_acquire) +
         static_cast<size_t>(index % m_count) * m_buffer_bytes;
}

uint32_t BufferPool::indexOf(const uint8_t* buffer) const noexcept {
  for (uint32_t chunk = 0; chunk < kMaxChunks; ++chunk) {
    const uint8_t* pages = m_chunks[chunk].load(std::memory_order_acquire);
    if (pages != nullptr && buffer >= pages && buffer < pages + m_count * m_buffer_bytes)
      return chunk * m_count + static_cast<uint32_t>(static_cast<size_t>(buffer - pages) / m_buffer_bytes);
  }
  return FreeStack::kNone;
}

uint8_t* BufferPool::take() noexcept {
  const uint32_t index = m_free.pop();
  return index != FreeStack::kNone ? bufferAt(index) : nullptr;
}

uint8_t* BufferPool::takeThrowAway(size_t& bytes) noexcept {
  bytes = m_buffer_bytes;
  const uint32_t index = m_free_spares.pop();
  if (index != FreeStack::kNone) return m_spares + index * m_buffer_bytes;
  bytes = kEmergencyBytes;  // a system call on the application's thread: the lesser evil than crashing it
  return mapPages(kEmergencyBytes);
}

bool BufferPool::isSpare(const uint8_t* buffer) const noexcept {
  return m_spares != nullptr && buffer >= m_spares && buffer < m_spares + kSpares * m_buffer_bytes;
}

bool BufferPool::keeps(const uint8_t* buffer) const noexcept {
  return indexOf(buffer) != FreeStack::kNone;
}

void BufferPool::giveBack(uint8_t* buffer, size_t bytes) noexcept {
  if (const uint32_t index = indexOf(buffer); index != FreeStack::kNone) {
    std::memset(buffer, 0, m_buffer_bytes);
    m_free.push(index);
  } else if (isSpare(buffer)) {
    std::memset(buffer, 0, m_buffer_bytes);
    m_free_spares.push(static_cast<uint32_t>(static_cast<size_t>(buffer - m_spares) / m_buffer_bytes));
  } else if (buffer != nullptr) {
    ::munmap(buffer, bytes);
  }
}

void BufferPool::growIfLow() noexcept {
  if (m_free.size() * 4 < totalCount()) addChunk();
}

}  // namespace perfscope::collector
