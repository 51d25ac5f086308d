// A hand-filled Report for the renderers' tests: two GPUs, every part present, the usual things missing.
#pragma once

#include "analysis/report/report.h"

namespace perfscope::test {

// Every number is made up; sums are consistent (kernel shares, gap causes).
Report sampleReport();

// What a program without GPU work gives: empty lists, reasons instead of values.
Report emptyReport();

// The sample with everything that can break a layout: 5000-character names, escape sequences, torn UTF-8, the
// largest integers, NaN and infinity.
Report hostileReport();

}  // namespace perfscope::test
