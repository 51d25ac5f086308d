// Pure: command + configuration + environment -> the argv and environment of the target, with the three
// doors of the collector in them. Values the user had set are chained or reported, never silently replaced.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "schemas/collector_config.h"
#include "schemas/loss_counters.h"

namespace perfscope {

using Environment = std::map<std::string, std::string>;

// A line for the ledger and the terminal. `severity` as in the table `ledger`.
struct PlanNote {
  Severity severity = Severity::Notice;
  std::string name;  // stable id
  std::string text;
  std::string detail;
};

struct LaunchPlan {
  std::string program;            // path to execute
  std::vector<std::string> argv;  // argv[0] as the user wrote it
  Environment environment;
  std::vector<PlanNote> notes;
};

// What the program file is, as far as it decides which doors work (see program_file.h).
struct ProgramTraits {
  bool statically_linked = false;  // ELF without an interpreter: LD_PRELOAD has no effect
  bool set_id = false;             // setuid/setgid: the loader ignores LD_PRELOAD
};

// `program` is the resolved path of command[0]; config.session_dir and config.collector_path are absolute.
LaunchPlan planLaunch(const std::vector<std::string>& command, const std::string& program,
                      const ProgramTraits& traits, const CollectorConfig& config,
                      const Environment& inherited);

// environ -> map; entries without '=' are dropped, of duplicates the first wins (as getenv does).
Environment environmentOf(const char* const* environ_block);

}  // namespace perfscope
