// Creation and completion of a profile file.
#include "schemas/trace_writer.h"

namespace perfscope {

Result<TraceWriter> TraceWriter::create(const std::string& path, int64_t time_base_ns) {
  auto db = Database::open(path, Database::Mode::Create);
  if (!db) return tl::unexpected(db.error());
  // synchronous=OFF: a profile may be lost with the machine, never with the process, and fsync would stall
  // the recorder.
  const std::string setup =
      "PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = "
      "-32768;"
      "PRAGMA application_id = 0x50534350; PRAGMA user_version = " +
      std::to_string(kSchemaVersion) + ";";
  if (auto status = db->execute(setup); !status) return tl::unexpected(status.error());
  // One transaction: whoever is killed in between leaves a file without tables, never half a profile.
  if (auto status = db->execute("BEGIN; " + schemaSql()); !status) return tl::unexpected(status.error());
  TraceWriter writer(std::move(*db));
  for (const auto& [key, value] :
       {std::pair<std::string, std::string>{"schema_version", std::to_string(kSchemaVersion)},
        {"time_base_ns", std::to_string(time_base_ns)},
        {"closed", "0"}}) {
    if (auto status = writer.setMeta(key, value); !status) return tl::unexpected(status.error());
  }
  if (auto status = writer.commit(); !status) return tl::unexpected(status.error());
  return writer;
}

Result<TraceWriter> TraceWriter::append(const std::string& path) {
  auto db = Database::open(path, Database::Mode::ReadWrite);
  if (!db) return tl::unexpected(db.error());
  const auto version = db->scalar("PRAGMA user_version");
  if (!version) return tl::unexpected(version.error());
  const auto closed = db->scalar("SELECT value FROM meta WHERE key = 'closed'");
  if (!closed) return tl::unexpected(closed.error());
  if (version->value_or("") != std::to_string(kSchemaVersion) || closed->value_or("") != "0")
    return failure(ErrorKind::InputRefused, path,
                   "is complete or of another version; nothing can be added to it");
  if (auto status =
          db->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768;");
      !status)
    return tl::unexpected(status.error());
  return TraceWriter(std::move(*db));
}

Status TraceWriter::begin() {
  return m_db.execute("BEGIN IMMEDIATE");
}
Status TraceWriter::commit() {
  return m_db.execute("COMMIT");
}

Status TraceWriter::close() {
  // The checkpoint belongs to the session folder, which a complete profile does not need any more.
  if (auto status = m_db.execute("DELETE FROM meta WHERE key = 'checkpoint'"); !status) return status;
  if (auto status = setMeta("closed", "1"); !status) return status;
  m_statements.clear();
  return m_db.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE;");
}

}  // namespace perfscope
