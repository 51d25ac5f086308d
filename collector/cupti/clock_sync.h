// One reading of all clocks, so that a reader can tell steps of the wall clock and convert times.
#pragma once

#include "collector/cupti/cupti_api.h"
#include "schemas/spool_format.h"

namespace perfscope::collector {

// Reads monotonic, realtime, TSC and CUPTI time between two reads of the monotonic clock; the narrowest of a
// few brackets wins. `api` may be null (cupti_ns = 0). Pure but for the clocks; about 1 us.
spool::ClockSync readClocks(const CuptiApi* api) noexcept;

}  // namespace perfscope::collector
