// Pure: why a profile holds no GPU record, from what was seen, with the remedy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace perfscope {

struct EmptyEvidence {
  int processes = 0;  // that the collector reported from
  bool driver_found = false;
  bool statically_linked = false;
  bool windows_configured = false;            // --delay, --steps, --capture ...
  std::vector<std::string> collector_errors;  // slot taken, CUPTI missing ...
  int64_t losses = 0;
};

std::string whyEmpty(const EmptyEvidence& evidence);

}  // namespace perfscope
