// `perfscope calibrate`: measures the ceilings of this machine's GPUs and keeps them for the reports.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <memory>

#include "analysis/hardware/calibration_file.h"
#include "analysis/hardware/catalogue.h"
#include "analysis/hardware/match.h"
#include "analysis/report/format.h"
#include "analysis/report/text_page.h"
#include "cli/command_table.h"
#include "cli/value_checks.h"
#include "injector/calibration/calibrate.h"

namespace perfscope::cli {
namespace {

namespace hw = hardware;

struct Values {
  std::string output;
  bool show = false, quick = false, json = false;
  std::optional<size_t> device;
};

std::optional<hw::HardwareSpec> specOf(const Calibration& calibration) {
  hw::DeviceFacts facts;
  facts.name = calibration.device_name;
  facts.capability = hw::parseComputeCapability(calibration.compute_capability);
  facts.sm_count = calibration.sm_count;
  facts.max_sm_clock_mhz = calibration.max_sm_clock_mhz;
  const auto match = hw::matchDevice(facts);
  if (!match) return std::nullopt;
  return match->spec;
}

std::string amount(double value, const std::string& unit) {
  if (unit == "s") return format::duration(value * 1e9);
  if (unit == "bytes/s") return format::bytesPerSecond(value);
  std::string text = format::flopsPerSecond(value);
  if (unit == "op/s") text.replace(text.find("FLOP/s"), 6, "op/s");
  return text;
}

std::string clockText(const CalibrationClocks& clocks) {
  std::string text = clocks.sm_clock_mhz ? format::number(*clocks.sm_clock_mhz) + " MHz" : "-";
  if (clocks.power_w) text += ", " + format::number(*clocks.power_w) + " W";
  return text;
}

// One row of the table; the data sheet stays "-" where nobody prints a figure.
std::vector<Span> cells(const CalibrationValue& value, const std::optional<hw::HardwareSpec>& spec) {
  std::optional<double> sheet;
  if (spec) sheet = hw::datasheetValue(*spec, value);
  std::string sheet_text = "-", share = "-";
  if (sheet) {
    sheet_text = amount(*sheet, value.unit);
    share = format::percent(*value.best / *sheet);
  }
  return {{value.title, Ink::Bold},
          {amount(*value.best, value.unit)},
          {value.median ? amount(*value.median, value.unit) : "-"},
          {sheet_text},
          {share},
          {clockText(value.clocks)}};
}

std::string table(const Calibration& c, const Console& console) {
  Page page({console.columns, console.colorOut(), console.utf8});
  page.line({{c.device_name, Ink::Bold}, {"  " + c.uuid, Ink::Dim}});
  page.item("measured", c.date + (c.quick ? " (--quick)" : ""));
  page.item("driver",
            (c.driver_version.empty() ? "unknown" : c.driver_version) + ", CUDA " + c.cuda_driver_api);
  page.blank();
  const auto spec = specOf(c);
  TextTable rows({{"ceiling", true, true},
                  {"best"},
                  {"median", false, false, 2},
                  {"data sheet", false, false, 1},
                  {"of it", false, false, 1},
                  {"SM clock, power", true, false, 3}});
  for (const auto& value : c.values) {
    if (value.best) rows.row(cells(value, spec));
  }
  if (!rows.empty()) rows.print(page);
  for (const auto& value : c.values) {
    if (!value.best) page.text(2, value.title + ": not measured, because " + value.why, Ink::Yellow, 2);
  }
  return page.text();
}

int show(Console& console, const Values& values) {
  std::vector<std::string> warnings;
  std::vector<hw::StoredCalibration> stored;
  if (!values.output.empty()) {
    auto one = hw::readCalibration(values.output);
    if (!one) return fail(console, one.error());
    stored.push_back({values.output, std::move(*one)});
  } else {
    stored = hw::storedCalibrations(hw::calibrationFolder(), warnings);
  }
  for (const auto& warning : warnings) warn(console, warning);
  if (stored.empty()) {
    return fail(console, {ErrorKind::InputMissing, hw::calibrationFolder(), "holds no calibration",
                          "`perfscope calibrate` makes one, on the machine with the GPU"});
  }
  for (size_t i = 0; i < stored.size(); ++i) {
    if (i > 0) console.out << '\n';
    console.out << (values.json ? hw::calibrationJson(stored[i].calibration)
                                : table(stored[i].calibration, console));
  }
  return 0;
}

int measure(Console& console, const Values& values) {
  CalibrateOptions options;
  options.quick = values.quick;
  options.only_one = !values.output.empty();
  if (values.device) options.device = static_cast<int>(*values.device);
  if (console.err_is_terminal) {
    options.progress = [&console](int device, const std::string& title, size_t done, size_t all) {
      console.err << fmt::format("\r\033[KGPU {}: {}/{} {}", device, done + 1, all, title) << std::flush;
    };
  }
  auto measured = calibrate(options);
  if (console.err_is_terminal) console.err << "\r\033[K" << std::flush;
  if (!measured) return fail(console, measured.error());
  const std::string folder = hw::calibrationFolder();
  if (values.output.empty() && folder.empty()) {
    return fail(console,
                {ErrorKind::Output, "calibrate", "neither PERFSCOPE_DATA, XDG_DATA_HOME nor HOME is set",
                 "write elsewhere with -o FILE"});
  }
  for (auto& calibration : *measured) {
    if (const auto spec = specOf(calibration)) hw::refuseImplausible(*spec, calibration);
    const std::string path =
        values.output.empty() ? folder + "/" + calibration.uuid + ".json" : values.output;
    console.out << (values.json ? hw::calibrationJson(calibration) : table(calibration, console));
    if (auto written = hw::writeCalibration(path, calibration); !written)
      return fail(console, written.error());
    console.err << "perfscope: kept in " << path << '\n';
  }
  return 0;
}

Runner define(CLI::App& app) {
  auto values = std::make_shared<Values>();
  app.add_option("-o,--output", values->output,
                 "write to this file instead of the folder that reports look in; with --show: read it")
      ->type_name("FILE");
  app.add_flag("--show", values->show, "print the stored calibrations, measure nothing");
  app.add_flag("--quick", values->quick, "shorter repetitions, smaller buffers: a few seconds a GPU");
  app.add_flag("--json", values->json, "for programs: the stored form");
  app.add_option("--device", values->device, "only this GPU, counted from 0 (default: all)")
      ->check(wholeNumber(0, 1023))
      ->type_name("N");
  return [values](Console& console, const std::vector<std::string>&) {
    return values->show ? show(console, *values) : measure(console, *values);
  };
}

}  // namespace

Command calibrateCommand() {
  return {
      "calibrate",
      "measure what this machine's GPUs can do: bandwidths, peaks, launch cost, links; reports use it",
      "[options]",
      {{"calibrate", "once a machine; up to 30 seconds a GPU, and nothing else should run on it"},
       {"calibrate --show", "what was measured, beside the data sheet"},
       {"calibrate -o h200.json --device 0", "a file to take along: `report FILE --calibration h200.json`"}},
      false,
      define};
}

}  // namespace perfscope::cli
