// The spool of this process: appends records to segment files, one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "collector/hot/loss_tally.h"
#include "collector/spool/record_sink.h"
#include "collector/spool/segment.h"
#include "schemas/spool_format.h"

namespace perfscope::collector {

// The drain thread is its only user. A disk that is full costs records (Loss::SpoolFull), never the target; a
// new segment is tried again once a second. Sequence numbers have no holes.
class SpoolWriter {
 public:
  SpoolWriter(std::string folder, spool::ControlBlock& control, LossTally& losses);

  void append(const spool::Record& record) noexcept;
  // Marks the last segment closed; a later append begins a new one.
  void closeSegment() noexcept;
  [[nodiscard]] RecordSink sink() noexcept {
    return RecordSink{this,
                      [](void* self, const spool::Record& r) { static_cast<SpoolWriter*>(self)->append(r); }};
  }
  // From now on records are dropped, uncounted: the recorder has said that it can store no more.
  void refuse() noexcept {
    closeSegment();
    m_refusing = true;
  }
  // Why the last segment could not be made, once, for the line on stderr.
  [[nodiscard]] std::optional<Error> takeError() noexcept;

 private:
  bool makeRoom() noexcept;

  std::string m_folder;
  spool::ControlBlock& m_control;
  LossTally& m_losses;
  Segment m_segment;
  uint32_t m_sequence = 0;
  uint64_t m_retry_ns = 0;  // CLOCK_MONOTONIC, before which no new segment is tried
  std::optional<Error> m_error;
  bool m_error_taken = false;
  bool m_refusing = false;
};

}  // namespace perfscope::collector
