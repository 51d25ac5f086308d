// The list of schema migrations.
#include "schemas/upgrade.h"

#include <array>

#include "schemas/tables.h"

namespace perfscope {

namespace {

// 1 -> 2: the table jit_event and its view came; an older profile has no such records.
constexpr std::string_view kJitWriting =
    "CREATE TABLE jit_event (id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL, device INTEGER NOT NULL, "
    "thread INTEGER, operation TEXT NOT NULL, entry TEXT NOT NULL, start_ns INTEGER NOT NULL, "
    "duration_ns INTEGER NOT NULL, correlation_id INTEGER, jit_id INTEGER NOT NULL, cache_bytes INTEGER);"
    "CREATE VIEW v_jit AS SELECT p.pid, p.rank, j.thread AS tid, j.operation, j.entry, j.start_ns, "
    "j.start_ns + j.duration_ns AS end_ns, j.duration_ns, j.jit_id, j.cache_bytes "
    "FROM jit_event j JOIN process p ON p.id = j.process_id;";
constexpr std::string_view kJitReading =
    "CREATE TEMP TABLE jit_event (id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL, device INTEGER NOT "
    "NULL, "
    "thread INTEGER, operation TEXT NOT NULL, entry TEXT NOT NULL, start_ns INTEGER NOT NULL, "
    "duration_ns INTEGER NOT NULL, correlation_id INTEGER, jit_id INTEGER NOT NULL, cache_bytes INTEGER);"
    "CREATE TEMP VIEW v_jit AS SELECT p.pid, p.rank, j.thread AS tid, j.operation, j.entry, j.start_ns, "
    "j.start_ns + j.duration_ns AS end_ns, j.duration_ns, j.jit_id, j.cache_bytes "
    "FROM jit_event j JOIN process p ON p.id = j.process_id;";

constexpr std::array<UpgradeStep, 1> kSteps = {{{1, kJitWriting, kJitReading}}};

}  // namespace

std::span<const UpgradeStep> upgradeSteps() {
  return kSteps;
}

Status upgradeForReading(Database& db, int version) {
  return upgradeForReading(db, version, upgradeSteps(), kSchemaVersion);
}

Status upgradeForReading(Database& db, int version, std::span<const UpgradeStep> steps, int target_version) {
  if (version > target_version) {
    return failure(ErrorKind::InputRefused, db.path(),
                   "has schema version " + std::to_string(version) + ", this program reads up to " +
                       std::to_string(target_version),
                   "use a newer PerfScope");
  }
  for (int at = version; at < target_version; ++at) {
    const UpgradeStep* found = nullptr;
    for (const auto& step : steps) {
      if (step.from_version == at) found = &step;
    }
    if (found == nullptr) {
      return failure(ErrorKind::InputRefused, db.path(),
                     "has schema version " + std::to_string(version) + ", which this program (version " +
                         std::to_string(target_version) + ") can no longer read",
                     "use the PerfScope that wrote it");
    }
    if (auto status = db.execute(found->reading_sql); !status) return status;
  }
  return {};
}

}  // namespace perfscope
