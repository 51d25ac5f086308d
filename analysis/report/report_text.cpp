// The order of the text report, and the short form.
#include "analysis/report/report_text.h"

#include <algorithm>
#include <array>

#include "analysis/report/glyphs.h"
#include "analysis/report/report_sections.h"
#include "analysis/report/report_text_sections.h"

namespace perfscope {
namespace {

using SectionPrinter = void (*)(Page&, const Report&, const TextOptions&);

// Parallel to kReportSections.
constexpr std::array<SectionPrinter, kReportSections.size()> kPrinters = {{
    text_report::printVerdict,
    text_report::printTrust,
    text_report::printDevices,
    text_report::printProcesses,
    text_report::printSteps,
    text_report::printKernels,
    text_report::printGaps,
    text_report::printRoofline,
    text_report::printCommunication,
    text_report::printMemory,
    text_report::printUtilisation,
    text_report::printFindings,
    text_report::printConventions,
}};

bool wanted(const TextOptions& options, std::string_view id) {
  return options.sections.empty() ||
         std::find(options.sections.begin(), options.sections.end(), id) != options.sections.end();
}

}  // namespace

std::string renderText(const Report& report, const TextOptions& options) {
  Page page({options.columns, options.color, options.utf8});
  page.line({{"PerfScope report", Ink::Bold},
             {"  " + glyphs::shorten(glyphs::clean(report.path), page.columnsBeside(20)), Ink::Plain}});
  for (size_t i = 0; i < kPrinters.size(); ++i) {
    if (wanted(options, kReportSections[i].id)) kPrinters[i](page, report, options);
  }
  return page.text();
}

std::string renderSummary(const Report& report, const TextOptions& options) {
  TextOptions brief = options;
  brief.top = 5;
  Page page({options.columns, options.color, options.utf8});
  text_report::printVerdict(page, report, brief);
  text_report::printTrust(page, report, brief);
  text_report::printDevices(page, report, brief);
  text_report::printSteps(page, report, brief);
  text_report::printKernels(page, report, brief);
  return page.text();
}

}  // namespace perfscope
