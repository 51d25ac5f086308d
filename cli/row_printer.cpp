// The three row formats.
#include "cli/row_printer.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "analysis/report/format.h"
#include "analysis/report/glyphs.h"
#include "analysis/report/report_csv.h"

namespace perfscope::cli {
namespace {

constexpr size_t kLookAhead = 1000;  // rows that decide the widths of a table
constexpr size_t kWidest = 80;

struct Cell {
  std::optional<std::string> text;  // nullopt = NULL
  bool is_number = false;
};

Cell read(const Statement& statement, int column) {
  if (statement.isNull(column)) return {};
  if (statement.isInteger(column)) return {std::to_string(statement.int64(column)), true};
  if (!statement.isReal(column)) return {statement.text(column), false};
  const double value = statement.real(column);
  if (!std::isfinite(value)) return {};  // SQLite itself turns NaN into NULL; infinity has no text in JSON
  return {format::exact(value), true};
}

// ("a", "b", "a") -> ("a", "b", "a_2"): a JSON object that names a key twice loses a value in most readers.
// A name that the SELECT itself uses is never taken.
std::vector<std::string> distinctNames(std::vector<std::string> names) {
  std::set<std::string> taken(names.begin(), names.end());
  std::set<std::string> seen;
  for (auto& name : names) {
    if (seen.insert(name).second) continue;
    int number = 2;
    while (!taken.insert(name + "_" + std::to_string(number)).second) ++number;
    name += "_" + std::to_string(number);
  }
  return names;
}

class RowWriter {
 public:
  RowWriter(std::ostream& out, RowFormat format, std::vector<std::string> names)
      : m_out(out), m_format(format), m_names(std::move(names)) {
    if (m_format == RowFormat::Csv) writeCsv([&](size_t i) { return m_names[i]; });
    if (m_format == RowFormat::Json) {
      m_names = distinctNames(std::move(m_names));
      m_out << "[";
    }
  }

  void row(std::vector<Cell> cells) {
    if (m_format == RowFormat::Csv) {
      writeCsv([&](size_t i) { return cells[i].text.value_or(""); });
    } else if (m_format == RowFormat::Json) {
      writeJson(cells);
    } else if (m_widths.empty()) {
      m_waiting.push_back(std::move(cells));
      if (m_waiting.size() == kLookAhead) flushTable();
    } else {
      writeTableRow(cells);
    }
    ++m_count;
  }

  void finish() {
    if (m_format == RowFormat::Json) m_out << (m_count == 0 ? "]\n" : "\n]\n");
    if (m_format == RowFormat::Table && m_widths.empty()) flushTable();
  }

 private:
  template <class TextOf>
  void writeCsv(TextOf&& text_of) {
    for (size_t i = 0; i < m_names.size(); ++i) m_out << (i == 0 ? "" : ",") << csvCell(text_of(i));
    m_out << "\r\n";
  }

  static std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  // By hand: rows stream through, and the columns keep the order of the SELECT.
  void writeJson(const std::vector<Cell>& cells) {
    m_out << (m_count == 0 ? "\n  {" : ",\n  {");
    for (size_t i = 0; i < cells.size(); ++i) {
      const auto& cell = cells[i];
      m_out << (i == 0 ? "" : ", ") << quoted(m_names[i]) << ": "
            << (!cell.text       ? "null"
                : cell.is_number ? *cell.text
                                 : quoted(*cell.text));
    }
    m_out << "}";
  }

  static std::string shown(const Cell& cell) {
    return cell.text ? glyphs::shorten(glyphs::clean(*cell.text), kWidest) : std::string("NULL");
  }

  void flushTable() {
    for (size_t i = 0; i < m_names.size(); ++i) {
      size_t widest = std::max<size_t>(glyphs::width(m_names[i]), 1);
      for (const auto& cells : m_waiting) widest = std::max(widest, glyphs::width(shown(cells[i])));
      m_widths.push_back(widest);
    }
    std::string names, rule;
    for (size_t i = 0; i < m_names.size(); ++i) {
      const bool number = !m_waiting.empty() && m_waiting.front()[i].is_number;
      const std::string gap = i == 0 ? "" : "  ";
      names += gap + (number ? glyphs::padLeft(m_names[i], m_widths[i])
                             : glyphs::padRight(m_names[i], m_widths[i]));
      rule += gap + std::string(m_widths[i], '-');
    }
    names.erase(names.find_last_not_of(' ') + 1);
    m_out << names << '\n' << rule << '\n';
    for (const auto& cells : m_waiting) writeTableRow(cells);
    m_waiting.clear();
  }

  void writeTableRow(const std::vector<Cell>& cells) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string text = shown(cells[i]);
      line += (i == 0 ? "" : "  ") +
              (cells[i].is_number ? glyphs::padLeft(text, m_widths[i]) : glyphs::padRight(text, m_widths[i]));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    m_out << line << '\n';
  }

  std::ostream& m_out;
  RowFormat m_format;
  std::vector<std::string> m_names;
  std::vector<size_t> m_widths;
  std::vector<std::vector<Cell>> m_waiting;
  size_t m_count = 0;
};

}  // namespace

Status printRows(Statement& statement, RowFormat format, std::ostream& out) {
  const int columns = statement.columnCount();
  std::vector<std::string> names;
  names.reserve(static_cast<size_t>(columns));
  for (int i = 0; i < columns; ++i) names.push_back(statement.columnName(i));
  RowWriter writer(out, format, std::move(names));
  while (out.good()) {
    const auto more = statement.step();
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    std::vector<Cell> cells;
    cells.reserve(static_cast<size_t>(columns));
    for (int i = 0; i < columns; ++i) cells.push_back(read(statement, i));
    writer.row(std::move(cells));
  }
  writer.finish();
  return {};
}

}  // namespace perfscope::cli
