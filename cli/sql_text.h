// Looks at SQL text before SQLite does: how many statements, and which kind. Pure.
#pragma once

#include <string>
#include <string_view>

#include "schemas/result.h"

namespace perfscope::cli {

// The statements of `sql` that are not empty (quotes and comments respected).
[[nodiscard]] size_t countStatements(std::string_view sql);

// First word in upper case, comments skipped: "SELECT".
[[nodiscard]] std::string firstKeyword(std::string_view sql);

// Usage error unless `sql` is one statement that begins like a question: SELECT, WITH, VALUES, EXPLAIN or
// PRAGMA. The file is opened read-only besides; this refuses what could still write elsewhere (VACUUM INTO,
// ATTACH).
[[nodiscard]] Status checkQuestion(std::string_view sql);

}  // namespace perfscope::cli
