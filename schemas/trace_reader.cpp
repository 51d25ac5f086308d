// Opening a profile: identity, version, completeness.
#include "schemas/trace_reader.h"

#include <charconv>
#include <filesystem>

#include "schemas/upgrade.h"

namespace perfscope {
namespace {

std::optional<int64_t> parseInteger(const std::optional<std::string>& text) {
  int64_t value = 0;
  if (!text) return std::nullopt;
  const auto* end = text->data() + text->size();
  const auto result = std::from_chars(text->data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

// A run that was killed before its profile had tables left a file that says nothing, and its session folder.
Error withRecovery(const std::string& path, Error error) {
  std::error_code ignored;
  const std::string session = path + ".session";
  if (error.kind == ErrorKind::InputRefused && std::filesystem::is_directory(session, ignored)) {
    error.reason += "; its recording was killed or has just begun";
    error.remedy = "`perfscope recover " + session + "` makes a profile of what was recorded";
  }
  return error;
}

}  // namespace

Result<TraceReader> TraceReader::open(const std::string& path) {
  auto reader = read(path);
  if (!reader) return tl::unexpected(withRecovery(path, reader.error()));
  return reader;
}

Result<TraceReader> TraceReader::read(const std::string& path) {
  auto db = Database::open(path, Database::Mode::ReadOnly);
  if (!db) return tl::unexpected(db.error());
  const auto is_ours = db->scalar(
      "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('meta', 'kernel', 'process')");
  if (!is_ours) return tl::unexpected(is_ours.error());
  if (*is_ours != "3") {
    return failure(ErrorKind::InputRefused, path, "is a SQLite file but not a PerfScope profile",
                   "this version reads PerfScope profiles only");
  }
  auto version = db->scalar("SELECT value FROM meta WHERE key = 'schema_version'");
  if (!version) return tl::unexpected(version.error());
  const auto number = parseInteger(*version);
  if (!number)
    return failure(ErrorKind::InputRefused, path + ", table meta",
                   "schema_version is missing or not a number");
  if (auto upgraded = upgradeForReading(*db, static_cast<int>(*number)); !upgraded)
    return tl::unexpected(upgraded.error());

  TraceReader reader(std::move(*db));
  auto closed = reader.meta("closed");
  if (!closed) return tl::unexpected(closed.error());
  reader.m_closed = *closed == "1";
  auto base = reader.meta("time_base_ns");
  if (!base) return tl::unexpected(base.error());
  const auto base_ns = parseInteger(*base);
  if (!base_ns)
    return failure(ErrorKind::InputRefused, path + ", table meta", "time_base_ns is missing or not a number");
  reader.m_time_base_ns = *base_ns;
  return reader;
}

Error TraceReader::asDamage(Error error) {
  if (error.kind != ErrorKind::Usage) return error;
  const auto colon = error.where.find(", query");
  return {ErrorKind::InputRefused, error.where.substr(0, colon), "is damaged: " + error.reason,
          "use a copy that is whole; `perfscope query FILE SQL` may still read other tables"};
}

Result<std::optional<std::string>> TraceReader::meta(const std::string& key) const {
  auto statement = m_db.prepare("SELECT value FROM meta WHERE key = ?");
  if (!statement) return tl::unexpected(statement.error());
  statement->bind(1, std::string_view(key));
  const auto row = statement->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row || statement->isNull(0)) return std::optional<std::string>();
  return std::optional<std::string>(statement->text(0));
}

}  // namespace perfscope
