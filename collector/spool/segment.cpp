// One segment file.
#include "collector/spool/segment.h"

#include <cstring>
#include <new>

#include "schemas/spool_names.h"

namespace perfscope::collector {

Result<Segment> Segment::create(const std::string& folder, uint64_t process_start_ns, uint32_t pid,
                                uint32_t sequence) {
  auto file = MappedFile::create(folder + "/" + segmentFileName(sequence), spool::kSegmentBytes);
  if (!file) return tl::unexpected(file.error());
  Segment segment;
  segment.m_file = std::move(*file);
  auto* header = new (segment.m_file.data()) spool::SegmentHeader{};
  header->version = spool::kFormatVersion;
  header->record_bytes = spool::kRecordBytes;
  header->process_start_ns = process_start_ns;
  header->pid = pid;
  header->sequence = sequence;
  header->state.store(spool::SegmentState::Open, std::memory_order_relaxed);
  // The magic comes last: a reader that finds it finds the rest.
  __atomic_store_n(&header->magic, spool::kSegmentMagic, __ATOMIC_RELEASE);  // libc++ lacks std::atomic_ref
  return segment;
}

void Segment::append(const spool::Record& record) noexcept {
  auto* slots = static_cast<unsigned char*>(m_file.data()) + spool::kSegmentHeaderBytes;
  std::memcpy(slots + static_cast<size_t>(m_used) * spool::kRecordBytes, record.bytes, spool::kRecordBytes);
  ++m_used;
  header().published.store(m_used, std::memory_order_release);
}

void Segment::close() noexcept {
  if (!m_file) return;
  header().state.store(spool::SegmentState::Closed, std::memory_order_release);
  m_file = MappedFile();
}

}  // namespace perfscope::collector
