// One preallocated, memory-mapped segment file with one writer.
#pragma once

#include <cstdint>
#include <string>

#include "collector/spool/mapped_file.h"
#include "schemas/result.h"
#include "schemas/spool_format.h"

namespace perfscope::collector {

// Drain thread only. A published record is never changed.
class Segment {
 public:
  Segment() = default;
  static Result<Segment> create(const std::string& folder, uint64_t process_start_ns, uint32_t pid,
                                uint32_t sequence);

  [[nodiscard]] bool open() const noexcept { return static_cast<bool>(m_file); }
  [[nodiscard]] bool full() const noexcept { return m_used == spool::kRecordsPerSegment; }
  // Stores the record, then the count with release order. Precondition: open and not full.
  void append(const spool::Record& record) noexcept;
  // Says that nothing will be added, and unmaps the file.
  void close() noexcept;

 private:
  [[nodiscard]] spool::SegmentHeader& header() const noexcept {
    return *static_cast<spool::SegmentHeader*>(m_file.data());
  }
  MappedFile m_file;
  uint32_t m_used = 0;
};

}  // namespace perfscope::collector
