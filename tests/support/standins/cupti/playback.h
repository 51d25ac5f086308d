// Plays back CUPTI buffers that the collector captured on a real GPU.
#pragma once

#include <cstdint>

namespace perfscope::standin {

// Number of records handed to the client, or -1 when the file cannot be read.
int64_t playBack(const char* path);

}  // namespace perfscope::standin
