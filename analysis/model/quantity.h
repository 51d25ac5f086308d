// Numbers as people type them: "989T", "3.35TB/s", "70B", "85ms", "40%", "1.5e12".
#pragma once

#include <string_view>

#include "schemas/result.h"

namespace perfscope::model {

// Parses a number with an optional prefix and unit into the base unit `unit`, one of
//   "FLOP/s", "FLOP", "FLOP/byte", "byte", "byte/s", "s", "W", "MHz", "USD", "USD/h" or "" (a plain number).
// Prefixes: k K M G T P E (powers of 1000), Ki Mi Gi Ti Pi (powers of 1024), B (10^9, "70B" parameters; where
// the unit is byte, B is the byte). Units: the unit itself and its usual spellings (FLOPS, B, B/s, bit/s =
// 1/8 byte/s, W, ...); times take ns us ms s min h d instead of a prefix; a plain number takes %, and b for
// B. Pure. Error: Usage, with the text and what would be accepted, or what only differs in capitals. Not
// finite, empty and trailing rubbish are errors.
[[nodiscard]] Result<double> parseQuantity(std::string_view text, std::string_view unit);

// True for a number with neither prefix nor unit behind it: "989", not "989T". Pure.
[[nodiscard]] bool isBareNumber(std::string_view text);

}  // namespace perfscope::model
