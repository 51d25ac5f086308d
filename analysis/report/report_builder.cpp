// Facts, then sections, then judgement.
#include "analysis/report/report_builder.h"

#include <algorithm>
#include <charconv>

#include "analysis/diagnosis/rules.h"
#include "analysis/diagnosis/verdict.h"
#include "analysis/report/build_sections.h"

namespace perfscope {
namespace {

int64_t schemaVersion(const Trace& trace) {
  int64_t version = 0;
  const auto found = trace.meta.find("schema_version");
  if (found != trace.meta.end()) {
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), version);
  }
  return version;
}

void fillSections(const ProfileFacts& facts, Report& report) {
  const auto format = facts.trace.meta.find("source_format");
  report.perfscope_version = PERFSCOPE_VERSION;
  report.schema_version = schemaVersion(facts.trace);
  report.path = facts.trace.path;
  report.format = format == facts.trace.meta.end() ? "perfscope" : format->second;
  report.closed = facts.trace.closed;
  report.trust = build::trust(facts);
  report.contract = build::contract(facts);
  report.overhead = build::overhead(facts);
  report.processes = build::processes(facts);
  report.devices = build::devices(facts);
  report.steps = build::steps(facts);
  report.kernels = build::kernels(facts);
  report.gaps = build::gaps(facts);
  report.communication = build::communication(facts);
  report.memory = build::memory(facts);
  report.utilisation = build::utilisation(facts, report.kernels);
  report.conventions = build::conventions(facts);
}

}  // namespace

Result<Report> buildReport(const std::string& path, const ReportOptions& options) {
  FactOptions wanted;
  wanted.step_marker = options.step_marker;
  wanted.hardware_spec = options.hardware_spec;
  wanted.calibration = options.calibration;
  wanted.largest_gaps = static_cast<size_t>(std::max(0, options.top));
  wanted.threads = options.threads;
  const auto facts = gatherFacts(path, wanted);
  if (!facts) return tl::unexpected(facts.error());
  Report report;
  fillSections(*facts, report);
  const WindowShares shares = windowShares(*facts, report.kernels);
  report.verdict = verdict(*facts, shares, report);
  report.findings = findings({*facts, shares, report});
  return report;
}

}  // namespace perfscope
