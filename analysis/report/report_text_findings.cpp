// Findings with their advice, and the conventions.
#include <fmt/format.h>

#include "analysis/report/format.h"
#include "analysis/report/report_text_sections.h"
#include "analysis/report/report_words.h"

namespace perfscope::text_report {
namespace {

Ink inkOf(const std::string& severity) {
  return severity == "critical" ? Ink::Red : severity == "warning" ? Ink::Yellow : Ink::Cyan;
}

void printFinding(Page& page, const Finding& finding) {
  page.blank();
  page.text(2, fmt::format("{}: {}", finding.severity, finding.title), inkOf(finding.severity), 2);
  for (const auto& evidence : finding.evidence) page.text(4, "• " + evidence.text, Ink::Plain, 2);
  if (!finding.advice.empty()) page.text(4, "advice: " + finding.advice, Ink::Plain, 2);
  if (finding.predicted_gain_ns.has()) {
    page.text(4, "predicted gain: up to " + format::duration(static_cast<double>(*finding.predicted_gain_ns)),
              Ink::Green, 2);
  }
  std::string sources;
  for (const auto& source : finding.sources) sources += (sources.empty() ? "" : "; ") + source;
  if (!sources.empty()) page.text(4, "source: " + sources, Ink::Dim, 2);
}

}  // namespace

void printFindings(Page& page, const Report& report, const TextOptions&) {
  page.heading("FINDINGS", report.findings.empty() ? "no rule found anything to remark"
                                                   : "what stands out, with evidence and advice");
  for (const auto& finding : report.findings) printFinding(page, finding);
}

void printConventions(Page& page, const Report& report, const TextOptions&) {
  if (report.conventions.empty()) return;
  page.heading("CONVENTIONS", "definitions behind the numbers above");
  for (const auto& convention : report.conventions) page.text(2, "• " + convention, Ink::Dim, 2);
  page.text(2,
            fmt::format("PerfScope {}, profile schema {}, format {}", report.perfscope_version,
                        report.schema_version, report.format),
            Ink::Dim);
}

}  // namespace perfscope::text_report
