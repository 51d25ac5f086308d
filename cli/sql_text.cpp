// A tokenizer for the four things that matter: quotes, comments, semicolons, the first word.
#include "cli/sql_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace perfscope::cli {
namespace {

// Length of the comment or quoted text at the beginning of `sql`; 0 when it begins with neither. Unterminated
// ones reach to the end, as in SQLite (which then reports them).
size_t skipOpaque(std::string_view sql, bool& is_comment) {
  const auto until = [&](std::string_view end, size_t from) {
    const size_t at = sql.find(end, from);
    return at == std::string_view::npos ? sql.size() : at + end.size();
  };
  is_comment = sql.starts_with("--") || sql.starts_with("/*");
  if (sql.starts_with("--")) return until("\n", 2);
  if (sql.starts_with("/*")) return until("*/", 2);
  const char c = sql.empty() ? '\0' : sql[0];
  if (c == '\'' || c == '"' || c == '`') return until(std::string_view(&c, 1), 1);
  if (c == '[') return until("]", 1);
  return 0;
}

bool isSpace(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

size_t countStatements(std::string_view sql) {
  size_t count = 0;
  bool open = false;
  while (!sql.empty()) {
    bool is_comment = false;
    const size_t opaque = skipOpaque(sql, is_comment);
    if (opaque > 0) {
      open = open || !is_comment;
      sql.remove_prefix(opaque);
      continue;
    }
    if (sql[0] == ';') {
      count += open ? 1 : 0;
      open = false;
    } else if (!isSpace(sql[0])) {
      open = true;
    }
    sql.remove_prefix(1);
  }
  return count + (open ? 1 : 0);
}

std::string firstKeyword(std::string_view sql) {
  std::string word;
  while (!sql.empty()) {
    bool is_comment = false;
    const size_t opaque = word.empty() ? skipOpaque(sql, is_comment) : 0;
    if (opaque > 0 && !is_comment) return word;
    if (opaque > 0 || (word.empty() && (isSpace(sql[0]) || sql[0] == ';'))) {
      sql.remove_prefix(std::max<size_t>(opaque, 1));
      continue;
    }
    if (std::isalpha(static_cast<unsigned char>(sql[0])) == 0) return word;
    word += static_cast<char>(std::toupper(static_cast<unsigned char>(sql[0])));
    sql.remove_prefix(1);
  }
  return word;
}

Status checkQuestion(std::string_view sql) {
  static constexpr std::array<std::string_view, 5> kQuestions = {"SELECT", "WITH", "VALUES", "EXPLAIN",
                                                                 "PRAGMA"};
  const size_t statements = countStatements(sql);
  if (statements == 0)
    return failure(ErrorKind::Usage, "query", "the SQL is empty", "give one SELECT statement");
  if (statements > 1) {
    return failure(ErrorKind::Usage, "query", std::to_string(statements) + " statements in one call",
                   "give one SELECT statement");
  }
  const std::string word = firstKeyword(sql);
  if (std::find(kQuestions.begin(), kQuestions.end(), word) == kQuestions.end()) {
    return failure(ErrorKind::Usage, "query",
                   "\"" + word + "\" is not a reading statement: profiles are opened read-only",
                   "begin with SELECT or WITH");
  }
  return {};
}

}  // namespace perfscope::cli
