// Devices, steps and utilisation: time on the GPU as a whole.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/format.h"
#include "analysis/report/glyphs.h"
#include "analysis/report/report_text_sections.h"
#include "analysis/report/report_words.h"

namespace perfscope::text_report {
namespace {

constexpr size_t kBarColumns = 40;
constexpr size_t kBesideBar = 46;  // label and figures of the line with the bar
constexpr size_t kSparkColumns = 60, kBesideSpark = 22;
constexpr size_t kManyDevices = 3;  // from here on one line each
constexpr size_t kBriefTop = 5;     // the summary after a run leaves clocks and power out
constexpr double kLowBusy = 0.5;    // drawn in the colour of a warning

std::string time(int64_t ns) {
  return format::duration(static_cast<double>(ns));
}

double part(int64_t ns, int64_t whole) {
  return whole > 0 ? static_cast<double>(ns) / static_cast<double>(whole) : std::nan("");
}

std::string range(const Measured<ValueRange>& measured, const char* unit) {
  return words::orWhy(measured, [&](const ValueRange& r) {
    return fmt::format("{} {} (median; {} to {})", format::number(r.median), unit, format::number(r.min),
                       format::number(r.max));
  });
}

void printWork(Page& page, const DeviceReport& device) {
  page.item("kernels", fmt::format("{}, {} in sum; at least one ran for {}",
                                   format::counted(device.kernel_count, "launch"), time(device.kernel_sum_ns),
                                   time(device.kernel_busy_ns)) +
                           (device.graph_node_count > 0 ? fmt::format("; {} of them in CUDA graphs",
                                                                      format::count(device.graph_node_count))
                                                        : ""));
  if (device.comm_count > 0) {
    page.item("communication", fmt::format("{}, {}; {} of it hidden behind computing, {} exposed",
                                           format::counted(device.comm_count, "kernel"), time(device.comm_ns),
                                           time(device.overlap_ns), time(device.exposed_comm_ns)));
  }
  if (device.memcpy_count > 0) {
    page.item("copies", fmt::format("{}: {} in sum, in {}, of which {} behind kernels",
                                    format::counted(device.memcpy_count, "copy"),
                                    format::bytes(static_cast<double>(device.memcpy_bytes)),
                                    time(device.memcpy_ns), time(device.copy_hidden_ns)));
  }
  if (device.memset_count > 0) {
    page.item("fills",
              fmt::format("{} in {}", format::counted(device.memset_count, "fill"), time(device.memset_ns)));
  }
  if (device.opaque_graph_ns.has() && *device.opaque_graph_ns > 0) {
    page.item("hidden in graphs",
              fmt::format("{}: graphs recorded as a whole, idle time inside them is unknown",
                          format::duration(*device.opaque_graph_ns)),
              Ink::Yellow);
  }
}

void printMachine(Page& page, const DeviceReport& device) {
  if (!device.sm_clock_mhz.has() && !device.power_w.has()) {
    page.item("clock and power", words::notMeasured(device.sm_clock_mhz.why));
    return;
  }
  page.item("SM clock", range(device.sm_clock_mhz, "MHz"));
  page.item("power", range(device.power_w, "W") +
                         (device.energy_j.has()
                              ? fmt::format(", {} J in the analysed time", format::number(*device.energy_j))
                              : ""));
  page.item("temperature", range(device.temperature_c, "C"));
  const auto reasons = [](const std::vector<std::string>& list) {
    std::string text;
    for (const auto& reason : list) text += (text.empty() ? "" : ", ") + reason;
    return text.empty() ? std::string("none seen") : text;
  };
  const bool throttled = device.throttle.has() && !(*device.throttle).empty();
  page.item("clock held back by", words::orWhy(device.throttle, reasons),
            throttled ? Ink::Yellow : Ink::Plain);
}

void printDevice(Page& page, const DeviceReport& device, bool with_machine) {
  const double busy = part(device.busy_ns, device.span_ns);
  page.blank();
  page.line({{fmt::format("GPU {}  {}", device.id,
                          glyphs::shorten(glyphs::clean(device.name), page.columnsBeside(20))),
              Ink::Bold}});
  page.line({{"  " + glyphs::padRight("busy", 20), Ink::Dim},
             {glyphs::bar(busy, std::min(kBarColumns, page.columnsBeside(kBesideBar))),
              busy < kLowBusy ? Ink::Yellow : Ink::Green},
             {fmt::format("  {} of {}", format::percent(busy), time(device.span_ns)), Ink::Plain}});
  page.item("idle", fmt::format("{} without any work between its first and its last", time(device.idle_ns)));
  printWork(page, device);
  if (!with_machine) return;
  printMachine(page, device);
  page.item("limits taken from", device.spec.empty()
                                     ? words::notMeasured(device.spec_why)
                                     : device.spec + (device.spec_why.empty() ? "" : ": " + device.spec_why));
  if (!device.calibration.empty()) page.item("measured ceilings", device.calibration);
}

std::string median(const Measured<ValueRange>& measured, const char* unit) {
  return measured.has() ? format::number((*measured).median) + " " + unit : "-";
}

// Many GPUs: one line each, so that the one that differs shows.
void printDeviceTable(Page& page, const std::vector<DeviceReport>& devices, size_t top) {
  TextTable table({{"GPU"},
                   {"name", true, true},
                   {"span", false, false, 1},
                   {"busy"},
                   {"", true, false, 7},
                   {"kernels", false, false, 4},
                   {"kernel time", false, false, 5},
                   {"comm exposed", false, false, 2},
                   {"clock", false, false, 3},
                   {"power", false, false, 6}});
  for (size_t i = 0; i < devices.size() && i < top; ++i) {
    const auto& d = devices[i];
    const double busy = part(d.busy_ns, d.span_ns);
    table.row({{std::to_string(d.id), Ink::Bold},
               {d.name},
               {time(d.span_ns)},
               {format::percent(busy)},
               {glyphs::bar(busy, 8), busy < kLowBusy ? Ink::Yellow : Ink::Green},
               {format::count(d.kernel_count)},
               {time(d.kernel_sum_ns)},
               {d.comm_count > 0 ? time(d.exposed_comm_ns) : "-"},
               {median(d.sm_clock_mhz, "MHz")},
               {median(d.power_w, "W")}});
  }
  table.print(page);
}

// Eight heights of bars for the durations of steps, one character a step; long series are shown by their
// maxima.
std::string sparkline(const std::vector<StepReport>& steps, size_t columns) {
  static constexpr const char* kHeights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  int64_t longest = 1;
  for (const auto& step : steps) longest = std::max(longest, step.duration_ns);
  const size_t cells = std::min(columns, steps.size());
  std::string text;
  for (size_t cell = 0; cell < cells; ++cell) {
    int64_t highest = 0;
    for (size_t i = cell * steps.size() / cells; i < (cell + 1) * steps.size() / cells; ++i) {
      highest = std::max(highest, steps[i].duration_ns);
    }
    const double height = static_cast<double>(highest) / static_cast<double>(longest);
    text += kHeights[std::clamp(static_cast<int>(std::lround(height * 8)) - 1, 0, 7)];
  }
  return text;
}

std::string warmupText(int64_t warmup) {
  if (warmup == 0) return ", none of them warm-up";
  if (warmup == 1) return ", the first of them warm-up, left out below";
  return fmt::format(", the first {} of them warm-up, left out below", format::count(warmup));
}

}  // namespace

void printDevices(Page& page, const Report& report, const TextOptions& options) {
  page.heading("DEVICES", "span = first start to last end of GPU work; busy = any work at all was running");
  if (report.devices.empty()) page.text(2, "No GPU did any work in this recording.");
  if (report.devices.size() >= kManyDevices) {
    printDeviceTable(page, report.devices, options.top);
  } else {
    for (const auto& device : report.devices) printDevice(page, device, options.top > kBriefTop);
  }
  if (report.steps.count > 0 && report.utilisation.busy.has() && !report.devices.empty()) {
    page.blank();
    page.text(
        2, fmt::format(
               "These are times of the whole recording, start-up and warm-up included. In the steady steps "
               "the GPUs were busy {} of the time; the verdict is about those.",
               format::percent(*report.utilisation.busy)));
  }
  if (report.devices.size() > options.top) {
    page.text(2, fmt::format("and {} more (--top)", report.devices.size() - options.top), Ink::Dim);
  }
}

void printSteps(Page& page, const Report& report, const TextOptions& options) {
  const auto& steps = report.steps;
  if (steps.count == 0) {
    page.heading("STEPS", "none found");
    page.text(2, (steps.why.empty() ? "" : steps.why + ". ") +
                     "Mark them with NVTX ranges named \"step 1\", \"step 2\" ... or name your own with "
                     "--step-marker REGEX.");
    return;
  }
  page.heading(
      "STEPS",
      fmt::format("one step = one iteration of the program; found by {}{}", steps.source,
                  steps.confidence < 1 ? " (confidence " + format::confidence(steps.confidence) + ")" : ""));
  page.item("count", format::counted(steps.count, "step") + warmupText(steps.warmup));
  page.item(
      "median",
      words::orWhy(steps.median_ns, time) +
          (steps.mad_ns.has() ? fmt::format(", spread +- {} (median deviation)", time(*steps.mad_ns)) : ""));
  page.item("slow ones",
            fmt::format("p95 {}, p99 {}, slowest {}", steps.p95_ns.has() ? time(*steps.p95_ns) : "-",
                        steps.p99_ns.has() ? time(*steps.p99_ns) : "-",
                        steps.max_ns.has() ? time(*steps.max_ns) : "-"));
  page.item("drift", words::orWhy(steps.drift, [](double d) {
              return format::change(d) + " from the first to the last third";
            }));
  if (options.utf8 && steps.list.size() > 2)
    page.item("over time", sparkline(steps.list, std::min(kSparkColumns, page.columnsBeside(kBesideSpark))));
}

void printUtilisation(Page& page, const Report& report, const TextOptions&) {
  page.heading("UTILISATION", "parts of what the hardware could have done");
  const auto& u = report.utilisation;
  const auto item = [&](const char* label, const Measured<double>& value, const char* meaning) {
    const auto print = [&](double v) {
      return fmt::format("{}  {}{}", format::percent(v), meaning,
                         value.provenance.empty() ? "" : " [" + value.provenance + "]");
    };
    page.item(label, words::orWhy(value, print));
  };
  item("busy", u.busy, "of the analysed time some GPU work was running");
  item("HFU", u.hfu, "hardware FLOPs utilisation: executed FLOPs / (peak x time)");
  item("MFU", u.mfu, "model FLOPs utilisation: FLOPs the model needs / (peak x time)");
  item("MBU, by model", u.mbu_model, "bandwidth utilisation: bytes the model must read / (bandwidth x time)");
  item("MBU, measured", u.mbu_measured, "bandwidth utilisation: bytes moved / (bandwidth x time)");
}

}  // namespace perfscope::text_report
