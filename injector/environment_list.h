// The only environment variables that may enter a profile. Everything else of the target's environment is a
// possible secret and is never stored.
#pragma once

#include <string>
#include <string_view>

namespace perfscope {

// True for names on the allow-list (exact names and a few prefixes such as NCCL_).
bool isStoredVariable(std::string_view name);

// "NAME=value" entries joined by 0x1f (as the control block holds them) -> the allowed ones, one a line.
// Filters again although the collector has filtered: a foreign file decides nothing here.
std::string storedEnvironment(std::string_view joined);

}  // namespace perfscope
