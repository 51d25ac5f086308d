// Memory that CUPTI fills.
#include "collector/hot/buffer_pool.h"

#include <sys/mman.h>

#include <cstring>
#include <initializer_list>

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

BufferPool::BufferPool(size_t buffer_bytes, uint32_t most, uint32_t least)
    : m_buffer_bytes(roundUpToPage(buffer_bytes)), m_free(most), m_free_spares(kSpares) {
  for (const uint32_t count : {most, least}) {
    m_buffers = mapPages(count * m_buffer_bytes);
    if (m_buffers == nullptr) continue;
    m_count = count;
    break;
  }
  m_spares = mapPages(kSpares * m_buffer_bytes);
  for (uint32_t i = m_count; i > 0; --i) m_free.push(i - 1);
  for (uint32_t i = kSpares; m_spares != nullptr && i > 0; --i) m_free_spares.push(i - 1);
}

BufferPool::~BufferPool() {
  if (m_buffers != nullptr) ::munmap(m_buffers, m_count * m_buffer_bytes);
  if (m_spares != nullptr) ::munmap(m_spares, kSpares * m_buffer_bytes);
}

uint8_t* BufferPool::take() noexcept {
  const uint32_t index = m_free.pop();
  return index != FreeStack::kNone ? m_buffers + index * m_buffer_bytes : nullptr;
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
  return m_buffers != nullptr && buffer >= m_buffers && buffer < m_buffers + m_count * m_buffer_bytes;
}

void BufferPool::giveBack(uint8_t* buffer, size_t bytes) noexcept {
  if (keeps(buffer)) {
    std::memset(buffer, 0, m_buffer_bytes);
    m_free.push(indexIn(m_buffers, buffer));
  } else if (isSpare(buffer)) {
    std::memset(buffer, 0, m_buffer_bytes);
    m_free_spares.push(indexIn(m_spares, buffer));
  } else if (buffer != nullptr) {
    ::munmap(buffer, bytes);
  }
}

}  // namespace perfscope::collector
