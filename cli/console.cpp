// Facts about the standard streams, and the two kinds of message.
#include "cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <string>

#include "analysis/report/glyphs.h"

namespace perfscope::cli {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// The first of these that is set decides (POSIX, "Internationalization Variables").
bool localeIsUtf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = variable(name);
    if (value.empty()) continue;
    for (const std::string_view mark : {"UTF-8", "utf-8", "UTF8", "utf8"}) {
      if (value.find(mark) != std::string_view::npos) return true;
    }
    return false;
  }
  return false;
}

size_t terminalColumns(int stream) {
  winsize size{};
  return ::ioctl(stream, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void say(Console& console, std::string_view kind, const char* ink, std::string_view text) {
  const std::string cleaned = console.utf8 ? glyphs::clean(text) : glyphs::toAscii(glyphs::clean(text));
  console.err << "perfscope: ";
  if (console.colorErr()) console.err << ink;
  console.err << kind;
  if (console.colorErr()) console.err << "\033[0m";
  if (!console.err_is_terminal) {  // one line a message, for programs and for grep
    console.err << cleaned << '\n';
    return;
  }
  // The first line is shorter by what stands before the message.
  const std::string before(std::string_view("perfscope: ").size() + kind.size(), '.');
  auto lines = glyphs::wrap(before + cleaned, console.err_columns - 2);
  lines.front().erase(0, before.size());
  for (size_t i = 0; i < lines.size(); ++i) console.err << (i == 0 ? "" : "  ") << lines[i] << '\n';
}

}  // namespace

size_t textColumns(std::string_view variable, size_t terminal) {
  size_t columns = 0;
  const auto parsed = std::from_chars(variable.data(), variable.data() + variable.size(), columns);
  const bool given =
      parsed.ec == std::errc() && parsed.ptr == variable.data() + variable.size() && columns > 0;
  if (!given) columns = terminal;
  return columns == 0 ? kMostColumns : std::clamp(columns, kLeastColumns, kMostColumns);
}

Console standardConsole() {
  std::ios::sync_with_stdio(false);  // nobody here writes through stdio; query prints millions of rows
  Console console{std::cout, std::cerr};
  console.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  console.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  console.columns = textColumns(variable("COLUMNS"), terminalColumns(STDOUT_FILENO));
  console.err_columns = textColumns(variable("COLUMNS"), terminalColumns(STDERR_FILENO));
  console.utf8 = localeIsUtf8();
  console.no_color = !variable("NO_COLOR").empty() || variable("TERM") == "dumb";
  return console;
}

int fail(Console& console, const Error& error) {
  console.out.flush();
  say(console, "error: ", "\033[31m", error.sentence());
  return static_cast<int>(error.kind);
}

void warn(Console& console, std::string_view text) {
  say(console, "warning: ", "\033[33m", text);
}

}  // namespace perfscope::cli
