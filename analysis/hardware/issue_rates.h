// How much an SM of each compute capability issues per clock: the basis of peaks for GPUs outside the
// catalogue.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "analysis/hardware/hardware_spec.h"

namespace perfscope::hardware {

// NVIDIA sells one compute capability as full and as consumer parts; the latter halve tensor rates with
// 32-bit accumulation.
enum class Board : std::uint8_t { Full, GeForce };

// GeForce and TITAN by the driver's name, else Full.
[[nodiscard]] Board boardOf(std::string_view device_name);

// FLOPs (FMA = 2) per SM and clock by precision, empty where the part has no such path.
using IssueRates = std::array<std::optional<double>, kPrecisionCount>;

// Source: CUDA C++ best practices guide (throughput of native arithmetic instructions) for the vector pipes,
// architecture white papers for the tensor pipes; the same figures as the catalogue, which a test compares.
// Empty for a compute capability that is not in the table.
[[nodiscard]] std::optional<IssueRates> issueRates(ComputeCapability capability, Board board);

// "6.0, 7.0, ...": the capabilities of the table, for messages.
[[nodiscard]] std::string_view knownCapabilities();

}  // namespace perfscope::hardware
