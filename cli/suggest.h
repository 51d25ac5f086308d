// "did you mean ...": the nearest of a list of names. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perfscope::cli {

// Edits between two words: insert, delete, replace or swap neighbours (optimal string alignment distance).
[[nodiscard]] size_t editDistance(std::string_view a, std::string_view b);

// The nearest name, or empty when none is near: a third of the word's letters may be wrong, at least 2 edits
// count as near for words of 4 letters or more.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& names);

}  // namespace perfscope::cli
