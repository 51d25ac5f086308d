// The kernel table, and the same time grouped otherwise.
#include <fmt/format.h>

#include <map>

#include "analysis/report/format.h"
#include "analysis/report/kernel_labels.h"
#include "analysis/report/report_text_sections.h"
#include "analysis/report/report_words.h"

namespace perfscope::text_report {
namespace {

std::string time(int64_t ns) {
  return format::duration(static_cast<double>(ns));
}

std::string rateOf(const KernelReport& kernel) {
  if (kernel.achieved_flops.has()) return format::flopsPerSecond(*kernel.achieved_flops);
  if (kernel.achieved_bytes_per_s.has()) return format::bytesPerSecond(*kernel.achieved_bytes_per_s);
  return "-";
}

// Why a "-" stands in the table: the same reason is said once, with the number of kernels it holds for.
void explainMissing(Page& page, const std::vector<KernelReport>& kernels, size_t shown) {
  std::map<std::string, int> reasons;
  for (size_t i = 0; i < shown; ++i) {
    if (!kernels[i].achieved_flops.has() && !kernels[i].achieved_bytes_per_s.has())
      ++reasons[kernels[i].achieved_flops.why];
  }
  for (const auto& [why, count] : reasons) {
    page.text(
        2, fmt::format("-  rate of {} above {}", format::counted(count, "kernel"), words::notMeasured(why)),
        Ink::Dim, 2);
  }
}

void printGroups(Page& page, const Report& report, const KernelGroups& groups, size_t top) {
  page.heading("KERNELS BY " + groups.by, "sums of kernel durations; share = of all kernel time of that GPU");
  const bool many = report.devices.size() > 1;
  TextTable table({{many ? "GPU" : ""}, {"share"}, {"total"}, {"calls"}, {groups.by, true, true}});
  for (size_t i = 0; i < groups.list.size() && i < top; ++i) {
    const auto& group = groups.list[i];
    table.row({{many ? std::to_string(group.device) : ""},
               {format::percent(group.share)},
               {time(group.total_ns)},
               {format::count(group.count)},
               {group.name}});
  }
  table.print(page);
  if (groups.list.size() > top)
    page.text(2, fmt::format("and {} more (--top)", groups.list.size() - top), Ink::Dim);
}

std::vector<TableColumn> kernelColumns(bool many) {
  std::vector<TableColumn> columns;
  if (many) columns.push_back({"GPU"});
  columns.push_back({"share"});
  columns.push_back({"total"});
  columns.push_back({"calls", false, false, 1});
  columns.push_back({"median", false, false, 2});
  columns.push_back({"kernel", true, true});
  columns.push_back({"rate", false, false, 5});
  columns.push_back({"of roof", false, false, 4});
  columns.push_back({"limit", true, false, 3});
  return columns;
}

}  // namespace

void printKernels(Page& page, const Report& report, const TextOptions& options) {
  if (options.groups != nullptr) {
    printGroups(page, report, *options.groups, options.top);
    return;
  }
  page.heading("KERNELS", "programs that ran on the GPU, by time; share = of all kernel time of that GPU");
  if (report.kernels.empty()) {
    page.text(2, "No kernel ran.");
    return;
  }
  const bool many = report.devices.size() > 1;
  const size_t shown = std::min(options.top, report.kernels.size());
  const auto labels = kernelLabels(report.kernels);
  TextTable table(kernelColumns(many));
  int64_t rest_ns = 0;
  for (size_t i = 0; i < report.kernels.size(); ++i) {
    const auto& kernel = report.kernels[i];
    if (i >= shown) {
      rest_ns += kernel.total_ns;
      continue;
    }
    std::vector<Span> cells;
    if (many) cells.push_back({std::to_string(kernel.device)});
    cells.push_back({format::percent(kernel.share)});
    cells.push_back({time(kernel.total_ns)});
    cells.push_back({format::count(kernel.count)});
    cells.push_back({time(kernel.duration.p50_ns)});
    cells.push_back({labels[i], Ink::Bold});
    cells.push_back({rateOf(kernel)});
    cells.push_back(
        {kernel.roofline.fraction_of_roof.has() ? format::percent(*kernel.roofline.fraction_of_roof) : "-"});
    cells.push_back({words::title(words::roofline(kernel.roofline.verdict), kernel.roofline.verdict)});
    table.row(std::move(cells));
  }
  table.print(page);
  if (shown < report.kernels.size()) {
    page.text(2,
              fmt::format("and {} more with {} in sum (--top)", report.kernels.size() - shown, time(rest_ns)),
              Ink::Dim);
  }
  explainMissing(page, report.kernels, shown);
  printCounters(page, report, options);
}

}  // namespace perfscope::text_report
