// Which libcupti to use in this process: the one that is already there, else one that matches the driver.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collector/cupti/cupti_api.h"
#include "schemas/result.h"

namespace perfscope::collector {

// Opens and binds libcupti. Order: $PERFSCOPE_CUPTI (path), the copy already mapped, copies beside mapped
// CUDA libraries (pip wheels), the loader's search path, the usual toolkit folders. Error Unavailable: none,
// with the list of places looked at.
Result<CuptiApi> findCupti(int driver_major);

// Pure: the candidates in the order to be tried. `maps` is the text of /proc/self/maps, `cuda_home` may be
// empty.
std::vector<std::string> cuptiCandidates(std::string_view maps, std::string_view cuda_home, int driver_major);

// Pure: the path of a mapped libcupti, or empty.
std::string mappedCupti(std::string_view maps);

}  // namespace perfscope::collector
