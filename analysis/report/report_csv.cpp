// The columns of the CSV form, declared once.
#include "analysis/report/report_csv.h"

#include <algorithm>
#include <array>

#include "analysis/report/format.h"

namespace perfscope {
namespace {

std::string cell(const Measured<double>& measured) {
  return measured.has() ? format::exact(*measured) : std::string();
}

std::string dimensions(const int64_t (&values)[3]) {
  return std::to_string(values[0]) + "x" + std::to_string(values[1]) + "x" + std::to_string(values[2]);
}

struct CsvColumn {
  const char* name;
  const char* doc;
  std::string (*print)(const KernelReport&);
};

using K = KernelReport;

constexpr std::array<CsvColumn, 43> kColumns = {{
    {"device", "id of the GPU in the profile", [](const K& k) { return std::to_string(k.device); }},
    {"name", "full name of the kernel", [](const K& k) { return k.name; }},
    {"short_name", "name without arguments", [](const K& k) { return k.short_name; }},
    {"class", "kind of work, told by the name: gemm, attention, elementwise, ...",
     [](const K& k) { return k.kernel_class; }},
    {"count", "launches", [](const K& k) { return std::to_string(k.count); }},
    {"total_ns", "sum of the durations, ns", [](const K& k) { return std::to_string(k.total_ns); }},
    {"share", "of all kernel time of that GPU, 0 to 1", [](const K& k) { return format::exact(k.share); }},
    {"min_ns", "shortest launch, ns", [](const K& k) { return std::to_string(k.duration.min_ns); }},
    {"p50_ns", "median duration, ns", [](const K& k) { return std::to_string(k.duration.p50_ns); }},
    {"p95_ns", "95th percentile of the duration, ns",
     [](const K& k) { return std::to_string(k.duration.p95_ns); }},
    {"max_ns", "longest launch, ns", [](const K& k) { return std::to_string(k.duration.max_ns); }},
    {"grid", "blocks in x, y, z of the launch shape with the most time",
     [](const K& k) { return dimensions(k.grid); }},
    {"block", "threads of a block in x, y, z, same shape", [](const K& k) { return dimensions(k.block); }},
    {"shape_count", "launch shapes seen", [](const K& k) { return std::to_string(k.shape_count); }},
    {"registers_per_thread", "registers of a thread, same shape",
     [](const K& k) { return std::to_string(k.registers); }},
    {"shared_bytes_per_block", "static and dynamic shared memory of a block, bytes, same shape",
     [](const K& k) { return std::to_string(k.shared_bytes); }},
    {"graph_node_count", "launches that came from CUDA graphs",
     [](const K& k) { return std::to_string(k.graph_node_count); }},
    {"occupancy", "resident warps over the most possible, 0 to 1",
     [](const K& k) { return cell(k.occupancy); }},
    {"waves", "blocks over the blocks that fit on the GPU at once", [](const K& k) { return cell(k.waves); }},
    {"tail", "unused part of the last wave, 0 to 1", [](const K& k) { return cell(k.tail); }},
    {"algorithmic_flops", "floating-point operations of all launches, from the library calls",
     [](const K& k) { return cell(k.flops.algorithmic); }},
    {"algorithmic_bytes", "bytes of all launches when each operand is moved once",
     [](const K& k) { return cell(k.bytes.algorithmic); }},
    {"intensity_algorithmic", "FLOP per byte of these two",
     [](const K& k) { return cell(k.intensity_algorithmic); }},
    {"achieved_flops_per_s", "FLOP/s over the time of the launches that carry FLOPs",
     [](const K& k) { return cell(k.achieved_flops); }},
    {"achieved_bytes_per_s", "bytes/s over the time of the launches that carry bytes",
     [](const K& k) { return cell(k.achieved_bytes_per_s); }},
    {"precision", "number format the ceiling belongs to", [](const K& k) { return k.roofline.precision; }},
    {"ceiling_flops_per_s", "the data sheet's peak of that precision, FLOP/s",
     [](const K& k) { return cell(k.roofline.ceiling_flops); }},
    {"ceiling_flops_at_clock", "that peak at the median SM clock of the analysed time, FLOP/s",
     [](const K& k) { return cell(k.roofline.ceiling_flops_at_clock); }},
    {"ceiling_bytes_per_s", "memory bandwidth of the data sheet, bytes/s",
     [](const K& k) { return cell(k.roofline.ceiling_bytes_per_s); }},
    {"fraction_of_roof",
     "of what its intensity allows under the peak at the recorded clock (the data sheet's where no clock was "
     "sampled) and the bandwidth, 0 to 1",
     [](const K& k) { return cell(k.roofline.fraction_of_roof); }},
    {"roofline_verdict", "memory, compute, below_both, launch, no_flops or unknown",
     [](const K& k) { return k.roofline.verdict; }},
    {"ceiling_flops_calibrated", "the peak measured by `perfscope calibrate`, at that clock, FLOP/s",
     [](const K& k) { return cell(k.roofline.ceiling_flops_calibrated); }},
    {"ceiling_bytes_per_s_calibrated", "memory bandwidth measured by `perfscope calibrate`, bytes/s",
     [](const K& k) { return cell(k.roofline.ceiling_bytes_per_s_calibrated); }},
    {"flops_why", "why algorithmic_flops is empty",
     [](const K& k) {
       return k.flops.algorithmic.has() ? std::string() : "not measured, because " + k.flops.algorithmic.why;
     }},
    {"dram_read_bytes", "bytes read from device memory by all launches, from hardware counters",
     [](const K& k) { return cell(k.bytes.dram_read); }},
    {"dram_write_bytes", "bytes written to it", [](const K& k) { return cell(k.bytes.dram_write); }},
    {"dram_bytes_low", "lower end of both in 95 % of the resamples (lowest count when replayed)",
     [](const K& k) { return k.bytes.dram_low ? format::exact(*k.bytes.dram_low) : std::string(); }},
    {"dram_bytes_high", "upper end",
     [](const K& k) { return k.bytes.dram_high ? format::exact(*k.bytes.dram_high) : std::string(); }},
    {"l2_bytes", "bytes requested at the L2 by all launches", [](const K& k) { return cell(k.bytes.l2); }},
    {"intensity_dram", "FLOP per byte of device memory", [](const K& k) { return cell(k.intensity_dram); }},
    {"executed_flops", "operations the launches executed, counted or estimated from tensor activity",
     [](const K& k) { return cell(k.flops.executed); }},
    {"tensor_active", "tensor pipe busy, part of the time over all SMs, 0 to 1",
     [](const K& k) { return cell(k.tensor_active); }},
    {"dram_why", "why dram_read_bytes is empty",
     [](const K& k) {
       return k.bytes.dram_read.has() ? std::string() : "not measured, because " + k.bytes.dram_read.why;
     }},
}};

void append(std::string& text, std::string_view cell_text, bool last) {
  text += csvCell(cell_text);
  text += last ? "\r\n" : ",";
}

std::string renderGroups(const KernelGroups& groups, size_t top) {
  std::string text = "device," + groups.by + ",count,total_ns,share\r\n";
  for (size_t i = 0; i < groups.list.size() && i < top; ++i) {
    const auto& group = groups.list[i];
    append(text, std::to_string(group.device), false);
    append(text, group.name, false);
    append(text, std::to_string(group.count), false);
    append(text, std::to_string(group.total_ns), false);
    append(text, format::exact(group.share), true);
  }
  return text;
}

}  // namespace

std::string csvCell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::vector<CsvColumnInfo> csvColumns() {
  std::vector<CsvColumnInfo> columns;
  columns.reserve(kColumns.size());
  for (const auto& column : kColumns) columns.push_back({column.name, column.doc});
  return columns;
}

std::string renderCsv(const Report& report, const CsvOptions& options) {
  const size_t top = options.top.value_or(SIZE_MAX);
  if (options.groups != nullptr) return renderGroups(*options.groups, top);
  std::string text;
  for (size_t i = 0; i < kColumns.size(); ++i) append(text, kColumns[i].name, i + 1 == kColumns.size());
  for (size_t row = 0; row < std::min(top, report.kernels.size()); ++row) {
    for (size_t i = 0; i < kColumns.size(); ++i) {
      append(text, kColumns[i].print(report.kernels[row]), i + 1 == kColumns.size());
    }
  }
  return text;
}

}  // namespace perfscope
