// Parsing of --section.
#include "analysis/report/report_sections.h"

#include <algorithm>

namespace perfscope {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string allSections() {
  std::string list;
  for (const auto& section : kReportSections) list += (list.empty() ? "" : ", ") + std::string(section.id);
  return list;
}

}  // namespace

Result<std::vector<std::string>> parseSections(std::string_view text) {
  std::vector<std::string> ids;
  while (!trim(text).empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const auto id = trim(text.substr(0, end));
    const bool known = std::any_of(kReportSections.begin(), kReportSections.end(),
                                   [&](const SectionInfo& section) { return section.id == id; });
    if (!known) {
      return failure(ErrorKind::Usage, "--section", "no section is called \"" + std::string(id) + "\"",
                     "choose from " + allSections());
    }
    ids.emplace_back(id);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return ids;
}

}  // namespace perfscope
