// Older profiles -> the version this program reads: an explicit list of steps, version n -> n + 1, as SQL
// text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "schemas/database.h"

namespace perfscope {

struct UpgradeStep {
  int from_version;
  std::string_view writing_sql;  // alters the file itself (`perfscope recover`, merge)
  std::string_view
      reading_sql;  // TEMP tables and views beside or over the old ones: the file stays untouched
};

// In order, one per version.
std::span<const UpgradeStep> upgradeSteps();

// Makes `db` (opened read-only, of schema `version`) look like the newest version through TEMP views.
// Refused with both versions named when it is newer than this program or a step is missing.
Status upgradeForReading(Database& db, int version);
Status upgradeForReading(Database& db, int version, std::span<const UpgradeStep> steps, int target_version);

}  // namespace perfscope
