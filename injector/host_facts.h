// Facts about this machine for the row `host`, read from the kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace perfscope {

struct HostFacts {
  std::string name;
  std::optional<std::string> kernel;     // "Linux 6.1.0-18-amd64"
  std::optional<std::string> cpu_model;  // "AMD EPYC 9654 96-Core Processor"
  std::optional<int64_t> cpu_count;      // logical processors online
  std::optional<int64_t> memory_bytes;
};

HostFacts readHostFacts();

}  // namespace perfscope
