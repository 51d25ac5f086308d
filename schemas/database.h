// RAII over SQLite: connection, statement, transaction. The only room that sees sqlite3.h is database.cpp.
// Ownership: handles are move-only and close themselves; a Statement must not outlive its Database.
// Threads: one Database is used by one thread at a time; open several for parallel reading.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/result.h"
#include "schemas/table.h"

struct sqlite3;
struct sqlite3_stmt;

namespace perfscope {

class Statement {
 public:
  Statement() = default;
  Statement(sqlite3* db, sqlite3_stmt* stmt) : m_db(db), m_stmt(stmt) {}
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Parameters count from 1. Text is copied by SQLite.
  void bind(int index, int64_t value);
  void bind(int index, double value);
  void bind(int index, std::string_view value);
  void bind(int index, const Blob& value);
  void bindNull(int index);
  template <class T>
  void bind(int index, const std::optional<T>& value) {
    if (value) {
      bind(index, *value);
    } else {
      bindNull(index);
    }
  }

  // True = a row is there. False = done; the statement is reset and may be stepped again.
  Result<bool> step();
  // For statements without rows: bind -> run -> bind -> run ...
  Status run();
  void reset();

  // Columns count from 0, valid after step() returned true.
  [[nodiscard]] int columnCount() const;
  [[nodiscard]] std::string columnName(int index) const;
  [[nodiscard]] bool isNull(int index) const;
  [[nodiscard]] bool isInteger(int index) const;
  [[nodiscard]] bool isReal(int index) const;
  [[nodiscard]] int64_t int64(int index) const;
  [[nodiscard]] double real(int index) const;
  [[nodiscard]] std::string text(int index) const;
  [[nodiscard]] Blob blob(int index) const;

  template <class T>
  void read(int index, T& value) const {
    if constexpr (std::is_same_v<T, std::string>) {
      value = text(index);
    } else if constexpr (std::is_same_v<T, Blob>) {
      value = blob(index);
    } else if constexpr (std::is_floating_point_v<T>) {
      value = real(index);
    } else {
      value = static_cast<T>(int64(index));
    }
  }
  template <class T>
  void read(int index, std::optional<T>& value) const {
    value.reset();
    if (!isNull(index)) read(index, value.emplace());
  }

 private:
  sqlite3* m_db = nullptr;
  sqlite3_stmt* m_stmt = nullptr;
};

class Database {
 public:
  enum class Mode { ReadOnly, ReadWrite, Create };

  Database() = default;
  ~Database();
  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Create fails when the file exists. ReadOnly works on read-only media too (falls back to an immutable
  // open).
  static Result<Database> open(const std::string& path, Mode mode);

  Result<Statement> prepare(std::string_view sql) const;
  Status execute(std::string_view sql) const;  // one or more statements without rows
  Result<std::optional<std::string>> scalar(
      std::string_view sql) const;  // first column of the first row, as text
  // True when the first statement of `sql` changes nothing; false also for text that does not compile.
  [[nodiscard]] bool isReadOnlySql(std::string_view sql) const;
  // Interrupts a running statement from another thread (progress/cancel).
  void interrupt() const;
  [[nodiscard]] const std::string& path() const { return m_path; }
  [[nodiscard]] bool isOpen() const { return m_db != nullptr; }

 private:
  sqlite3* m_db = nullptr;
  std::string m_path;
};

// Rolls back unless committed.
class Transaction {
 public:
  static Result<Transaction> begin(Database& db);
  ~Transaction();
  Transaction(Transaction&& other) noexcept : m_db(other.m_db) { other.m_db = nullptr; }
  Transaction& operator=(Transaction&&) = delete;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  Status commit();

 private:
  explicit Transaction(Database* db) : m_db(db) {}
  Database* m_db;
};

}  // namespace perfscope
