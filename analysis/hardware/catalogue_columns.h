// The columns of catalogue.csv: name, and how a cell becomes a member of HardwareSpec. The one place to add a
// column.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hardware/hardware_spec.h"

namespace perfscope::hardware {

// Fills one member from a non-empty cell; returns the problem, or nothing.
using CellProblem = std::optional<std::string>;
using FillCell = CellProblem (*)(HardwareSpec& spec, std::string_view cell);

struct CatalogueColumn {
  std::string_view name;
  FillCell fill;
  bool required = false;  // an empty cell is an error
};

// All columns but those of the peaks.
[[nodiscard]] const std::vector<CatalogueColumn>& catalogueColumns();

// The two columns of one precision: "fp16_tensor_fp32acc_tflops" and "fp16_tensor_fp32acc_per_sm_clk".
struct PeakColumns {
  Precision precision;
  std::string peak;
  std::string rate;
};
[[nodiscard]] const std::vector<PeakColumns>& peakColumns();

// A positive finite number, all of the cell.
[[nodiscard]] CellProblem parsePositive(std::string_view cell, double& value);

// "a;b;c" into its non-empty parts.
[[nodiscard]] std::vector<std::string> splitList(std::string_view cell);

}  // namespace perfscope::hardware
