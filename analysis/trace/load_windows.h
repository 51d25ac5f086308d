// When collection was on: --steps, --delay, --duration, --capture.
#pragma once

#include "analysis/trace/trace.h"
#include "schemas/trace_reader.h"

namespace perfscope {

// Fills Trace::unrecorded and Trace::paused. Needs the processes and process_index. Errors: those of the
// reader.
[[nodiscard]] Status loadWindows(const TraceReader& reader, Trace& trace);

// Fills Trace::device_paused: a device's time is known only while every process that used it was recorded.
// Needs paused and the sorted records.
void findDevicePauses(Trace& trace);

}  // namespace perfscope
