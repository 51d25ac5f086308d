// Pure: names as the compiler mangled them -> names for people.
#pragma once

#include <string>
#include <string_view>

namespace perfscope {

// Itanium C++ names are demangled; anything else comes back unchanged.
std::string demangle(const std::string& mangled);

// The name without return type, template arguments, parameters and attributes: "void at::native::foo<4>(int)"
// -> "at::native::foo". A text it cannot make sense of comes back unchanged, never empty.
std::string shortName(std::string_view demangled);

// Valid UTF-8 without NUL and control characters: each offending byte becomes U+FFFD, so that every reader
// (SQLite, JSON, a terminal) can take it.
std::string cleanText(std::string_view text);

}  // namespace perfscope
