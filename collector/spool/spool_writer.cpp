// The spool of this process.
#include "collector/spool/spool_writer.h"

#include <utility>

#include "collector/process/clock.h"

namespace perfscope::collector {
namespace {
constexpr uint64_t kRetryNs = 1'000'000'000;
}

SpoolWriter::SpoolWriter(std::string folder, spool::ControlBlock& control, LossTally& losses)
    : m_folder(std::move(folder)), m_control(control), m_losses(losses) {}

bool SpoolWriter::makeRoom() noexcept {
  if (m_segment.open() && !m_segment.full()) return true;
  closeSegment();
  const uint64_t now = monotonicNs();
  if (now < m_retry_ns) return false;
  try {
    auto segment = Segment::create(m_folder, m_control.start_ns, m_control.pid, m_sequence + 1);
    if (segment) {
      m_segment = std::move(*segment);
      ++m_sequence;
      m_control.last_segment.store(m_sequence, std::memory_order_release);
      return true;
    }
    if (!m_error) m_error = segment.error();
  } catch (...) {  // out of memory while making a path: as good as a full disk
  }
  m_retry_ns = now + kRetryNs;
  return false;
}

void SpoolWriter::append(const spool::Record& record) noexcept {
  if (m_refusing) return;
  if (!makeRoom()) {
    m_losses.count(Loss::SpoolFull);
    return;
  }
  m_segment.append(record);
  // One writer: no read-modify-write is needed.
  m_control.records.store(m_control.records.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void SpoolWriter::closeSegment() noexcept {
  m_segment.close();
}

std::optional<Error> SpoolWriter::takeError() noexcept {
  if (!m_error || m_error_taken) return std::nullopt;
  m_error_taken = true;
  return m_error;
}

}  // namespace perfscope::collector
