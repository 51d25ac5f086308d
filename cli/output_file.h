// A file that a verb writes with -o: under its name only when it is whole.
#pragma once

#include <string>
#include <string_view>

#include "schemas/result.h"

namespace perfscope::cli {

// Writes beside the target and renames. Errors: Output (exists and not forced, folder missing, disk full).
[[nodiscard]] Status writeOutputFile(const std::string& path, std::string_view text, bool force);

}  // namespace perfscope::cli
