// Verdict, trust and processes: what the reader must know before any other number.
#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "analysis/report/format.h"
#include "analysis/report/report_text_sections.h"
#include "analysis/report/report_words.h"

namespace perfscope::text_report {
namespace {

Ink inkOf(const std::string& severity) {
  if (severity == "error" || severity == "critical") return Ink::Red;
  if (severity == "data_loss" || severity == "warning") return Ink::Yellow;
  return Ink::Plain;
}

void printEvidence(Page& page, const std::vector<Evidence>& list) {
  if (list.empty()) return;
  page.blank();
  page.text(2, "Evidence", Ink::Dim);
  for (const auto& evidence : list) page.text(4, "• " + evidence.text, Ink::Plain, 2);
}

// "; after that it would be compute-bound": the headline's word inside a sentence.
std::string nextBinding(const Report& report, const std::string& id) {
  if (id == "none") return "; after that nothing else stands out";
  std::string title = words::title(words::binding(report, id), id);
  if (!title.empty()) title[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(title[0])));
  return "; after that it would be " + title;
}

void printInterventions(Page& page, const Report& report) {
  const auto& list = report.verdict.interventions;
  if (list.empty()) return;
  page.blank();
  page.text(2, "What would make it faster, most promising first", Ink::Dim);
  int number = 0;
  for (const auto& step : list) {
    std::string gain =
        step.predicted_gain && std::isfinite(*step.predicted_gain)
            ? fmt::format("predicted: up to {} less time", format::percent(*step.predicted_gain))
            : "gain not predicted";
    if (!step.next_bottleneck.empty()) {
      gain += nextBinding(report, step.next_bottleneck);
    }
    page.text(4, fmt::format("{}. {}", ++number, step.text), Ink::Plain, 3);
    page.text(7, gain, Ink::Green);
  }
}

void printOverhead(Page& page, const OverheadReport& overhead) {
  if (overhead.measured) {
    const auto& m = *overhead.measured;
    page.item(
        "cost of measuring",
        fmt::format("{} measured: {} bare, {} profiled (medians of {} of runs)", format::change(m.ratio - 1),
                    format::duration(static_cast<double>(m.bare_ns)),
                    format::duration(static_cast<double>(m.profiled_ns)), format::counted(m.n, "pair")));
    return;
  }
  const auto estimate = [](int64_t ns) {
    return fmt::format("about {} inside the program, estimated", format::duration(static_cast<double>(ns)));
  };
  page.item("cost of measuring", words::orWhy(overhead.estimated_ns, estimate) +
                                     "; `perfscope run --measure-overhead 5` measures it");
}

}  // namespace

void printVerdict(Page& page, const Report& report, const TextOptions&) {
  const auto& verdict = report.verdict;
  const auto& word = words::binding(report, verdict.binding);
  page.blank();
  page.line({{"VERDICT  ", Ink::Bold},
             {words::title(word, verdict.binding), verdict.binding == "none" ? Ink::Bold : Ink::Cyan},
             {"  (confidence " + format::confidence(verdict.confidence) + ")", Ink::Dim}});
  std::string sentence(word.meaning);
  if (!sentence.empty())
    sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
  if (!verdict.text.empty()) sentence += (sentence.empty() ? "" : ": ") + verdict.text;
  page.text(2, sentence);
  printEvidence(page, verdict.evidence);
  printInterventions(page, report);
}

void printTrust(Page& page, const Report& report, const TextOptions& options) {
  const auto& trust = report.trust;
  page.heading("TRUST", trust.complete
                            ? "everything the program did on the GPU was recorded"
                            : "this recording is not whole: read the numbers below with that in mind");
  if (!report.closed) {
    page.item("not closed", "the run was killed or is still going on; records near its end may be missing",
              Ink::Red);
  }
  for (const auto& loss : trust.losses) {
    page.item(loss.id, (loss.count > 0 ? format::count(loss.count) + ": " : std::string()) + loss.text,
              inkOf(loss.severity));
  }
  for (const auto& gate : trust.gated) {
    page.item("withheld", gate.metric + ": " + words::notMeasured(gate.why), Ink::Yellow);
  }
  for (const auto& assumption : trust.assumptions) page.item("assumed", assumption.text);
  printOverhead(page, report.overhead);
  (void)options;
}

void printProcesses(Page& page, const Report& report, const TextOptions& options) {
  if (report.processes.empty()) return;
  page.heading("PROCESSES", "");
  TextTable table({{"pid"}, {"rank"}, {"host", true, false, 1}, {"end", true}, {"command", true, true}});
  size_t shown = 0;
  for (const auto& process : report.processes) {
    if (shown++ == options.top) break;
    std::string rank = process.rank ? std::to_string(*process.rank) : "-";
    if (process.rank && process.world_size) rank += fmt::format(" of {}", *process.world_size);
    std::string end = process.state;
    if (process.exit_status) end += fmt::format(", status {}", *process.exit_status);
    table.row({{std::to_string(process.pid)},
               {rank},
               {process.host},
               {end},
               {process.command.value_or("(not stored)")}});
  }
  table.print(page);
  if (report.processes.size() > options.top) {
    page.text(2, fmt::format("and {} more (--top)", report.processes.size() - options.top), Ink::Dim);
  }
}

}  // namespace perfscope::text_report
