// SQLite behind RAII; every SQLite error becomes an Error with the file, SQLite's own text and a remedy where
// one is known.
#include "schemas/database.h"

#include <sqlite3.h>

#include <filesystem>
#include <utility>

namespace perfscope {
namespace {

ErrorKind kindOf(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
      return ErrorKind::Output;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return ErrorKind::InputRefused;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return ErrorKind::InputMissing;
    case SQLITE_ERROR:
      return ErrorKind::Usage;
    default:
      return ErrorKind::Internal;
  }
}

std::string remedyOf(int code) {
  switch (code & 0xff) {
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return "check the permissions of the file and its folder";
    case SQLITE_FULL:
      return "free disk space or choose another place with -o";
    case SQLITE_NOTADB:
      return "give a PerfScope profile; this version reads no other format";
    case SQLITE_CORRUPT:
      return "the file is damaged; `perfscope recover` works on the session folder if it still exists";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another process writes this file; wait for it to end";
    default:
      return {};
  }
}

tl::unexpected<Error> sqliteFailure(sqlite3* db, int code, const std::string& where) {
  const char* text = db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(code);
  return failure(kindOf(code), where, text, remedyOf(code));
}

std::string pathOf(sqlite3* db) {
  const char* name = sqlite3_db_filename(db, "main");
  return name != nullptr && *name != '\0' ? name : "database";
}

std::string percentEncode(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      constexpr std::string_view kHex = "0123456789abcdef";
      text += '%';
      text += kHex[static_cast<unsigned char>(c) >> 4];
      text += kHex[static_cast<unsigned char>(c) & 15];
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

Statement::~Statement() {
  sqlite3_finalize(m_stmt);
}

Statement::Statement(Statement&& other) noexcept
    : m_db(std::exchange(other.m_db, nullptr)), m_stmt(std::exchange(other.m_stmt, nullptr)) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(m_db, other.m_db);
  std::swap(m_stmt, other.m_stmt);
  return *this;
}

void Statement::bind(int index, int64_t value) {
  sqlite3_bind_int64(m_stmt, index, value);
}
void Statement::bind(int index, double value) {
  sqlite3_bind_double(m_stmt, index, value);
}
void Statement::bind(int index, std::string_view value) {
  sqlite3_bind_text(m_stmt, index, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
}
void Statement::bind(int index, const Blob& value) {
  sqlite3_bind_blob64(m_stmt, index, value.bytes.data(), value.bytes.size(), SQLITE_TRANSIENT);
}
void Statement::bindNull(int index) {
  sqlite3_bind_null(m_stmt, index);
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(m_stmt);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(m_stmt);
    return false;
  }
  auto error = sqliteFailure(m_db, code, pathOf(m_db));
  sqlite3_reset(m_stmt);
  return error;
}

Status Statement::run() {
  const auto row = step();
  if (!row) return tl::unexpected(row.error());
  if (*row) sqlite3_reset(m_stmt);
  return {};
}

void Statement::reset() {
  sqlite3_reset(m_stmt);
}
int Statement::columnCount() const {
  return sqlite3_column_count(m_stmt);
}
std::string Statement::columnName(int index) const {
  const char* name = sqlite3_column_name(m_stmt, index);
  return name != nullptr ? name : "";
}
bool Statement::isNull(int index) const {
  return sqlite3_column_type(m_stmt, index) == SQLITE_NULL;
}
bool Statement::isInteger(int index) const {
  return sqlite3_column_type(m_stmt, index) == SQLITE_INTEGER;
}
bool Statement::isReal(int index) const {
  return sqlite3_column_type(m_stmt, index) == SQLITE_FLOAT;
}
int64_t Statement::int64(int index) const {
  return sqlite3_column_int64(m_stmt, index);
}
double Statement::real(int index) const {
  return sqlite3_column_double(m_stmt, index);
}
std::string Statement::text(int index) const {
  const auto* bytes = sqlite3_column_text(m_stmt, index);
  const auto size = static_cast<size_t>(sqlite3_column_bytes(m_stmt, index));
  return bytes != nullptr ? std::string(reinterpret_cast<const char*>(bytes), size) : std::string();
}

Blob Statement::blob(int index) const {
  const auto* bytes = sqlite3_column_blob(m_stmt, index);
  const auto size = static_cast<size_t>(sqlite3_column_bytes(m_stmt, index));
  return {bytes != nullptr ? std::string(static_cast<const char*>(bytes), size) : std::string()};
}

Database::~Database() {
  sqlite3_close_v2(m_db);
}
Database::Database(Database&& other) noexcept
    : m_db(std::exchange(other.m_db, nullptr)), m_path(std::move(other.m_path)) {}
Database& Database::operator=(Database&& other) noexcept {
  std::swap(m_db, other.m_db);
  std::swap(m_path, other.m_path);
  return *this;
}

Result<Database> Database::open(const std::string& path, Mode mode) {
  std::error_code ignored;
  const bool exists = path == ":memory:" || std::filesystem::exists(path, ignored);
  if (mode == Mode::Create && exists && path != ":memory:") {
    return failure(ErrorKind::Output, path, "the file exists", "choose another name or pass --force");
  }
  if (mode != Mode::Create && !exists) {
    return failure(ErrorKind::InputMissing, path, "no such file", "check the path");
  }
  if (path != ":memory:" && std::filesystem::is_directory(path, ignored)) {
    return failure(ErrorKind::InputRefused, path, "is a folder, not a profile", "name one .perfscope file");
  }
  if (path != ":memory:" && exists && !std::filesystem::is_regular_file(path, ignored)) {
    return failure(ErrorKind::InputRefused, path, "is a pipe or a device, not a file",
                   "name one .perfscope file");
  }
  if (mode == Mode::ReadOnly && exists && path != ":memory:" &&
      std::filesystem::file_size(path, ignored) == 0) {
    return failure(ErrorKind::InputRefused, path, "is empty", "give a PerfScope profile");
  }
  Database db;
  db.m_path = path;
  const int flags = mode == Mode::ReadOnly    ? SQLITE_OPEN_READONLY
                    : mode == Mode::ReadWrite ? SQLITE_OPEN_READWRITE
                                              : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  int code = sqlite3_open_v2(path.c_str(), &db.m_db, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code == SQLITE_OK) {
    // The file is first read here: garbage and unreadable WAL files show up now, not at the first query.
    code = sqlite3_exec(db.m_db, "PRAGMA schema_version", nullptr, nullptr, nullptr);
  }
  if (code != SQLITE_OK && mode == Mode::ReadOnly &&
      ((code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY)) {
    // A WAL profile on read-only media cannot make its -shm file; immutable says that nobody writes there.
    sqlite3_close_v2(std::exchange(db.m_db, nullptr));
    const std::string uri = "file:" + percentEncode(path) + "?immutable=1";
    code = sqlite3_open_v2(uri.c_str(), &db.m_db,
                           SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, nullptr);
    if (code == SQLITE_OK) code = sqlite3_exec(db.m_db, "PRAGMA schema_version", nullptr, nullptr, nullptr);
  }
  if (code != SQLITE_OK) {
    auto error = sqliteFailure(db.m_db, code, path);
    if (mode == Mode::Create) {
      error = failure(ErrorKind::Output, path, sqlite3_errmsg(db.m_db),
                      "check that the folder exists and is writable");
    }
    return error;
  }
  sqlite3_busy_timeout(db.m_db, 5000);
  return db;
}

Result<Statement> Database::prepare(std::string_view sql) const {
  sqlite3_stmt* stmt = nullptr;
  const int code = sqlite3_prepare_v3(m_db, sql.data(), static_cast<int>(sql.size()), 0, &stmt, nullptr);
  if (code != SQLITE_OK)
    return sqliteFailure(m_db, code, m_path + ", query \"" + std::string(sql.substr(0, 120)) + "\"");
  if (stmt == nullptr)
    return failure(ErrorKind::Usage, m_path, "the query is empty", "give one SQL statement");
  return Statement(m_db, stmt);
}

Status Database::execute(std::string_view sql) const {
  const std::string text(sql);
  const int code = sqlite3_exec(m_db, text.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return sqliteFailure(m_db, code, m_path + ", \"" + text.substr(0, 80) + "\"");
  return {};
}

Result<std::optional<std::string>> Database::scalar(std::string_view sql) const {
  auto statement = prepare(sql);
  if (!statement) return tl::unexpected(statement.error());
  const auto row = statement->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row || statement->isNull(0)) return std::optional<std::string>();
  return std::optional<std::string>(statement->text(0));
}

bool Database::isReadOnlySql(std::string_view sql) const {
  sqlite3_stmt* stmt = nullptr;
  if (sqlite3_prepare_v3(m_db, sql.data(), static_cast<int>(sql.size()), 0, &stmt, nullptr) != SQLITE_OK)
    return false;
  const bool read_only = stmt != nullptr && sqlite3_stmt_readonly(stmt) != 0;
  sqlite3_finalize(stmt);
  return read_only;
}

void Database::interrupt() const {
  sqlite3_interrupt(m_db);
}

Result<Transaction> Transaction::begin(Database& db) {
  if (auto status = db.execute("BEGIN IMMEDIATE"); !status) return tl::unexpected(status.error());
  return Transaction(&db);
}

Transaction::~Transaction() {
  if (m_db != nullptr) (void)m_db->execute("ROLLBACK");
}

Status Transaction::commit() {
  auto status = m_db->execute("COMMIT");
  if (status) m_db = nullptr;
  return status;
}

}  // namespace perfscope
