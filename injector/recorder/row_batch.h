// Rows on their way into the database: opens a transaction with the first row of a batch, remembers the first
// error, numbers the rows of each table. Owner: the recorder's thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/trace_writer.h"

namespace perfscope {

class RowBatch {
 public:
  explicit RowBatch(TraceWriter writer) : m_writer(std::move(writer)) {}

  // Rows after an error are dropped: commit() reports it and the recorder stops.
  template <class Row>
  void put(const Row& row) {
    if (!ready()) return;
    note(m_writer.write(row));
    ++m_rows;
  }
  // From 1, per table.
  template <class Row>
  int64_t nextId() {
    for (auto& [name, last] : m_ids) {
      if (name == TableOf<Row>::kName) return ++last;
    }
    m_ids.emplace_back(TableOf<Row>::kName, 1);
    return 1;
  }
  void setMeta(const std::string& key, const std::string& value) { put(MetaRow{key, value}); }
  // launch_* of a kernel, memcpy or memset row that is in the database already; nullopt = NULL.
  void patchLaunch(std::string_view table, int64_t row, std::optional<int64_t> start_ns,
                   std::optional<int64_t> duration_ns, std::optional<int64_t> thread_id);
  void removeApiCall(int64_t row);

  // For statements of the caller inside the batch's transaction; nullptr after an error.
  const Database* databaseInTransaction() { return ready() ? &m_writer.database() : nullptr; }
  // The last id given out, 0 = none.
  template <class Row>
  [[nodiscard]] int64_t lastId() const {
    for (const auto& [name, last] : m_ids) {
      if (name == TableOf<Row>::kName) return last;
    }
    return 0;
  }
  // For an appended profile: numbering goes on behind the rows that are there.
  Status loadIds();

  // After an error the open transaction is rolled back: the profile stays at its last commit, which is what
  // the checkpoint of that commit describes.
  Status commit();
  void fail(const Error& error) {
    if (!m_error) m_error = error;
  }
  // Everything committed, statements closed, the profile marked complete.
  Status close();
  [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
  [[nodiscard]] uint64_t rows() const { return m_rows; }

 private:
  bool ready();
  void note(const Status& status) {
    if (!status && !m_error) m_error = status.error();
  }
  Statement* prepared(std::string_view key, const std::string& sql);

  TraceWriter m_writer;  // declared first: closed last
  std::vector<std::pair<std::string, Statement>> m_statements;
  std::vector<std::pair<std::string_view, int64_t>> m_ids;  // by text: addresses of literals differ by file
  std::optional<Error> m_error;
  bool m_open = false;
  uint64_t m_rows = 0;
};

}  // namespace perfscope
