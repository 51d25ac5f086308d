// The whole schema as SQL and as documentation, from the one list of tables.
#include "schemas/ddl.h"

#include "generated/views_sql.h"

namespace perfscope {

std::string schemaSql() {
  std::string text;
  forEachTable([&]<class Row>() { text += createTableSql<Row>(); });
  text += embedded::kViewsSql;
  return text;
}

std::string schemaDocumentation() {
  std::string text =
      "-- PerfScope profile, schema version " + std::to_string(kSchemaVersion) +
      ". A profile is one SQLite file; *_ns are nanoseconds since meta.time_base_ns (Unix ns).\n\n";
  forEachTable([&]<class Row>() {
    text += "-- " + std::string(TableOf<Row>::kDoc) + "\nTABLE " + std::string(TableOf<Row>::kName) + "\n";
    std::apply(
        [&](const auto&... c) {
          ((text += "  " + columnDefinition(c, false) + "  -- " + std::string(c.doc) + "\n"), ...);
        },
        TableOf<Row>::kColumns);
    text += "\n";
  });
  text += embedded::kViewsSql;
  return text;
}

}  // namespace perfscope
