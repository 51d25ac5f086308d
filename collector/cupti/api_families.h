// Which API calls are recorded by default: the launch, copy, allocation, wait and module-load families.
//
// API records are what tracing costs (15 runtime and 6 driver records per kernel when whole kinds are
// enabled), hence the list.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace perfscope::collector {

struct ApiFamily {
  const char* name;
  std::array<uint16_t, 4> ids;  // CUPTI callback ids, 0 = none
};

// Pure, constant data.
std::span<const ApiFamily> runtimeFamilies() noexcept;
std::span<const ApiFamily> driverFamilies() noexcept;
bool isRecordedRuntimeApi(uint32_t callback_id) noexcept;
bool isRecordedDriverApi(uint32_t callback_id) noexcept;

}  // namespace perfscope::collector
