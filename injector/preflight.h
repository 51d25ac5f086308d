// What must hold on this machine before recording makes sense: each check explains itself and its cure.
// `doctor` prints all of them; `run` asks for its own three (see run_session.cpp).
#pragma once

#include <string>
#include <vector>

namespace perfscope {

enum class CheckStatus { Ok, Notice, Warning, Fatal };

struct Check {
  std::string id;  // stable, lower_snake: driver, collector, cupti, counter_permission, ...
  CheckStatus status = CheckStatus::Ok;
  std::string title;   // what was looked at
  std::string found;   // what is there, with paths and versions
  std::string remedy;  // empty when nothing is to be done
};

// "ok", "notice", "warning" or "fatal".
const char* checkStatusName(CheckStatus status);

struct PreflightInput {
  std::vector<std::string> command;  // may be empty: then the program checks are left out
  std::string output_dir;            // folder of the profile; empty = the working folder
  std::string collector_library;     // empty = found as runSession finds it
};

// All checks, in the order of reading. Touches nothing but its own probe file in output_dir; loads libcuda
// (cuDriverGetVersion only: no context, no GPU memory).
std::vector<Check> preflight(const PreflightInput& input);

// Path of libperfscope_collector.so: `wanted`, else $PERFSCOPE_COLLECTOR, else beside the running program
// (../lib, ../lib/perfscope, .). Empty when there is none.
std::string findCollectorLibrary(const std::string& wanted);

}  // namespace perfscope
