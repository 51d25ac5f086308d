// CUDA API callback ids -> names and what such a call may launch. Pure; unknown ids are named by number.
#pragma once

#include <cstdint>
#include <string>

namespace perfscope {

enum class ApiClass : uint8_t {
  Launch,       // one kernel
  GraphLaunch,  // many nodes: never folded
  Copy,         // one copy (some calls make several)
  Fill,
  Other,    // launches nothing: synchronise, allocate, event ...
  Unknown,  // not in the table: may launch
};

ApiClass apiClass(bool driver, uint32_t callback_id);
std::string apiName(bool driver, uint32_t callback_id);

// For the test: look-ups are binary searches.
bool apiTablesAreSorted();

// Id of the table api_name.
constexpr int64_t apiNameId(bool driver, uint32_t callback_id) {
  return static_cast<int64_t>(callback_id) + (driver ? 100000 : 0);
}

}  // namespace perfscope
