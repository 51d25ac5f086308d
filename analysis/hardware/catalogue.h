// The list of known GPUs: parsing of the catalogue text, the built-in list, and finding a product by what a
// human types.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/hardware/hardware_spec.h"

namespace perfscope::hardware {

// Parses catalogue text (CSV with a header line, columns as in catalogue.csv, in any order). Pure. Errors are
// InputRefused and name line and column: unknown, doubled or missing columns, wrong number of cells, a number
// that is none or not positive, an id or driver name used twice, a doubtful/computed/halved entry that names
// no filled cell.
[[nodiscard]] Result<std::vector<HardwareSpec>> parseCatalogue(std::string_view csv, std::string_view where);

// The built-in catalogue, parsed on first use; the list lives until the program ends. Safe from any thread.
// Error: Internal when the embedded text is broken (a test makes sure it is not).
[[nodiscard]] const Result<std::vector<HardwareSpec>>& catalogue();

// Finds a product by id ("h200-sxm-141gb"), name, driver name or alias ("H200", "A100-80"); case and
// separators do not matter. Otherwise by words that all occur in the product's name ("a100 pcie 80"). Errors
// (Usage): several candidates, listed; none, with the nearest ones. `specs` must outlive the result.
[[nodiscard]] Result<const HardwareSpec*> findSpec(const std::vector<HardwareSpec>& specs,
                                                   std::string_view query);

// findSpec over the built-in catalogue.
[[nodiscard]] Result<const HardwareSpec*> findSpec(std::string_view query);

}  // namespace perfscope::hardware
