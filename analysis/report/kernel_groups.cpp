// Grouping of kernel time by class, stream and rank.
#include "analysis/report/kernel_groups.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "schemas/trace_reader.h"

namespace perfscope {
namespace {

// Durations as the report counts them: records without a plausible time are left out there, too.
constexpr const char* kByStream =
    "SELECT device_id, 'stream ' || stream, count(*), sum(duration_ns) FROM kernel WHERE duration_ns >= 0 "
    "GROUP BY device_id, context, stream";
constexpr const char* kByRank =
    "SELECT k.device_id, coalesce('rank ' || p.rank, 'process ' || p.pid || ' (no rank)'), count(*), "
    "sum(k.duration_ns) FROM kernel k JOIN process p ON p.id = k.process_id WHERE k.duration_ns >= 0 "
    "GROUP BY k.device_id, p.id";

void finish(const Report& report, KernelGroups& groups) {
  for (auto& group : groups.list) {
    for (const auto& device : report.devices) {
      if (device.id == group.device && device.kernel_sum_ns > 0) {
        group.share = static_cast<double>(group.total_ns) / static_cast<double>(device.kernel_sum_ns);
      }
    }
  }
  std::sort(groups.list.begin(), groups.list.end(), [](const KernelGroup& a, const KernelGroup& b) {
    return std::tie(b.total_ns, a.name, a.device) < std::tie(a.total_ns, b.name, b.device);
  });
}

Result<KernelGroups> groupBySql(const Report& report, const std::string& by, const char* sql) {
  auto reader = TraceReader::open(report.path);
  if (!reader) return tl::unexpected(reader.error());
  auto statement = reader->database().prepare(sql);
  if (!statement) return tl::unexpected(statement.error());
  KernelGroups groups{by, {}};
  for (;;) {
    const auto more = statement->step();
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    groups.list.push_back(
        {statement->text(1), statement->int64(0), statement->int64(2), statement->int64(3), 0});
  }
  finish(report, groups);
  return groups;
}

}  // namespace

KernelGroups groupByClass(const Report& report) {
  std::map<std::pair<int64_t, std::string>, KernelGroup> sums;
  for (const auto& kernel : report.kernels) {
    auto& group = sums[{kernel.device, kernel.kernel_class}];
    group.name = kernel.kernel_class;
    group.device = kernel.device;
    group.count += kernel.count;
    group.total_ns += kernel.total_ns;
  }
  KernelGroups groups{"class", {}};
  for (auto& [key, group] : sums) groups.list.push_back(std::move(group));
  finish(report, groups);
  return groups;
}

Result<KernelGroups> groupKernels(const Report& report, const std::string& by) {
  if (by == "class") return groupByClass(report);
  if (by == "stream") return groupBySql(report, by, kByStream);
  if (by == "rank") return groupBySql(report, by, kByRank);
  return failure(ErrorKind::Usage, "--by", "cannot group by \"" + by + "\"",
                 "choose kernel, class, stream or rank");
}

}  // namespace perfscope
