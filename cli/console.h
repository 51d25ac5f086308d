// Where a verb writes: reports to `out`, everything else to `err`. The only thing verbs know about the
// terminal.
#pragma once

#include <cstddef>
#include <ostream>
#include <string_view>

#include "schemas/result.h"

namespace perfscope::cli {

// Text is laid out for 60 to 100 columns: as wide as the terminal, or COLUMNS where it is set; 100 elsewhere.
inline constexpr size_t kLeastColumns = 60, kMostColumns = 100;

// The width for text: `variable` (the value of COLUMNS) when it is a number, else the terminal's, else 100;
// kept within 60 to 100. `terminal` is 0 for "no terminal". Pure.
[[nodiscard]] size_t textColumns(std::string_view variable, size_t terminal);

enum class ColorChoice { Auto, Always, Never };

// The streams outlive the console. Used by one thread.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool utf8 = true;       // false: ASCII look-alikes, because the locale cannot show more
  bool no_color = false;  // NO_COLOR is set (https://no-color.org), or TERM=dumb
  ColorChoice color = ColorChoice::Auto;
  size_t columns = kMostColumns;      // of text on `out`
  size_t err_columns = kMostColumns;  // of text on `err`

  [[nodiscard]] bool colorOut() const { return wants(out_is_terminal); }
  [[nodiscard]] bool colorErr() const { return wants(err_is_terminal); }

 private:
  // An explicit --color=always is stronger than NO_COLOR: it was typed for this very call.
  [[nodiscard]] bool wants(bool terminal) const {
    return color == ColorChoice::Always || (color == ColorChoice::Auto && terminal && !no_color);
  }
};

// A console on std::cout and std::cerr as the environment describes them.
[[nodiscard]] Console standardConsole();

// "perfscope: <what, where, why, remedy>" on err; returns the exit code of the error's kind.
int fail(Console& console, const Error& error);

// "perfscope: warning: ..." on err.
void warn(Console& console, std::string_view text);

}  // namespace perfscope::cli
