// The words people read for the ids of the report: bindings, gap causes, verdicts. One table each; an id that
// is not in the table is shown as it is.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "analysis/report/measured.h"
#include "analysis/report/report.h"

namespace perfscope::words {

struct Word {
  std::string_view id, title, meaning;
};

// What binds the program: title is the headline, meaning the explanation. "memory" is only presumed where
// most of the time behind it is that of kernels whose bytes nobody counted, judged by their kind alone.
const Word& binding(const Report& report, std::string_view id);
// Why the GPU stood still.
const Word& gapCause(std::string_view id);
// Where a kernel lies against the roofline; title is short enough for a table.
const Word& roofline(std::string_view id);

// "host submission" for an id such as host_submission that has no entry.
std::string title(const Word& word, std::string_view id);

std::string notMeasured(std::string_view why);

// The value through `print`, or "not measured, because ...".
template <class T, class Print>
std::string orWhy(const Measured<T>& measured, Print&& print) {
  return measured.has() ? print(*measured) : notMeasured(measured.why);
}

}  // namespace perfscope::words
