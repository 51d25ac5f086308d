// Idle time, launches, communication and memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/report/format.h"
#include "analysis/report/glyphs.h"
#include "analysis/report/report_text_sections.h"
#include "analysis/report/report_words.h"

namespace perfscope::text_report {
namespace {

constexpr size_t kBarColumns = 24;
constexpr size_t kBesideBar = 60;  // label and figures of the line with the bar
constexpr size_t kLeastBar = 8;    // a shorter one would tell nothing

std::string time(int64_t ns) {
  return format::duration(static_cast<double>(ns));
}

std::string spread(const Distribution& d) {
  return fmt::format("median {}, p95 {}, p99 {}, longest {}", time(d.p50_ns), time(d.p95_ns), time(d.p99_ns),
                     time(d.max_ns));
}

void printCauses(Page& page, const GapsReport& gaps) {
  std::vector<std::pair<std::string, GapCause>> causes(gaps.by_cause.begin(), gaps.by_cause.end());
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  const size_t room = std::min(kBarColumns, page.columnsBeside(kBesideBar));
  for (const auto& [id, cause] : causes) {
    if (cause.count == 0) continue;
    const auto& word = words::gapCause(id);
    const double share =
        gaps.total_ns > 0 ? static_cast<double>(cause.ns) / static_cast<double>(gaps.total_ns) : 0;
    page.line({{"  " + glyphs::padRight(glyphs::shorten(glyphs::clean(words::title(word, id)), 19), 20),
                Ink::Plain},
               {room < kLeastBar ? std::string() : glyphs::bar(share, room), Ink::Yellow},
               {fmt::format(" {:>8}  {:>9}  in {}", format::percent(share), time(cause.ns),
                            format::counted(cause.count, "gap")),
                Ink::Plain}});
    if (!word.meaning.empty()) page.text(22, word.meaning, Ink::Dim);
  }
}

void printLargest(Page& page, const GapsReport& gaps, size_t top) {
  const bool in_window = !gaps.largest_in_window.empty();
  const auto& largest = in_window ? gaps.largest_in_window : gaps.largest;
  if (largest.empty()) return;
  page.blank();
  page.text(2, in_window ? "Longest gaps in the steady steps" : "Longest gaps", Ink::Dim);
  TextTable table({{"at"},
                   {"GPU", false, false, 1},
                   {"length"},
                   {"cause", true},
                   {"before it", true, true, 2},
                   {"after it", true, true}});
  for (size_t i = 0; i < largest.size() && i < std::min<size_t>(top, 5); ++i) {
    const auto& gap = largest[i];
    table.row({{time(gap.start_ns)},
               {std::to_string(gap.device)},
               {time(gap.duration_ns)},
               {words::title(words::gapCause(gap.cause), gap.cause)},
               {gap.before},
               {gap.after}});
  }
  table.print(page, 4);
}

void printLaunches(Page& page, const GapsReport& gaps) {
  page.blank();
  page.item("launches",
            fmt::format("{}{}", format::counted(gaps.launches, "call"),
                        gaps.graph_launches > 0
                            ? fmt::format(", {}", format::counted(gaps.graph_launches, "CUDA graph"))
                            : ""));
  page.item("cost of a launch", words::orWhy(gaps.launch_cost, spread) +
                                    (gaps.launch_cost.has() ? " (time inside the call)" : ""));
  page.item("launch latency",
            words::orWhy(gaps.launch_latency, spread) +
                (gaps.launch_latency.has() ? " (call begins to kernel begins, waiting in the queue included)"
                                           : ""));
  const auto depth = [](const Distribution& d) {
    return fmt::format("median {}, p95 {}, most {} waiting when the next one came", format::count(d.p50_ns),
                       format::count(d.p95_ns), format::counted(d.max_ns, "launch"));
  };
  page.item("queue depth", words::orWhy(gaps.queue_depth, depth));
}

std::string noGaps(const Report& report) {
  return report.devices.empty() ? "no GPU work, so no gaps in it"
                                : "no gaps: the GPUs worked without a break";
}

}  // namespace

void printGaps(Page& page, const Report& report, const TextOptions& options) {
  const auto& gaps = report.gaps;
  page.heading("IDLE TIME", gaps.count == 0
                                ? noGaps(report)
                                : fmt::format("{} in {}: nothing ran on the GPU. Why:", time(gaps.total_ns),
                                              format::counted(gaps.count, "gap")));
  if (report.steps.count > 0 && gaps.count > 0) {
    page.text(2, "(whole recording, start-up and warm-up included; the verdict is about the steady steps)",
              Ink::Dim);
  }
  printCauses(page, gaps);
  printLargest(page, gaps, options.top);
  printLaunches(page, gaps);
}

void printCommunication(Page& page, const Report& report, const TextOptions& options) {
  const auto& communication = report.communication;
  page.heading("COMMUNICATION", "data exchanged with other GPUs");
  if (communication.collectives.empty()) {
    page.text(2, communication.why.empty() ? "None seen." : "None: " + communication.why);
    return;
  }
  if (!communication.source.empty()) page.text(2, "Source: " + communication.source, Ink::Dim);
  TextTable table({{"operation", true, true}, {"calls"}, {"bytes"}, {"total"}});
  for (size_t i = 0; i < communication.collectives.size() && i < options.top; ++i) {
    const auto& c = communication.collectives[i];
    table.row({{c.op},
               {format::count(c.count)},
               {c.bytes > 0 ? format::bytes(static_cast<double>(c.bytes)) : "-"},
               {time(c.total_ns)}});
  }
  table.print(page);
}

void printMemory(Page& page, const Report& report, const TextOptions& options) {
  const auto& memory = report.memory;
  page.heading("MEMORY", "device memory and copies");
  page.item("peak", words::orWhy(memory.peak_bytes, [](int64_t b) {
              return format::bytes(static_cast<double>(b)) + " allocated at once";
            }));
  page.item("allocations", words::orWhy(memory.allocations_in_steps,
                                        [](int64_t n) { return format::count(n) + " inside steps"; }));
  if (memory.copies.empty()) {
    page.item("copies", "none");
    return;
  }
  page.blank();
  TextTable table({{"copies", true, true},
                   {"count"},
                   {"bytes in sum"},
                   {"time"},
                   {"rate", false, false, 1},
                   {"behind kernels", false, false, 2}});
  for (size_t i = 0; i < memory.copies.size() && i < options.top; ++i) {
    const auto& copy = memory.copies[i];
    const double hidden =
        copy.ns > 0 ? static_cast<double>(copy.hidden_ns) / static_cast<double>(copy.ns) : 0;
    table.row({{copy.kind + (copy.pageable ? " (pageable host memory)" : ""),
                copy.pageable ? Ink::Yellow : Ink::Plain},
               {format::count(copy.count)},
               {format::bytes(static_cast<double>(copy.bytes))},
               {time(copy.ns)},
               {copy.rate_bytes_per_s.has() ? format::bytesPerSecond(*copy.rate_bytes_per_s) : "-"},
               {format::percent(hidden)}});
  }
  table.print(page);
}

}  // namespace perfscope::text_report
