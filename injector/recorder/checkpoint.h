// What lets `recover` go on exactly where a killed recorder stopped: how far each spool was read at a commit,
// and the records that were read but not yet written as rows. The profile's meta key `checkpoint` names the
// file that belongs to its last commit, so the two can never disagree.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "schemas/loss_counters.h"
#include "schemas/result.h"
#include "schemas/spool_format.h"
#include "schemas/spool_names.h"

namespace perfscope {

inline constexpr const char* kCheckpointKey = "checkpoint";

struct ProcessCheckpoint {
  ProcessFolder folder;
  int64_t process_id = 0;  // row
  bool ended = false;
  uint32_t segment = 1;  // next record to read: segment and index in it
  uint32_t index = 0;
  std::array<uint64_t, kLossCount> own_loss{};
  std::vector<spool::Record> waiting;
};

std::string checkpointPath(const std::string& session_dir, uint64_t number);
// Errors: Output (disk full ...).
Status writeCheckpoint(const std::string& path, const std::vector<ProcessCheckpoint>& processes);
// Errors: InputMissing, InputRefused (cut short or not ours).
Result<std::vector<ProcessCheckpoint>> readCheckpoint(const std::string& path);
// Newest checkpoint file of the folder, 0 = none: segments may have been removed.
uint64_t newestCheckpoint(const std::string& session_dir);

// Texts, shapes and devices outlive the segments they came in: later records refer to them. They are kept
// beside the segments in one append-only file of bare records.
bool isDefinition(spool::Kind kind);
Status appendDefinitions(const std::string& process_folder, std::span<const spool::Record> records);
std::vector<spool::Record> readDefinitions(const std::string& process_folder);

}  // namespace perfscope
