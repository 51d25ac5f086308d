// "did you mean ...": the nearest of a list of names. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perfscope::cli {

// Edits between two words: insert, delete, replace or swap neighbours (optimal string alignment distance).
[[nodiscard]] size_t editDistance(std::string_view a, std::string_view b);

// The nearest name, or empty when none is near: one edit for every four letters, at least one.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& names);

}  // namespace perfscope::cli
