// The Markdown form.
#include "analysis/report/report_markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "analysis/report/format.h"
#include "analysis/report/glyphs.h"
#include "analysis/report/kernel_labels.h"
#include "analysis/report/report_words.h"

namespace perfscope {
namespace {

constexpr size_t kNameColumns = 60;

std::string time(int64_t ns) {
  return format::duration(static_cast<double>(ns));
}

std::string name(const std::string& text) {
  return escapeMarkdown(glyphs::shorten(glyphs::clean(text), kNameColumns));
}

void row(std::string& text, const std::vector<std::string>& cells) {
  for (const auto& cell : cells) text += "| " + cell + " ";
  text += "|\n";
}

void verdict(std::string& text, const Report& report, const MarkdownOptions&) {
  const auto& v = report.verdict;
  const auto& word = words::binding(report, v.binding);
  text += fmt::format("### {} (confidence {})\n\n{}\n", escapeMarkdown(words::title(word, v.binding)),
                      format::confidence(v.confidence), escapeMarkdown(v.text));
  for (const auto& evidence : v.evidence) text += "- " + escapeMarkdown(evidence.text) + "\n";
  if (!v.interventions.empty()) text += "\n**What would make it faster**\n\n";
  int number = 0;
  for (const auto& step : v.interventions) {
    text += fmt::format("{}. {}{}\n", ++number, escapeMarkdown(step.text),
                        step.predicted_gain && std::isfinite(*step.predicted_gain)
                            ? fmt::format(" (up to {} less time)", format::percent(*step.predicted_gain))
                            : "");
  }
}

void trust(std::string& text, const Report& report, const MarkdownOptions&) {
  if (!report.closed) text += "\n> **Not closed:** the run was killed or is still going on.\n";
  if (report.trust.losses.empty()) return;
  text += "\n**Lost while recording**\n\n";
  for (const auto& loss : report.trust.losses) {
    text += fmt::format("- {} ({}): {}\n", escapeMarkdown(loss.id), format::count(loss.count),
                        escapeMarkdown(loss.text));
  }
}

void devices(std::string& text, const Report& report, const MarkdownOptions&) {
  if (report.devices.empty()) return;
  text +=
      "\n| GPU | span | busy | kernels | kernel time | communication exposed | copies "
      "|\n|---|---:|---:|---:|---:|---:|---:|\n";
  for (const auto& d : report.devices) {
    const double busy = d.span_ns > 0 ? static_cast<double>(d.busy_ns) / static_cast<double>(d.span_ns) : 0;
    row(text,
        {fmt::format("{} {}", d.id, escapeMarkdown(d.name)), time(d.span_ns), format::percent(busy),
         format::count(d.kernel_count), time(d.kernel_sum_ns), time(d.exposed_comm_ns), time(d.memcpy_ns)});
  }
}

void steps(std::string& text, const Report& report, const MarkdownOptions&) {
  const auto& s = report.steps;
  if (s.count == 0 || !s.median_ns.has()) return;
  text += fmt::format("\n**Steps:** {} ({} warm-up), median {}, p95 {}\n", format::count(s.count),
                      format::count(s.warmup), time(*s.median_ns), s.p95_ns.has() ? time(*s.p95_ns) : "-");
}

void groups(std::string& text, const KernelGroups& list, size_t top) {
  text += "\n| " + escapeMarkdown(list.by) + " | GPU | share | total | calls |\n|---|---:|---:|---:|---:|\n";
  for (size_t i = 0; i < list.list.size() && i < top; ++i) {
    const auto& g = list.list[i];
    row(text, {name(g.name), std::to_string(g.device), format::percent(g.share), time(g.total_ns),
               format::count(g.count)});
  }
}

void kernels(std::string& text, const Report& report, const MarkdownOptions& options) {
  if (options.groups != nullptr) {
    groups(text, *options.groups, options.top);
    return;
  }
  if (report.kernels.empty()) return;
  text +=
      "\n| kernel | GPU | share | total | calls | median | of roof | limit "
      "|\n|---|---:|---:|---:|---:|---:|---:|---|\n";
  const auto labels = kernelLabels(report.kernels);
  for (size_t i = 0; i < report.kernels.size() && i < options.top; ++i) {
    const auto& k = report.kernels[i];
    const auto& roof = k.roofline;
    row(text, {name(labels[i]), std::to_string(k.device), format::percent(k.share), time(k.total_ns),
               format::count(k.count), time(k.duration.p50_ns),
               roof.fraction_of_roof.has() ? format::percent(*roof.fraction_of_roof) : "not measured",
               escapeMarkdown(words::title(words::roofline(roof.verdict), roof.verdict))});
  }
  if (report.kernels.size() > options.top) {
    const auto more = static_cast<int64_t>(report.kernels.size() - options.top);
    text +=
        fmt::format("\n{} {} not shown.\n", format::counted(more, "more kernel"), more == 1 ? "is" : "are");
  }
}

void gaps(std::string& text, const Report& report, const MarkdownOptions&) {
  if (report.gaps.count == 0) return;
  text += fmt::format("\n**Idle time:** {} in {}\n\n| cause | time | share | gaps |\n|---|---:|---:|---:|\n",
                      time(report.gaps.total_ns), format::counted(report.gaps.count, "gap"));
  std::vector<std::pair<std::string, GapCause>> causes(report.gaps.by_cause.begin(),
                                                       report.gaps.by_cause.end());
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  for (const auto& [id, cause] : causes) {
    const double share = report.gaps.total_ns > 0
                             ? static_cast<double>(cause.ns) / static_cast<double>(report.gaps.total_ns)
                             : 0;
    if (cause.count > 0) {
      row(text, {escapeMarkdown(words::title(words::gapCause(id), id)), time(cause.ns),
                 format::percent(share), format::count(cause.count)});
    }
  }
}

void findings(std::string& text, const Report& report, const MarkdownOptions&) {
  if (report.findings.empty()) return;
  text += "\n**Findings**\n\n";
  for (const auto& f : report.findings) {
    text += fmt::format("- **{}**: {}\n", escapeMarkdown(f.severity), escapeMarkdown(f.title));
    if (!f.advice.empty()) text += "  " + escapeMarkdown(f.advice) + "\n";
  }
}

struct Part {
  const char* id;
  void (*print)(std::string&, const Report&, const MarkdownOptions&);
};

constexpr Part kParts[] = {{"verdict", verdict}, {"trust", trust}, {"devices", devices},  {"steps", steps},
                           {"kernels", kernels}, {"gaps", gaps},   {"findings", findings}};

}  // namespace

std::string escapeMarkdown(std::string_view text) {
  std::string result;
  for (const char c : glyphs::clean(text)) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '&') {
      result += "&amp;";
    } else if (c == '@') {
      result += "&#64;";  // a name with an @ must not call a person
    } else {
      if (std::string_view("\\`*_[]|#~").find(c) != std::string_view::npos) result += '\\';
      result += c;
    }
  }
  return result;
}

std::string renderMarkdown(const Report& report, const MarkdownOptions& options) {
  std::string text;
  for (const auto& part : kParts) {
    const auto& wanted = options.sections;
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), part.id) != wanted.end())
      part.print(text, report, options);
  }
  text += fmt::format("\n<sub>PerfScope {} on {}</sub>\n", escapeMarkdown(report.perfscope_version),
                      escapeMarkdown(report.path));
  return text;
}

}  // namespace perfscope
