// What a table is in C++: a row struct plus a flat list of its columns. DDL, INSERT, SELECT and the printed
// documentation are derived from this one list (see ddl.h), so they cannot drift apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace perfscope {

template <class Row, class Value>
struct Column {
  std::string_view name;  // lower_snake, the unit at its end
  Value Row::*member;
  std::string_view doc;
};

template <class Row, class Value>
constexpr Column<Row, Value> column(std::string_view name, Value Row::*member, std::string_view doc) {
  return {name, member, doc};
}

// Bytes that are not text.
struct Blob {
  std::string bytes;
};

// Specialised in tables.h: name, doc, key (SQL of the primary key clause, "" = first column is the rowid),
// columns.
template <class Row>
struct TableOf;

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

// SQL type of a column; a column that may be unknown is std::optional and allows NULL, all others are NOT
// NULL.
template <class Value>
constexpr std::string_view sqlType() {
  if constexpr (IsOptional<Value>::value) {
    return sqlType<typename Value::value_type>();
  } else if constexpr (std::is_integral_v<Value>) {
    return "INTEGER";
  } else if constexpr (std::is_floating_point_v<Value>) {
    return "REAL";
  } else if constexpr (std::is_same_v<Value, Blob>) {
    return "BLOB";
  } else {
    return "TEXT";
  }
}

}  // namespace perfscope
