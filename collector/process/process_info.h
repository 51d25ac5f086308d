// Who this process is: command line, executable, host, rank, and the allowed part of its environment.
#pragma once

#include <cstdint>
#include <string>

namespace perfscope::collector {

struct ProcessInfo {
  uint32_t pid = 0, parent_pid = 0;
  int32_t rank = -1, world_size = -1, local_rank = -1;  // -1 unknown
  std::string command;  // arguments joined with 0x1f; only the program with store_arguments = false
  std::string executable;
  std::string host;
  std::string environment;  // allow-listed NAME=value, joined with 0x1f
};

// Reads /proc and the environment. Cold; never fails: what cannot be read stays empty.
ProcessInfo readProcessInfo(bool store_arguments);

// Whether a variable of this name may be stored: an explicit list of names that explain a GPU run, nothing
// else, so that no secret can enter a profile. Pure.
bool mayStoreVariable(const char* name, size_t length);

// The first of the usual launchers' variables that holds a number (torchrun, Open MPI, MPICH, Slurm). Pure
// but for the environment.
struct RankVariables {
  int32_t rank = -1, world_size = -1, local_rank = -1;
};
RankVariables readRank(const char* const* environment);

}  // namespace perfscope::collector
