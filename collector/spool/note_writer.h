// Ledger lines of the collector, as records.
#pragma once

#include <cstdint>
#include <string_view>

#include "collector/process/clock.h"
#include "collector/spool/name_table.h"
#include "collector/spool/record_sink.h"
#include "schemas/spool_format.h"

namespace perfscope::collector {

// Drain thread only. `value`: an error code or a count, by note; `detail` may be empty.
inline void writeNote(RecordSink sink, NameTable& names, spool::NoteId id, std::string_view detail,
                      int64_t value) {
  spool::Note note{};
  note.head.kind = spool::Kind::Note;
  note.time_ns = realtimeNs();
  note.id = id;
  note.text_id = detail.empty() ? 0 : names.intern(detail);
  note.value = value;
  sink.put(note);
}

}  // namespace perfscope::collector
