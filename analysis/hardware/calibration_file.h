// Stored calibrations: one JSON file a GPU, where they lie, which one belongs to a recorded device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/hardware/hardware_spec.h"
#include "schemas/calibration.h"
#include "schemas/result.h"

namespace perfscope::hardware {

// $PERFSCOPE_DATA, else $XDG_DATA_HOME/perfscope, else $HOME/.local/share/perfscope; then "/calibration".
// Empty when none of the variables is set.
[[nodiscard]] std::string calibrationFolder();

// JSON text and back. Reading errors: InputRefused (no JSON, another kind of file, a newer version, a value
// that is not a positive finite number or has neither value nor reason), with `where` naming the place.
[[nodiscard]] std::string calibrationJson(const Calibration& calibration);
[[nodiscard]] Result<Calibration> parseCalibration(const std::string& text, const std::string& where);

// Errors: InputMissing, and those of parseCalibration.
[[nodiscard]] Result<Calibration> readCalibration(const std::string& path);
// Written beside the target and renamed, so that a file is whole or not there. Makes missing folders. Error:
// Output.
[[nodiscard]] Status writeCalibration(const std::string& path, const Calibration& calibration);

// Every readable calibration of the folder, newest first, with its path; what cannot be read comes as a
// warning.
struct StoredCalibration {
  std::string path;
  Calibration calibration;
};
[[nodiscard]] std::vector<StoredCalibration> storedCalibrations(const std::string& folder,
                                                                std::vector<std::string>& warnings);

// The one of the same UUID, else the newest of the same device name (another board of the same product), else
// null. Pure.
[[nodiscard]] const StoredCalibration* matching(const std::vector<StoredCalibration>& stored,
                                                const std::string& uuid, const std::string& device_name);

// What the data sheet says for a value ("dram_copy", "bf16_tensor", "h2d_pinned", "p2p:..."); for shared
// memory the 128 bytes a SM and clock that every NVIDIA chip since Volta moves. Empty when nobody prints it.
[[nodiscard]] std::optional<double> datasheetValue(const HardwareSpec& spec, const CalibrationValue& value);

// Values above kImplausible times the data sheet lose their number and say so: such a figure is an error of
// the measurement. Returns how many.
inline constexpr double kImplausible = 1.3;
int refuseImplausible(const HardwareSpec& spec, Calibration& calibration);

}  // namespace perfscope::hardware
