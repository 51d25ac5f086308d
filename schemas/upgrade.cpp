// The list of schema migrations.
#include "schemas/upgrade.h"

#include <array>

#include "schemas/ddl.h"
#include "schemas/tables.h"

namespace perfscope {
namespace {

constexpr std::string_view kCreate = "CREATE ";

template <class... Rows>
std::string newTables(std::string_view kind) {
  std::string sql;
  ((sql += std::string(kCreate) + std::string(kind) + createTableSql<Rows>().substr(kCreate.size())), ...);
  return sql;
}

// 1 -> 2: run-time compilation and hardware counters; an older profile has no such records.
std::string secondVersion(std::string_view kind) {
  return newTables<JitEventRow, CounterSetRow, CounterMetricRow, CounterBlockRow, ReplayRow, ReplayValueRow>(
             kind) +
         std::string(kCreate) + std::string(kind) +
         "VIEW v_jit AS SELECT p.pid, p.rank, j.thread AS tid, j.operation, j.entry, j.start_ns, "
         "j.start_ns + j.duration_ns AS end_ns, j.duration_ns, j.jit_id, j.cache_bytes "
         "FROM jit_event j JOIN process p ON p.id = j.process_id;";
}

}  // namespace

std::span<const UpgradeStep> upgradeSteps() {
  static const std::string writing = secondVersion("");
  static const std::string reading = secondVersion("TEMP ");
  static const std::array<UpgradeStep, 1> steps = {{{1, writing, reading}}};
  return steps;
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
