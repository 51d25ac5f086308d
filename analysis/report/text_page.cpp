// Layout of lines and tables.
#include "analysis/report/text_page.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "analysis/report/glyphs.h"

namespace perfscope {
namespace {

constexpr size_t kLabelColumns = 20;
constexpr size_t kColumnGap = 2;
constexpr size_t kNarrowest = 6;  // a column is not squeezed below this
constexpr size_t kReadable = 16;  // below this a flexible column says too little; others are left out before

// ECMA-48 colour sequences; the plain 8 colours follow the reader's own palette.
std::string_view begin(Ink ink) {
  switch (ink) {
    case Ink::Bold:
      return "\033[1m";
    case Ink::Dim:
      return "\033[2m";
    case Ink::Red:
      return "\033[31m";
    case Ink::Yellow:
      return "\033[33m";
    case Ink::Green:
      return "\033[32m";
    case Ink::Cyan:
      return "\033[36m";
    case Ink::Plain:
      break;
  }
  return "";
}

}  // namespace

void Page::write(std::string_view cleaned, Ink ink) {
  const std::string text = m_options.utf8 ? std::string(cleaned) : glyphs::toAscii(cleaned);
  if (!m_options.color || ink == Ink::Plain || text.empty()) {
    m_text += text;
    return;
  }
  m_text += begin(ink);
  m_text += text;
  m_text += "\033[0m";
}

void Page::heading(std::string_view title, std::string_view explanation) {
  blank();
  if (glyphs::width(title) + 2 + glyphs::width(explanation) <= m_options.columns) {
    line({{std::string(title), Ink::Bold}, {"  ", Ink::Plain}, {std::string(explanation), Ink::Dim}});
    return;
  }
  line({{std::string(title), Ink::Bold}});
  text(2, explanation, Ink::Dim);
}

void Page::text(size_t indent, std::string_view words, Ink ink, size_t hanging) {
  const std::string cleaned = glyphs::clean(words);
  const size_t room = m_options.columns - std::min(indent + hanging, m_options.columns - 20);
  size_t margin = indent;
  for (const auto& piece : glyphs::wrap(std::string(cleaned), room)) {
    m_text.append(margin, ' ');
    write(piece, ink);
    m_text += '\n';
    margin = indent + hanging;
  }
}

void Page::item(std::string_view label, std::string_view words, Ink ink) {
  const auto lines = glyphs::wrap(glyphs::clean(words), m_options.columns - kLabelColumns - 2);
  std::string left =
      glyphs::padRight(glyphs::shorten(glyphs::clean(label), kLabelColumns - 1), kLabelColumns);
  for (const auto& piece : lines) {
    m_text += "  ";
    write(left, Ink::Dim);
    write(piece, ink);
    m_text += '\n';
    left.assign(kLabelColumns, ' ');
  }
}

void Page::line(const std::vector<Span>& spans) {
  std::vector<Span> cleaned;
  std::string plain;
  for (const auto& span : spans) {
    cleaned.push_back({glyphs::clean(span.text), span.ink});
    plain += cleaned.back().text;
  }
  if (glyphs::width(plain) > m_options.columns) {
    const size_t indent = std::min(plain.find_first_not_of(' '), size_t{12});
    text(indent, plain, Ink::Plain, 2);
    return;
  }
  // Trailing blanks only make copies of the text ugly.
  while (!cleaned.empty() && cleaned.back().text.find_first_not_of(' ') == std::string::npos)
    cleaned.pop_back();
  if (!cleaned.empty()) cleaned.back().text.erase(cleaned.back().text.find_last_not_of(' ') + 1);
  for (const auto& span : cleaned) write(span.text, span.ink);
  m_text += '\n';
}

void Page::blank() {
  if (!m_text.empty() && !m_text.ends_with("\n\n")) m_text += '\n';
}

void TextTable::row(std::vector<Span> cells) {
  cells.resize(m_columns.size());
  for (auto& cell : cells) cell.text = glyphs::clean(cell.text);
  m_rows.push_back(std::move(cells));
}

size_t TextTable::naturalWidth(size_t column) const {
  size_t widest = glyphs::width(m_columns[column].title);
  for (const auto& cells : m_rows) widest = std::max(widest, glyphs::width(cells[column].text));
  return widest;
}

// The columns that can be shown with whole cells, the flexible ones at a readable width.
TextTable::Columns TextTable::fitting(size_t room) const {
  Columns shown(m_columns.size());
  std::iota(shown.begin(), shown.end(), size_t{0});
  while (true) {
    size_t total = 0;
    size_t victim = shown.size();
    for (size_t i = 0; i < shown.size(); ++i) {
      const auto& column = m_columns[shown[i]];
      const size_t natural = naturalWidth(shown[i]);
      total += (i == 0 ? 0 : kColumnGap) + (column.flexible ? std::min(natural, kReadable) : natural);
      if (column.drop > 0 && (victim == shown.size() || column.drop > m_columns[shown[victim]].drop))
        victim = i;
    }
    if (total <= room || victim == shown.size()) return shown;
    shown.erase(shown.begin() + static_cast<std::ptrdiff_t>(victim));
  }
}

std::vector<size_t> TextTable::widths(const Columns& shown, size_t room) const {
  std::vector<size_t> result;
  for (const size_t column : shown) result.push_back(naturalWidth(column));
  const auto total = [&] {
    return std::accumulate(result.begin(), result.end(), size_t{0}) + kColumnGap * (result.size() - 1);
  };
  for (const bool only_flexible : {true, false}) {
    while (total() > room) {
      size_t victim = shown.size();
      for (size_t i = 0; i < shown.size(); ++i) {
        if ((only_flexible && !m_columns[shown[i]].flexible) || result[i] <= kNarrowest) continue;
        if (victim == shown.size() || result[i] > result[victim]) victim = i;
      }
      if (victim == shown.size()) break;
      --result[victim];  // one at a time: columns that give way end up equally wide
    }
  }
  return result;
}

std::vector<Span> TextTable::layOut(const std::vector<Span>& cells, const Columns& shown,
                                    const std::vector<size_t>& widths) const {
  std::vector<Span> spans;
  for (size_t i = 0; i < shown.size(); ++i) {
    const auto& cell = cells[shown[i]];
    const std::string fitted = glyphs::shorten(cell.text, widths[i]);
    spans.push_back(
        {m_columns[shown[i]].left ? glyphs::padRight(fitted, widths[i]) : glyphs::padLeft(fitted, widths[i]),
         cell.ink});
    if (i + 1 < shown.size()) spans.push_back({std::string(kColumnGap, ' '), Ink::Plain});
  }
  return spans;
}

void TextTable::print(Page& page, size_t indent) const {
  const size_t room = page.columns() - indent;
  const Columns shown = fitting(room);
  const auto columns = widths(shown, room);
  std::vector<Span> titles;
  for (const auto& column : m_columns) titles.push_back({column.title, Ink::Dim});
  const auto printRow = [&](const std::vector<Span>& cells) {
    auto spans = layOut(cells, shown, columns);
    spans.insert(spans.begin(), {std::string(indent, ' '), Ink::Plain});
    page.line(spans);
  };
  printRow(titles);
  for (const auto& cells : m_rows) printRow(cells);
  std::string missing;
  for (size_t i = 0; i < m_columns.size(); ++i) {
    const bool is_shown = std::find(shown.begin(), shown.end(), i) != shown.end();
    if (!is_shown && !m_columns[i].title.empty())
      missing += (missing.empty() ? "" : ", ") + m_columns[i].title;
  }
  if (!missing.empty()) page.text(indent, "columns left out on this narrow page: " + missing, Ink::Dim, 2);
}

}  // namespace perfscope
