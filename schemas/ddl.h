// Pure: table description -> CREATE, INSERT and SELECT text, and the printed documentation of the schema.
#pragma once

#include <string>

#include "schemas/tables.h"

namespace perfscope {

template <class Row>
std::string columnNames() {
  std::string text;
  std::apply([&](const auto&... c) { ((text += (text.empty() ? "" : ", ") + std::string(c.name)), ...); },
             TableOf<Row>::kColumns);
  return text;
}

template <class Row, class Value>
std::string columnDefinition(const Column<Row, Value>& c, bool is_key) {
  std::string text = std::string(c.name) + " " + std::string(sqlType<Value>());
  if (is_key) return text + " PRIMARY KEY";
  if constexpr (!IsOptional<Value>::value) text += " NOT NULL";
  return text;
}

template <class Row>
std::string createTableSql() {
  std::string body;
  const bool own_key = !TableOf<Row>::kKey.empty();
  std::apply(
      [&](const auto&... c) {
        ((body += (body.empty() ? "  " : ",\n  ") + columnDefinition(c, body.empty() && !own_key)), ...);
      },
      TableOf<Row>::kColumns);
  const std::string tail = own_key ? ",\n  " + std::string(TableOf<Row>::kKey) : ")";
  return "CREATE TABLE " + std::string(TableOf<Row>::kName) + " (\n" + body + tail + ";\n";
}

// `verb` is INSERT or INSERT OR REPLACE.
template <class Row>
std::string insertSql(std::string_view verb = "INSERT") {
  constexpr size_t kCount = std::tuple_size_v<decltype(TableOf<Row>::kColumns)>;
  std::string marks = "?";
  for (size_t i = 1; i < kCount; ++i) marks += ", ?";
  return std::string(verb) + " INTO " + std::string(TableOf<Row>::kName) + " (" + columnNames<Row>() +
         ") VALUES (" + marks + ")";
}

template <class Row>
std::string selectSql(std::string_view tail = {}) {
  return "SELECT " + columnNames<Row>() + " FROM " + std::string(TableOf<Row>::kName) + " " +
         std::string(tail);
}

// CREATE statements of all tables and views, in order.
std::string schemaSql();

// The same for people: every table, column, type and meaning, then the views.
std::string schemaDocumentation();

}  // namespace perfscope
