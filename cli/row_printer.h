// Rows of a query -> table, CSV or JSON on a stream. Rows stream through; only the table looks ahead for its
// widths.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "schemas/database.h"

namespace perfscope::cli {

enum class RowFormat { Table, Csv, Json };

// Steps `statement` to its end and prints every row. NULL is "NULL" in a table, empty in CSV, null in JSON.
// Table cells longer than 80 columns are shortened in the middle; CSV and JSON are exact. In JSON
// columns of one name are told apart as name, name_2, name_3. Errors: those of
// SQLite; stops quietly when the stream breaks.
Status printRows(Statement& statement, RowFormat format, std::ostream& out);

}  // namespace perfscope::cli
