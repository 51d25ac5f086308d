// Report -> GitHub-flavoured Markdown for a pull-request comment: verdict, what was lost, the tables that
// matter. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/report/kernel_groups.h"
#include "analysis/report/report.h"

namespace perfscope {

struct MarkdownOptions {
  size_t top = 10;
  std::vector<std::string> sections;     // ids of report_sections.h; empty = all that Markdown shows
  const KernelGroups* groups = nullptr;  // instead of the kernel table; not owned
};

[[nodiscard]] std::string renderMarkdown(const Report& report, const MarkdownOptions& options = {});

// Text that cannot become markup, a link, a mention or a table border, on one line.
[[nodiscard]] std::string escapeMarkdown(std::string_view text);

}  // namespace perfscope
