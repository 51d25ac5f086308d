// Which neighbouring words a line break must not part: "82 %", "5.5 us", "< 0.1 %", "3 min 20 s". Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace perfscope {

// True for a number and the unit behind it, a comparison and its number, and the parts of a duration.
// Brackets, signs and punctuation around them do not matter.
[[nodiscard]] bool belongTogether(std::string_view left, std::string_view right);

// Bytes of `text` (which does not begin with a space) before the first space where a line may end; all of it
// when there is none.
[[nodiscard]] size_t unbreakableBytes(std::string_view text);

}  // namespace perfscope
