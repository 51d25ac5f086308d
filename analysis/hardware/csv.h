// A small CSV reader: quoted cells, doubled quotes, comment lines; every cell knows its line for error
// messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/result.h"

namespace perfscope::hardware {

struct CsvRow {
  std::size_t line = 0;  // first line of the row in the text, 1-based
  std::vector<std::string> cells;
};

// Splits CSV text (RFC 4180: comma, double quotes, CR LF or LF) into rows. Lines that start with '#' outside
// quotes and empty lines are skipped. Error: InputRefused with line and column for an unclosed quote, text
// after a closing quote, a quote inside an unquoted cell or a NUL byte. `where` names the text in errors.
[[nodiscard]] Result<std::vector<CsvRow>> parseCsv(std::string_view text, std::string_view where);

}  // namespace perfscope::hardware
