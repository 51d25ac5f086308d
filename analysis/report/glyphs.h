// Text that fits: width on a terminal, cleaning, shortening, wrapping, and the way back to ASCII. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perfscope::glyphs {

// Columns a terminal uses: combining marks count 0, East Asian wide characters 2. Invalid bytes count 1 each.
[[nodiscard]] size_t width(std::string_view text);

// Valid UTF-8 without control characters: names come from foreign programs and may hold escape sequences or
// torn bytes. Line breaks and tabs become spaces, everything else that is no text becomes '?'.
[[nodiscard]] std::string clean(std::string_view text);

// At most `columns` wide; the middle gives way ("sm90_xmma_gemm...tn_n"), because kernel names differ at both
// ends.
[[nodiscard]] std::string shorten(std::string_view text, size_t columns);

[[nodiscard]] std::string padRight(std::string_view text, size_t columns);
[[nodiscard]] std::string padLeft(std::string_view text, size_t columns);

// Breaks at spaces, but never between a number and its unit (line_bonds.h); a word wider than a line is cut
// into pieces, so no line is ever wider than `columns` (at least 1). An empty text gives one empty line.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, size_t columns);

// Every character outside ASCII -> one of the same width that looks alike, else '?'.
[[nodiscard]] std::string toAscii(std::string_view text);

// A bar of `columns` cells, filled to `fraction` (clamped to 0..1; a fraction > 0 shows at least one eighth).
[[nodiscard]] std::string bar(double fraction, size_t columns);

}  // namespace perfscope::glyphs
