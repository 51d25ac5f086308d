// Launch configurations -> shape ids of this process: written to the spool once, before their first use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "collector/hot/loss_tally.h"
#include "collector/spool/record_sink.h"
#include "schemas/spool_format.h"

namespace perfscope::collector {

// Drain thread only. Fixed capacity: a shape that finds the table full is written again
// (Loss::ShapeTableFull).
class ShapeTable {
 public:
  ShapeTable(RecordSink sink, LossTally& losses, size_t capacity = 16384);
  // `shape` with shape_id 0 and every unused byte 0; equal bytes give the same id, from 1.
  uint32_t intern(spool::LaunchShape shape) noexcept;

 private:
  RecordSink m_sink;
  LossTally& m_losses;
  size_t m_mask;
  size_t m_limit;
  size_t m_used = 0;
  uint32_t m_next_id = 1;
  std::unique_ptr<spool::LaunchShape[]> m_shapes;  // shape_id 0 = free cell
};

}  // namespace perfscope::collector
