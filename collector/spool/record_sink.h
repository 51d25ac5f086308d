// Where finished records go: the spool in production, a vector in tests.
#pragma once

#include <cstring>

#include "schemas/spool_format.h"

namespace perfscope::collector {

struct RecordSink {
  void* self = nullptr;
  void (*append)(void* self, const spool::Record& record) = nullptr;

  template <class T>
  void put(const T& record) const {
    static_assert(sizeof(T) == spool::kRecordBytes);
    spool::Record raw;
    std::memcpy(raw.bytes, &record, sizeof(record));
    append(self, raw);
  }
};

}  // namespace perfscope::collector
