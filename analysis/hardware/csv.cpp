// The CSV reader: one pass over the bytes, one small state.
#include "analysis/hardware/csv.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace perfscope::hardware {
namespace {

// Reads one text; lives for one call of parseCsv.
class CsvReader {
 public:
  CsvReader(std::string_view text, std::string_view where) : m_text(text), m_where(where) {}

  Result<std::vector<CsvRow>> read() {
    std::vector<CsvRow> rows;
    while (m_at < m_text.size()) {
      if (m_text[m_at] == '#' || atLineEnd()) {
        skipLine();
        continue;
      }
      auto row = readRow();
      if (!row) return tl::unexpected<Error>(row.error());
      rows.push_back(std::move(*row));
    }
    return rows;
  }

 private:
  Result<CsvRow> readRow() {
    CsvRow row;
    row.line = m_line;
    while (true) {
      std::string cell;
      auto problem = at('"') ? readQuoted(cell) : readPlain(cell);
      if (problem) {
        return failure(ErrorKind::InputRefused,
                       fmt::format("{}, line {}, cell {}", m_where, m_line, row.cells.size() + 1), *problem,
                       "correct the cell");
      }
      row.cells.push_back(std::move(cell));
      if (!at(',')) break;
      ++m_at;
    }
    skipLine();
    return row;
  }

  // Both readers return the problem, or nothing; they stop at the comma or line end after the cell.
  std::optional<std::string> readPlain(std::string& cell) {
    while (m_at < m_text.size() && m_text[m_at] != ',' && !atLineEnd()) {
      const char c = m_text[m_at++];
      if (c == '"') return "a quote inside an unquoted cell";
      if (c == '\0') return "a NUL byte";
      cell += c;
    }
    return std::nullopt;
  }

  std::optional<std::string> readQuoted(std::string& cell) {
    ++m_at;
    while (m_at < m_text.size()) {
      const char c = m_text[m_at++];
      if (c == '\0') return "a NUL byte";
      if (c == '\n') ++m_line;
      if (c != '"') {
        cell += c;
      } else if (at('"')) {
        cell += '"';
        ++m_at;
      } else {
        const bool ends = m_at == m_text.size() || at(',') || atLineEnd();
        return ends ? std::nullopt : std::optional<std::string>("text after the closing quote");
      }
    }
    return "the quote is never closed";
  }

  [[nodiscard]] bool at(char c) const { return m_at < m_text.size() && m_text[m_at] == c; }

  [[nodiscard]] bool atLineEnd() const {
    if (at('\n')) return true;
    return at('\r') && m_at + 1 < m_text.size() && m_text[m_at + 1] == '\n';
  }

  void skipLine() {
    while (m_at < m_text.size() && m_text[m_at] != '\n') ++m_at;
    if (m_at < m_text.size()) ++m_at;
    ++m_line;
  }

  std::string_view m_text;
  std::string_view m_where;
  std::size_t m_at = 0;
  std::size_t m_line = 1;
};

}  // namespace

Result<std::vector<CsvRow>> parseCsv(std::string_view text, std::string_view where) {
  return CsvReader(text, where).read();
}

}  // namespace perfscope::hardware
