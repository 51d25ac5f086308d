// What hardware counters tell of each kernel: one table below the kernels, one line for each reason why a
// cell is empty.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/report/format.h"
#include "analysis/report/kernel_labels.h"
#include "analysis/report/report_text_sections.h"
#include "analysis/report/report_words.h"

namespace perfscope::text_report {
namespace {

bool isMeasured(const KernelReport& kernel) {
  return kernel.bytes.dram_read.has() || kernel.bytes.dram_write.has() || kernel.bytes.l2.has() ||
         kernel.tensor_active.has();
}

std::string perLaunch(const Measured<double>& total, int64_t count) {
  return total.has() && count > 0 ? format::bytes(*total / static_cast<double>(count)) : "-";
}

// Half an interval against its middle value.
std::string uncertainty(const KernelReport& kernel) {
  const BytesReport& bytes = kernel.bytes;
  if (!bytes.dram_low || !bytes.dram_high || !bytes.dram_read.has() || !bytes.dram_write.has()) return "-";
  const double total = *bytes.dram_read + *bytes.dram_write;
  if (total <= 0) return "-";
  return "+- " + format::percent((*bytes.dram_high - *bytes.dram_low) / 2 / total);
}

std::string origin(const KernelReport& kernel) {
  const auto& value = kernel.bytes.dram_read.has() ? kernel.bytes.dram_read : kernel.bytes.dram_write;
  if (!value.has()) return "-";
  return value.provenance == "measured:replay" ? "counted" : "sampled";
}

void explainMissing(Page& page, const std::vector<KernelReport>& kernels, size_t shown) {
  std::map<std::string, int64_t> reasons;
  for (size_t i = 0; i < shown; ++i)
    if (!kernels[i].bytes.dram_read.has()) ++reasons[kernels[i].bytes.dram_read.why];
  for (const auto& [why, count] : reasons) {
    page.text(2,
              fmt::format("-  bytes read by {} above {}", format::counted(count, "kernel"),
                          words::notMeasured(why)),
              Ink::Dim, 2);
  }
}

}  // namespace

void printCounters(Page& page, const Report& report, const TextOptions& options) {
  const size_t shown = std::min(options.top, report.kernels.size());
  const auto end = report.kernels.begin() + static_cast<std::ptrdiff_t>(shown);
  if (std::none_of(report.kernels.begin(), end, isMeasured)) return;
  page.blank();
  page.text(2, "Hardware counters: mean of a launch at the device memory (+-: of both, by resampling)",
            Ink::Dim);
  const auto labels = kernelLabels(report.kernels);
  TextTable table({{"kernel", true, true},
                   {"read"},
                   {"written"},
                   {"+-", false, false, 3},
                   {"L2", false, false, 4},
                   {"tensor", false, false, 2},
                   {"how", true, false, 5}});
  for (size_t i = 0; i < shown; ++i) {
    const KernelReport& kernel = report.kernels[i];
    table.row({{labels[i], Ink::Bold},
               {perLaunch(kernel.bytes.dram_read, kernel.count)},
               {perLaunch(kernel.bytes.dram_write, kernel.count)},
               {uncertainty(kernel)},
               {perLaunch(kernel.bytes.l2, kernel.count)},
               {kernel.tensor_active.has() ? format::percent(*kernel.tensor_active) : "-"},
               {origin(kernel)}});
  }
  table.print(page);
  explainMissing(page, report.kernels, shown);
}

}  // namespace perfscope::text_report
