// Typed rows -> tables. Statements are prepared once per table. Owner: one thread (the recorder or an
// importer).
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "schemas/database.h"
#include "schemas/ddl.h"

namespace perfscope {

class TraceWriter {
 public:
  // Makes `path` (which must not exist) with the whole schema, in WAL mode so that it can be read while it
  // grows. The profile is born with meta.closed = 0; close() makes it a complete single file.
  static Result<TraceWriter> create(const std::string& path, int64_t time_base_ns);

  // Goes on with an unclosed profile of this schema version. Errors: InputMissing, InputRefused (closed, or
  // of another version).
  static Result<TraceWriter> append(const std::string& path);

  template <class Row>
  Status write(const Row& row) {
    auto statement = statementFor(TableOf<Row>::kName, [] { return insertSql<Row>("INSERT OR REPLACE"); });
    if (!statement) return tl::unexpected(statement.error());
    int index = 0;
    std::apply([&](const auto&... c) { ((*statement)->bind(++index, row.*(c.member)), ...); },
               TableOf<Row>::kColumns);
    return (*statement)->run();
  }

  Status setMeta(const std::string& key, const std::string& value) { return write(MetaRow{key, value}); }
  // Rows between begin and commit are one transaction: after a crash all or none of them are there.
  Status begin();
  Status commit();
  // Marks the profile complete, folds the WAL into the file.
  Status close();
  [[nodiscard]] Database& database() { return m_db; }

 private:
  explicit TraceWriter(Database db) : m_db(std::move(db)) {}
  template <class MakeSql>
  Result<Statement*> statementFor(std::string_view table, MakeSql make_sql) {
    // By content: addresses of literals may differ between translation units.
    for (auto& [key, statement] : m_statements) {
      if (key == table) return &statement;
    }
    auto prepared = m_db.prepare(make_sql());
    if (!prepared) return tl::unexpected(prepared.error());
    m_statements.emplace_back(table, std::move(*prepared));
    return &m_statements.back().second;
  }

  Database m_db;                                                    // declared first: closed last
  std::deque<std::pair<std::string_view, Statement>> m_statements;  // deque: growing keeps addresses
};

}  // namespace perfscope
