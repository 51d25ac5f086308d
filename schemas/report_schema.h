// The JSON Schema of `perfscope report --format json` and its version.
#pragma once

#include <string_view>

namespace perfscope {

inline constexpr int kReportVersion = 1;
std::string_view reportJsonSchema();

}  // namespace perfscope
