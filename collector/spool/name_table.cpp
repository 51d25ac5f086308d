// Texts -> string ids.
#include "collector/spool/name_table.h"

#include <algorithm>
#include <cstring>

namespace perfscope::collector {
namespace {

size_t powerOfTwo(size_t value) {
  size_t power = 2;
  while (power < value) power *= 2;
  return power;
}

__extension__ using Wide = unsigned __int128;

uint64_t fold(uint64_t a, uint64_t b) noexcept {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace

uint64_t hashBytes(const void* data, size_t bytes) noexcept {
  constexpr uint64_t kOdd1 = 0x9E3779B97F4A7C15;  // golden ratio
  constexpr uint64_t kOdd2 = 0xC2B2AE3D27D4EB4F;
  const auto* at = static_cast<const unsigned char*>(data);
  uint64_t hash = kOdd2 ^ (bytes * kOdd1);
  for (; bytes >= 8; at += 8, bytes -= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = fold(hash ^ word, kOdd1);
  }
  uint64_t rest = 0;
  std::memcpy(&rest, at, bytes);
  return fold(hash ^ rest ^ (static_cast<uint64_t>(bytes) << 56), kOdd2) | 1;  // never 0: 0 marks a free cell
}

NameTable::NameTable(RecordSink sink, LossTally& losses, size_t capacity)
    : m_sink(sink),
      m_losses(losses),
      m_mask(powerOfTwo(capacity) - 1),
      m_limit(std::max<size_t>(1, (m_mask + 1) * 7 / 8)),
      m_entries(std::make_unique<Entry[]>(m_mask + 1)) {}

uint32_t NameTable::intern(std::string_view text) noexcept {
  const uint64_t hash = hashBytes(text.data(), text.size());
  size_t cell = hash & m_mask;
  while (m_entries[cell].hash != 0) {
    if (m_entries[cell].hash == hash && m_entries[cell].length == text.size()) return m_entries[cell].id;
    cell = (cell + 1) & m_mask;
  }
  const uint32_t id = m_next_id++;
  if (m_used < m_limit) {
    m_entries[cell] = Entry{hash, static_cast<uint32_t>(text.size()), id};
    ++m_used;
  } else {
    m_losses.count(Loss::StringTableFull);
  }
  write(id, text);
  return id;
}

void NameTable::write(uint32_t id, std::string_view text) noexcept {
  constexpr size_t kMaxChunks = 65535;  // offset_chunks is 16 bits; 3 MB of one name is beyond any real one
  text = text.substr(0, kMaxChunks * spool::kChunkTextBytes);
  size_t offset = 0;
  do {
    const size_t length = std::min(text.size() - offset, spool::kChunkTextBytes);
    spool::StringChunk chunk{};
    chunk.head.kind = spool::Kind::StringChunk;
    chunk.head.flags = offset + length == text.size() ? 1 : 0;
    chunk.string_id = id;
    chunk.offset_chunks = static_cast<uint16_t>(offset / spool::kChunkTextBytes);
    chunk.length = static_cast<uint16_t>(length);
    std::memcpy(chunk.text, text.data() + offset, length);
    m_sink.put(chunk);
    offset += length;
  } while (offset < text.size());
}

}  // namespace perfscope::collector
