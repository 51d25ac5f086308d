// Paper for the terminal: lines that never pass the page's width, colour only where it is wanted, ASCII where
// UTF-8 is not. Every text is cleaned (see glyphs.h) before it is laid out. Pure; owned by one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perfscope {

enum class Ink : uint8_t { Plain, Bold, Dim, Red, Yellow, Green, Cyan };

struct Span {
  std::string text;
  Ink ink = Ink::Plain;
};

struct PageOptions {
  size_t columns = 100;
  bool color = false;
  bool utf8 = true;
};

class Page {
 public:
  explicit Page(const PageOptions& options) : m_options(options) {}

  // A blank line, the title in bold, and beside it (or below, when it is long) what the section shows.
  void heading(std::string_view title, std::string_view explanation);

  // Flowing text: broken at spaces, continued `hanging` columns further in than `indent`.
  void text(size_t indent, std::string_view words, Ink ink = Ink::Plain, size_t hanging = 0);

  // A label in its own column (20 wide) and flowing text beside it.
  void item(std::string_view label, std::string_view words, Ink ink = Ink::Plain);

  // One line of several inks. When it is too wide it loses its inks and flows.
  void line(const std::vector<Span>& spans);

  void blank();

  [[nodiscard]] size_t columns() const { return m_options.columns; }
  // What is left of a line beside so many columns; 0 when nothing is.
  [[nodiscard]] size_t columnsBeside(size_t used) const {
    return m_options.columns > used ? m_options.columns - used : 0;
  }
  // All lines, each ended by a line feed.
  [[nodiscard]] const std::string& text() const { return m_text; }

 private:
  void write(std::string_view cleaned, Ink ink);

  PageOptions m_options;
  std::string m_text;
};

struct TableColumn {
  std::string title;
  bool left = false;      // numbers stand right, words left
  bool flexible = false;  // gives way first when the table is too wide
  int drop = 0;           // > 0: may be left out when the page is still too narrow, the highest number first
};

// Rows of cells under titles; as wide as its content, at most as wide as the page. Flexible columns are
// shortened first, then columns are left out (and named below the table), then the rest is shortened.
class TextTable {
 public:
  explicit TextTable(std::vector<TableColumn> columns) : m_columns(std::move(columns)) {}
  void row(std::vector<Span> cells);  // one cell a column; missing ones stay empty
  void print(Page& page, size_t indent = 2) const;
  [[nodiscard]] bool empty() const { return m_rows.empty(); }

 private:
  using Columns = std::vector<size_t>;  // indices into m_columns
  [[nodiscard]] size_t naturalWidth(size_t column) const;
  [[nodiscard]] Columns fitting(size_t room) const;
  [[nodiscard]] std::vector<size_t> widths(const Columns& shown, size_t room) const;
  [[nodiscard]] std::vector<Span> layOut(const std::vector<Span>& cells, const Columns& shown,
                                         const std::vector<size_t>& widths) const;

  std::vector<TableColumn> m_columns;
  std::vector<std::vector<Span>> m_rows;
};

}  // namespace perfscope
