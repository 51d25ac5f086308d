// Where the parts outside this program are: the driver, CUPTI, the collector.
#pragma once

#include <optional>
#include <string>

namespace perfscope {

// What cuDriverGetVersion says, e.g. 13000; nullopt without a driver. Makes no context.
std::optional<int> driverApiVersion();

inline bool isDriverPresent() {
  return driverApiVersion().has_value();
}

// A libcupti the collector would find by itself, in its order: PERFSCOPE_CUPTI, the loader's path, toolkit
// folders. A path, a soname or "" . `driver_api` prefers the matching major version (0 = any).
std::string findCupti(int driver_api);

}  // namespace perfscope
