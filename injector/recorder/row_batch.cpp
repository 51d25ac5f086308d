// Transactions and the few corrections of written rows.
#include "injector/recorder/row_batch.h"

namespace perfscope {

bool RowBatch::ready() {
  if (m_error) return false;
  if (!m_open) {
    note(m_writer.begin());
    m_open = !m_error;
  }
  return m_open;
}

Statement* RowBatch::prepared(std::string_view key, const std::string& sql) {
  for (auto& [name, statement] : m_statements) {
    if (name == key) return &statement;
  }
  auto statement = m_writer.database().prepare(sql);
  if (!statement) {
    note(tl::unexpected(statement.error()));
    return nullptr;
  }
  m_statements.emplace_back(std::string(key), std::move(*statement));
  return &m_statements.back().second;
}

void RowBatch::patchLaunch(std::string_view table, int64_t row, std::optional<int64_t> start_ns,
                           std::optional<int64_t> duration_ns, std::optional<int64_t> thread_id) {
  if (!ready()) return;
  Statement* const update = prepared(
      table, "UPDATE " + std::string(table) +
                 " SET launch_start_ns = ?, launch_duration_ns = ?, launch_thread_id = ? WHERE id = ?");
  if (update == nullptr) return;
  update->bind(1, start_ns);
  update->bind(2, duration_ns);
  update->bind(3, thread_id);
  update->bind(4, row);
  note(update->run());
}

void RowBatch::removeApiCall(int64_t row) {
  if (!ready()) return;
  Statement* const remove = prepared("api_call", "DELETE FROM api_call WHERE id = ?");
  if (remove == nullptr) return;
  remove->bind(1, row);
  note(remove->run());
}

Status RowBatch::commit() {
  if (m_open) {
    if (!m_error) note(m_writer.commit());
    // SQLite may have rolled back by itself; a second time does no harm.
    if (m_error) (void)m_writer.database().execute("ROLLBACK");
    m_open = false;
  }
  if (m_error) return tl::unexpected(*m_error);
  return {};
}

Status RowBatch::loadIds() {
  forEachTable([this]<class Row>() {
    if constexpr (TableOf<Row>::kKey.empty()) {
      const auto last =
          m_writer.database().scalar("SELECT coalesce(max(id), 0) FROM " + std::string(TableOf<Row>::kName));
      if (!last) return note(tl::unexpected(last.error()));
      m_ids.emplace_back(TableOf<Row>::kName, std::stoll(last->value_or("0")));
    }
  });
  if (m_error) return tl::unexpected(*m_error);
  return {};
}

Status RowBatch::close() {
  if (auto status = commit(); !status) return status;
  m_statements.clear();
  return m_writer.close();
}

}  // namespace perfscope
