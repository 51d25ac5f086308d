// Opens a profile read-only, checks that it is one and of a version we read, yields typed rows.
// Owner: one thread; open several readers of one path to scan in parallel.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "schemas/database.h"
#include "schemas/ddl.h"

namespace perfscope {

class TraceReader {
 public:
  // Refused (InputRefused) when the file is no profile, is older than any migration, or newer than this
  // program. An older version is upgraded in a private in-memory copy of its schema where possible (see
  // upgrade.h).
  static Result<TraceReader> open(const std::string& path);

  // Calls visit(const Row&) for every row; `tail` is SQL after FROM table, e.g. "WHERE id >= ? ORDER BY
  // start_ns".
  template <class Row, class Visit>
  Status forEach(std::string_view tail, Visit&& visit) const {
    auto statement = m_db.prepare(selectSql<Row>(tail));
    if (!statement) return tl::unexpected(asDamage(statement.error()));
    Row row;
    for (;;) {
      const auto more = statement->step();
      if (!more) return tl::unexpected(more.error());
      if (!*more) return {};
      int index = 0;
      std::apply([&](const auto&... c) { ((statement->read(index++, row.*(c.member))), ...); },
                 TableOf<Row>::kColumns);
      visit(static_cast<const Row&>(row));
    }
  }

  template <class Row>
  Result<std::vector<Row>> all(std::string_view tail = {}) const {
    std::vector<Row> rows;
    const auto status = forEach<Row>(tail, [&](const Row& row) { rows.push_back(row); });
    if (!status) return tl::unexpected(status.error());
    return rows;
  }

  // Value of a meta key; nullopt when the key is not there.
  [[nodiscard]] Result<std::optional<std::string>> meta(const std::string& key) const;
  [[nodiscard]] bool closed() const { return m_closed; }
  [[nodiscard]] int64_t timeBaseNs() const { return m_time_base_ns; }
  [[nodiscard]] const Database& database() const { return m_db; }
  [[nodiscard]] const std::string& path() const { return m_db.path(); }

  // A query of this program that SQLite finds wrong means that the file lacks a table or column: InputRefused
  // instead of Usage. Other errors stay what they are.
  static Error asDamage(Error error);

 private:
  static Result<TraceReader> read(const std::string& path);
  explicit TraceReader(Database db) : m_db(std::move(db)) {}
  Database m_db;
  bool m_closed = false;
  int64_t m_time_base_ns = 0;
};

}  // namespace perfscope
