// One line a verb.
#include "cli/command_table.h"

namespace perfscope::cli {

const std::vector<Command>& commandTable() {
  static const std::vector<Command> kTable = {
      runCommand(),      reportCommand(),    rooflineCommand(),    queryCommand(),
      hardwareCommand(), calibrateCommand(), calcCommand(),        doctorCommand(),
      recoverCommand(),  schemaCommand(),    completionsCommand(),
  };
  return kTable;
}

}  // namespace perfscope::cli
