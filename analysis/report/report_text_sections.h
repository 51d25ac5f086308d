// One function a section of the text report; called by report_text.cpp in the order of report_sections.h.
#pragma once

#include "analysis/report/report.h"
#include "analysis/report/report_text.h"
#include "analysis/report/text_page.h"

namespace perfscope::text_report {

void printVerdict(Page& page, const Report& report, const TextOptions& options);
void printTrust(Page& page, const Report& report, const TextOptions& options);
void printDevices(Page& page, const Report& report, const TextOptions& options);
void printProcesses(Page& page, const Report& report, const TextOptions& options);
void printSteps(Page& page, const Report& report, const TextOptions& options);
void printKernels(Page& page, const Report& report, const TextOptions& options);
// Below the kernels; nothing where no counter was collected.
void printCounters(Page& page, const Report& report, const TextOptions& options);
void printGaps(Page& page, const Report& report, const TextOptions& options);
void printRoofline(Page& page, const Report& report, const TextOptions& options);
void printCommunication(Page& page, const Report& report, const TextOptions& options);
void printMemory(Page& page, const Report& report, const TextOptions& options);
void printUtilisation(Page& page, const Report& report, const TextOptions& options);
void printFindings(Page& page, const Report& report, const TextOptions& options);
void printConventions(Page& page, const Report& report, const TextOptions& options);

}  // namespace perfscope::text_report
