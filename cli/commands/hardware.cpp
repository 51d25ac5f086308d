// `perfscope hardware list|show|match`: the catalogue of GPUs.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <memory>

#include "analysis/hardware/catalogue.h"
#include "analysis/hardware/match.h"
#include "analysis/report/format.h"
#include "analysis/report/text_page.h"
#include "cli/command_table.h"
#include "cli/value_checks.h"

namespace perfscope::cli {
namespace {

namespace hw = hardware;

template <class T, class Print>
std::string orUnknown(const std::optional<T>& value, Print&& print) {
  return value ? print(*value) : std::string("unknown");
}

std::string peakText(const hw::HardwareSpec& spec, hw::Precision precision) {
  const auto peak = hw::datasheetPeak(spec, precision);
  if (!peak) return "-";
  std::string text = format::flopsPerSecond(peak->value);
  if (hw::rateUnit(precision) == "op/s") text.replace(text.find("FLOP/s"), 6, "op/s");
  return text;
}

std::string list(const std::vector<hw::HardwareSpec>& specs, const Console& console) {
  Page page({console.columns, console.colorOut(), console.utf8});
  TextTable table({{"id", true},
                   {"SMs", false, false, 4},
                   {"memory", false, false, 2},
                   {"bandwidth"},
                   {"bf16 tensor"},
                   {"fp32", false, false, 3},
                   {"ridge", false, false, 1}});
  for (const auto& spec : specs) {
    const auto ridge = hw::ridge(spec, hw::Precision::Bf16Tensor);
    table.row({{spec.id, Ink::Bold},
               {orUnknown(spec.sm_count, [](int n) { return std::to_string(n); })},
               {orUnknown(spec.memory_bytes, format::bytes)},
               {orUnknown(spec.dram_bandwidth_bytes_per_s, format::bytesPerSecond)},
               {peakText(spec, hw::Precision::Bf16Tensor)},
               {peakText(spec, hw::Precision::Fp32)},
               {ridge ? format::number(ridge->value) : "-"}});
  }
  table.print(page, 0);
  page.blank();
  page.text(0,
            "Peaks dense, one fused multiply-add = 2 FLOP. Ridge: FLOP/byte where bf16 tensor peak and "
            "bandwidth meet. "
            "`perfscope hardware show ID` gives every fact with its source.",
            Ink::Dim);
  return page.text();
}

void showPeaks(Page& page, const hw::HardwareSpec& spec) {
  page.blank();
  TextTable table({{"precision", true},
                   {"peak"},
                   {"per SM and clock", false, false, 2},
                   {"ridge FLOP/byte", false, false, 1},
                   {"origin", true, true}});
  for (const auto precision : hw::allPrecisions()) {
    const auto peak = hw::datasheetPeak(spec, precision);
    if (!peak) continue;
    const auto ridge = hw::ridge(spec, precision);
    const auto& cell = spec.peak(precision);
    table.row({{std::string(hw::name(precision)), Ink::Bold},
               {peakText(spec, precision)},
               {orUnknown(cell.flops_per_sm_clock, format::number)},
               {ridge ? format::number(ridge->value) : "unknown"},
               {peak->provenance + (peak->note.empty() ? "" : ", " + peak->note) +
                (cell.doubtful ? ", doubtful" : "")}});
  }
  table.print(page);
}

std::string show(const hw::HardwareSpec& spec, const Console& console) {
  Page page({console.columns, console.colorOut(), console.utf8});
  const auto number = [](auto n) { return format::number(static_cast<double>(n)); };
  const auto bytes = [](auto n) { return format::bytes(static_cast<double>(n)); };
  page.line({{spec.name, Ink::Bold}, {"  " + spec.id, Ink::Dim}});
  page.item("vendor, chip", fmt::format("{} {} ({}), compute capability {}", spec.vendor, spec.chip,
                                        spec.architecture, spec.compute_capability));
  page.item("SMs", orUnknown(spec.sm_count, number));
  page.item("boost clock", orUnknown(spec.boost_clock_mhz, number) + " MHz");
  page.item("memory", orUnknown(spec.memory_bytes, bytes) + " " + spec.memory_type);
  page.item("bandwidth", orUnknown(spec.dram_bandwidth_bytes_per_s, format::bytesPerSecond));
  page.item("L2 cache", orUnknown(spec.l2_bytes, bytes));
  page.item("shared memory", orUnknown(spec.shared_bytes_per_sm, bytes) + " per SM");
  page.item("warps", orUnknown(spec.max_warps_per_sm, number) + " per SM");
  page.item("NVLink", orUnknown(spec.nvlink_bytes_per_s, format::bytesPerSecond) + " one direction");
  page.item("PCIe", orUnknown(spec.pcie_bytes_per_s, format::bytesPerSecond) + " one direction");
  page.item("power", orUnknown(spec.tdp_w, number) + " W");
  showPeaks(page, spec);
  page.blank();
  std::string doubtful;
  for (const auto& column : spec.doubtful) doubtful += (doubtful.empty() ? "" : ", ") + column;
  if (!doubtful.empty())
    page.item("doubtful", doubtful + " (no second source, or one that contradicts)", Ink::Yellow);
  if (!spec.confidence.empty()) page.item("confidence", spec.confidence);
  if (!spec.source.empty()) page.item("source", spec.source);
  if (!spec.notes.empty()) page.item("notes", spec.notes);
  return page.text();
}

int match(Console& console, const std::string& name) {
  hw::DeviceFacts facts;
  facts.name = name;
  const auto found = hw::matchDevice(facts);
  if (!found) {
    return fail(console, {found.error().kind, "hardware match",
                          "no product of the catalogue has the driver's name \"" + name + "\"",
                          "`perfscope hardware show " + name + "` also finds short names and parts"});
  }
  console.out << found->spec.id << '\n';
  console.err << "perfscope: " << found->reason << '\n';
  for (const auto& warning : found->warnings) warn(console, warning);
  return 0;
}

int hardwareVerb(Console& console, const std::string& action, const std::vector<std::string>& words) {
  std::string query;
  for (const auto& word : words) query += (query.empty() ? "" : " ") + word;
  const auto& specs = hw::catalogue();
  if (!specs) return fail(console, specs.error());
  if (action == "list") {
    if (!query.empty()) {
      return fail(console, {ErrorKind::Usage, "hardware list", "too many arguments: \"" + query + "\"",
                            "`perfscope hardware show " + query + "` shows one product"});
    }
    console.out << list(*specs, console);
    return 0;
  }
  if (query.empty()) {
    return fail(console, {ErrorKind::Usage, "hardware " + action, "which product?",
                          "`perfscope hardware list` names them"});
  }
  if (action == "match") return match(console, query);
  const auto spec = hw::findSpec(query);
  if (!spec) return fail(console, spec.error());
  console.out << show(**spec, console);
  return 0;
}

Runner define(CLI::App& app) {
  struct Values {
    std::string action;
    std::vector<std::string> words;
  };
  auto values = std::make_shared<Values>();
  app.add_option("ACTION", values->action,
                 "list: all products; show SPEC: every fact of one; match NAME: which product the driver "
                 "means by NAME")
      ->check(oneOf({"list", "show", "match"}))
      ->required();
  app.add_option("SPEC", values->words,
                 "id, name or alias (show), the driver's whole device name (match); capitals do not matter");
  return [values](Console& console, const std::vector<std::string>&) {
    return hardwareVerb(console, values->action, values->words);
  };
}

}  // namespace

Command hardwareCommand() {
  return {"hardware",
          "the catalogue of GPUs: peaks, bandwidths, ridges, sources",
          "list | show SPEC | match NAME",
          {{"hardware list", "all products in one table"},
           {"hardware show H200", "every fact with its source"},
           {"hardware match \"NVIDIA H200\"", "the product that a driver's device name stands for"}},
          false,
          define};
}

}  // namespace perfscope::cli
