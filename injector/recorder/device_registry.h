// One row per physical GPU and host, whatever ordinal a process gives it. Owner: the recorder's thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "injector/recorder/row_batch.h"

namespace perfscope {

class DeviceRegistry {
 public:
  explicit DeviceRegistry(RowBatch& batch) : m_batch(&batch) {}

  // The row of a GPU by host and UUID (empty: unknown, then host, ordinal and name tell GPUs apart); made
  // when it is new. Change it and call save().
  DeviceRow& identify(int64_t host_id, const std::string& uuid, int64_t ordinal, const std::string& name);
  DeviceRow* find(int64_t id);
  void load(const DeviceRow& row) { m_rows[row.id] = row; }
  void save(const DeviceRow& row) { m_batch->put(row); }
  [[nodiscard]] const std::map<int64_t, DeviceRow>& rows() const { return m_rows; }

 private:
  RowBatch* m_batch;
  std::map<int64_t, DeviceRow> m_rows;
};

// 16 bytes -> "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" ("MIG-..." for an instance); all zero -> "".
std::string uuidText(const unsigned char (&bytes)[16], bool mig);

}  // namespace perfscope
