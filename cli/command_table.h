// The list of verbs: the dispatch, the help and the shell completions all read it.
#pragma once

#include <vector>

#include "cli/command.h"

namespace perfscope::cli {

[[nodiscard]] Command runCommand();
[[nodiscard]] Command reportCommand();
[[nodiscard]] Command rooflineCommand();
[[nodiscard]] Command queryCommand();
[[nodiscard]] Command hardwareCommand();
[[nodiscard]] Command calcCommand();
[[nodiscard]] Command calibrateCommand();
[[nodiscard]] Command doctorCommand();
[[nodiscard]] Command recoverCommand();
[[nodiscard]] Command schemaCommand();
[[nodiscard]] Command completionsCommand();

// In the order of the help. The list lives until the program ends.
[[nodiscard]] const std::vector<Command>& commandTable();

}  // namespace perfscope::cli
