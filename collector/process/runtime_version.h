// The version of the CUDA runtime library in this process.
#pragma once

#include <cstdint>

namespace perfscope::collector {

// As in CUDART_VERSION (13000 = 13.0); 0 = not known: no libcudart is mapped (it may be linked statically),
// or its file's name tells the major version only. Looks at names, calls nothing: safe inside cuInit.
uint32_t runtimeVersionByName();
// Asks the mapped libcudart itself; 0 = there is none. Takes the loader's lock and may wait for the runtime's
// own initialisation: for the drain thread, not earlier than a moment after cuInit.
uint32_t askRuntimeVersion();

// Pure: ".../libcudart.so.12.8.90" -> 12080; 0 when it is another library or has no minor version.
uint32_t versionInCudartName(const char* path);

}  // namespace perfscope::collector
