// Launch configurations -> shape ids.
#include "collector/spool/shape_table.h"

#include <algorithm>
#include <cstring>

#include "collector/spool/name_table.h"

namespace perfscope::collector {
namespace {

size_t powerOfTwo(size_t value) {
  size_t power = 2;
  while (power < value) power *= 2;
  return power;
}

bool sameShape(const spool::LaunchShape& stored, const spool::LaunchShape& wanted) noexcept {
  spool::LaunchShape plain = stored;
  plain.shape_id = 0;
  return std::memcmp(&plain, &wanted, sizeof(plain)) == 0;
}

}  // namespace

ShapeTable::ShapeTable(RecordSink sink, LossTally& losses, size_t capacity)
    : m_sink(sink),
      m_losses(losses),
      m_mask(powerOfTwo(capacity) - 1),
      m_limit(std::max<size_t>(1, (m_mask + 1) * 7 / 8)),
      m_shapes(std::make_unique<spool::LaunchShape[]>(m_mask + 1)) {}

uint32_t ShapeTable::intern(spool::LaunchShape shape) noexcept {
  size_t cell = hashBytes(&shape, sizeof(shape)) & m_mask;
  while (m_shapes[cell].shape_id != 0) {
    if (sameShape(m_shapes[cell], shape)) return m_shapes[cell].shape_id;
    cell = (cell + 1) & m_mask;
  }
  shape.shape_id = m_next_id++;
  if (m_used < m_limit) {
    m_shapes[cell] = shape;
    ++m_used;
  } else {
    m_losses.count(Loss::ShapeTableFull);
  }
  m_sink.put(shape);
  return shape.shape_id;
}

}  // namespace perfscope::collector
