// `perfscope query FILE SQL`: read-only SQL on a profile.
#include <CLI/CLI.hpp>

#include <memory>

#include "cli/command_table.h"
#include "cli/row_printer.h"
#include "cli/sql_text.h"
#include "cli/value_checks.h"
#include "schemas/ddl.h"
#include "schemas/trace_reader.h"

namespace perfscope::cli {
namespace {

struct Values {
  std::string file, sql;
  std::string format = "table";
  bool schema = false;
};

RowFormat rowFormat(const std::string& name) {
  return name == "csv" ? RowFormat::Csv : name == "json" ? RowFormat::Json : RowFormat::Table;
}

Status runQuery(Console& console, const Values& values) {
  const auto reader = TraceReader::open(values.file);
  if (!reader) {
    Error error = reader.error();
    if (checkQuestion(values.file))
      error.remedy = "the profile stands before the SQL: perfscope query FILE SQL";
    return tl::unexpected(error);
  }
  if (auto checked = checkQuestion(values.sql); !checked) return checked;
  auto statement = reader->database().prepare(values.sql);
  if (!statement) {
    Error error = statement.error();
    if (error.remedy.empty()) {
      error.remedy = error.reason.starts_with("no such")
                         ? "`perfscope query --schema` lists tables and columns"
                         : "write it in SQLite's dialect, quoted as one word";
    }
    return tl::unexpected(error);
  }
  if (!reader->database().isReadOnlySql(values.sql)) {
    return failure(ErrorKind::Usage, "query", "the statement would write: profiles are opened read-only",
                   "use SELECT");
  }
  auto printed = printRows(*statement, rowFormat(values.format), console.out);
  if (!printed && printed.error().remedy.empty()) {
    printed.error().remedy = "a row could not be computed: check the expressions of the SELECT";
  }
  return printed;
}

int query(Console& console, const Values& values) {
  if (values.schema) {
    console.out << schemaDocumentation();
    return 0;
  }
  if (values.file.empty() || values.sql.empty()) {
    return fail(console, {ErrorKind::Usage, "query",
                          values.file.empty() ? "no profile and no SQL given" : "no SQL given",
                          "`perfscope query FILE \"select * from v_kernel_summary\"`, or --schema"});
  }
  const auto status = runQuery(console, values);
  return status ? 0 : fail(console, status.error());
}

Runner define(CLI::App& app) {
  auto values = std::make_shared<Values>();
  app.add_option("FILE", values->file, "a profile");
  app.add_option("SQL", values->sql,
                 "one reading statement in SQLite's dialect; times are ns since the start of the run");
  app.add_option("--format", values->format,
                 "table (default), csv or json; in json a second column of one name is called name_2")
      ->check(oneOf({"table", "csv", "json"}))
      ->type_name("NAME");
  app.add_flag("--schema", values->schema, "print all tables, columns and views with their meaning");
  return [values](Console& console, const std::vector<std::string>&) { return query(console, *values); };
}

}  // namespace

Command queryCommand() {
  return {"query",
          "ask a profile in SQL, read-only",
          "[options] FILE SQL",
          {{"query train.perfscope \"select * from v_kernel_summary limit 10\"",
            "the ten kernels with the most time"},
           {"query train.perfscope \"select * from v_step\" --format csv > steps.csv",
            "the steps, for a spreadsheet"},
           {"query --schema", "what there is to ask for"}},
          false,
          define};
}

}  // namespace perfscope::cli
