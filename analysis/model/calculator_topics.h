// The files the calculators live in, one function a topic; calculators() joins them.
#pragma once

#include <vector>

#include "analysis/model/calculator.h"

namespace perfscope::model {

using Values = Result<std::vector<NamedValue>>;

[[nodiscard]] std::vector<Calculator> rooflineCalculators();
[[nodiscard]] std::vector<Calculator> operationCalculators();
[[nodiscard]] std::vector<Calculator> kernelCalculators();
[[nodiscard]] std::vector<Calculator> inferenceCalculators();
[[nodiscard]] std::vector<Calculator> trainingCalculators();
[[nodiscard]] std::vector<Calculator> scalingCalculators();
[[nodiscard]] std::vector<Calculator> costCalculators();

// Inputs that many calculators share; each can be filled from the catalogue.
[[nodiscard]] InputSpec peakInput();
[[nodiscard]] InputSpec bandwidthInput();

// The same input, but it may be absent.
[[nodiscard]] InputSpec optionally(InputSpec input);

}  // namespace perfscope::model
