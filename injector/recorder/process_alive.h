// Whether a process that has not said goodbye still exists.
#pragma once

#include <cstdint>
#include <string_view>

namespace perfscope {

// Pure. `stat_line` is the content of /proc/<pid>/stat, `boot_ns` the Unix time of the boot, `ticks_per_s`
// its clock. False for zombies and for another process that got the same number later than `seen_ns` (Unix).
bool isAliveByStat(std::string_view stat_line, uint64_t boot_ns, uint64_t ticks_per_s, uint64_t seen_ns);

// Reads /proc. True when it cannot be told.
bool isProcessAlive(uint32_t pid, uint64_t seen_ns);

}  // namespace perfscope
