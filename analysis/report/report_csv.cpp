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
  std::string (*print)(const KernelReport&);
};

using K = KernelReport;

constexpr std::array<CsvColumn, 31> kColumns = {{
    {"device", [](const K& k) { return std::to_string(k.device); }},
    {"name", [](const K& k) { return k.name; }},
    {"short_name", [](const K& k) { return k.short_name; }},
    {"class", [](const K& k) { return k.kernel_class; }},
    {"count", [](const K& k) { return std::to_string(k.count); }},
    {"total_ns", [](const K& k) { return std::to_string(k.total_ns); }},
    {"share", [](const K& k) { return format::exact(k.share); }},
    {"min_ns", [](const K& k) { return std::to_string(k.duration.min_ns); }},
    {"p50_ns", [](const K& k) { return std::to_string(k.duration.p50_ns); }},
    {"p95_ns", [](const K& k) { return std::to_string(k.duration.p95_ns); }},
    {"max_ns", [](const K& k) { return std::to_string(k.duration.max_ns); }},
    {"grid", [](const K& k) { return dimensions(k.grid); }},
    {"block", [](const K& k) { return dimensions(k.block); }},
    {"shape_count", [](const K& k) { return std::to_string(k.shape_count); }},
    {"registers_per_thread", [](const K& k) { return std::to_string(k.registers); }},
    {"shared_bytes_per_block", [](const K& k) { return std::to_string(k.shared_bytes); }},
    {"graph_node_count", [](const K& k) { return std::to_string(k.graph_node_count); }},
    {"occupancy", [](const K& k) { return cell(k.occupancy); }},
    {"waves", [](const K& k) { return cell(k.waves); }},
    {"tail", [](const K& k) { return cell(k.tail); }},
    {"algorithmic_flops", [](const K& k) { return cell(k.flops.algorithmic); }},
    {"algorithmic_bytes", [](const K& k) { return cell(k.bytes.algorithmic); }},
    {"intensity_algorithmic", [](const K& k) { return cell(k.intensity_algorithmic); }},
    {"achieved_flops_per_s", [](const K& k) { return cell(k.achieved_flops); }},
    {"achieved_bytes_per_s", [](const K& k) { return cell(k.achieved_bytes_per_s); }},
    {"precision", [](const K& k) { return k.roofline.precision; }},
    {"ceiling_flops_per_s", [](const K& k) { return cell(k.roofline.ceiling_flops); }},
    {"ceiling_bytes_per_s", [](const K& k) { return cell(k.roofline.ceiling_bytes_per_s); }},
    {"fraction_of_roof", [](const K& k) { return cell(k.roofline.fraction_of_roof); }},
    {"roofline_verdict", [](const K& k) { return k.roofline.verdict; }},
    {"flops_why",
     [](const K& k) {
       return k.flops.algorithmic.has() ? std::string() : "not measured, because " + k.flops.algorithmic.why;
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
