// The CUDA driver's version, asked from the libcuda that is already in the process.
#pragma once

namespace perfscope::collector {

// As cuDriverGetVersion: 13000 for 13.0. 0 when there is no driver. Never loads libcuda.
int readDriverVersion();

}  // namespace perfscope::collector
