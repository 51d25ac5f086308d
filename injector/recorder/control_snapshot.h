// What the recorder knows of a target process from its control file: plain values, copied and cleaned.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "schemas/loss_counters.h"

namespace perfscope {

enum class SpoolProcessState { Running, Closed, Execed };

struct ControlSnapshot {
  uint32_t pid = 0;
  uint32_t parent_pid = 0;
  uint64_t start_ns = 0;  // CLOCK_REALTIME
  int32_t rank = -1, world_size = -1, local_rank = -1;
  uint32_t cupti_version = 0, driver_version = 0, runtime_version = 0;  // 0 unknown
  SpoolProcessState state = SpoolProcessState::Running;
  uint32_t last_segment = 0;
  uint64_t heartbeat_ns = 0;
  uint64_t end_ns = 0;   // 0 = not ended
  uint64_t records = 0;  // published by the process
  std::array<uint64_t, kLossCount> loss{};
  std::string command;  // arguments joined by spaces; empty = not stored
  std::string executable;
  std::string host;
  std::string cupti_path;
  std::string environment;  // NAME=value joined by 0x1f
};

}  // namespace perfscope
