// The list of schema migrations.
#include "schemas/upgrade.h"

#include "schemas/tables.h"

namespace perfscope {

std::span<const UpgradeStep> upgradeSteps() {
  return {};
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
