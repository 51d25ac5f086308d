// The perfscope executable: words in, exit code out. Verbs are in command_table.cpp.
#include <string>
#include <vector>

#include "cli/command_line.h"

int main(int argc, char** argv) {
  auto console = perfscope::cli::standardConsole();
  return perfscope::cli::runCommandLine(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc),
                                        console);
}
