// The trust ledger of a report: what is missing, what was assumed, which numbers suffer.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "analysis/diagnosis/recording_overhead.h"
#include "analysis/report/build_sections.h"
#include "analysis/report/format.h"
#include "schemas/loss_counters.h"

namespace perfscope::build {
namespace {

std::string_view severityName(Severity severity) {
  switch (severity) {
    case Severity::Info:
      return "info";
    case Severity::Notice:
      return "notice";
    case Severity::DataLoss:
      return "data_loss";
    case Severity::Error:
      return "error";
  }
  return "error";
}

bool isSevere(std::string_view severity) {
  return severity == "data_loss" || severity == "error";
}

void addCounters(const Trace& trace, TrustReport& trust) {
  std::map<std::string, int64_t> sums;
  for (const LossRow& row : trace.losses) sums[row.name] += row.count;
  for (const LossInfo& info : kLossCounters) {
    const auto found = sums.find(std::string(info.name));
    if (found == sums.end() || found->second <= 0) continue;
    trust.losses.push_back(
        {found->first, std::string(severityName(info.severity)), std::string(info.sentence), found->second});
    sums.erase(found);
  }
  for (const auto& sum : sums) {  // written by a newer collector: not known here, not hidden either
    if (sum.second > 0 && std::none_of(kLossCounters.begin(), kLossCounters.end(),
                                       [&](const LossInfo& info) { return info.name == sum.first; })) {
      trust.losses.push_back({sum.first, "data_loss", "a loss this version has no words for", sum.second});
    }
  }
}

void addLedger(const Trace& trace, TrustReport& trust) {
  for (const LedgerRow& row : trace.ledger) {
    const std::string text =
        row.detail && !row.detail->empty() ? row.text + " (" + *row.detail + ")" : row.text;
    if (isSevere(row.severity)) {
      trust.losses.push_back({row.name, row.severity, text, row.value.value_or(1)});
    } else {
      trust.assumptions.push_back({row.name, text});
    }
  }
}

// Only where there is something to recover.
std::string recoveryHint(const std::string& profile) {
  std::error_code ignored;
  const std::string session = profile + ".session";
  if (!std::filesystem::is_directory(session, ignored)) return {};
  return "; if it was killed, `perfscope recover " + session + "` completes it";
}

void addProcesses(const Trace& trace, TrustReport& trust) {
  if (!trace.closed) {
    trust.losses.push_back(
        {"unclosed", "data_loss",
         "the profile was not closed (still running, or the recorder was killed): the last "
         "moments are missing" +
             recoveryHint(trace.path),
         1});
  }
  const auto killed = std::count_if(trace.processes.begin(), trace.processes.end(),
                                    [](const ProcessRow& row) { return row.state == "killed"; });
  if (killed > 0) {
    trust.losses.push_back(
        {"killed_process", "data_loss",
         "processes that ended without handing over CUPTI's last buffers (killed): up to the "
         "last 500 ms of their GPU records are missing",
         killed});
  }
  if (trace.rejected_records > 0) {
    trust.losses.push_back(
        {"rejected_records", "data_loss",
         "GPU records with an impossible duration or a reference to nothing; left out of all "
         "numbers",
         trace.rejected_records});
  }
}

void addGated(const ProfileFacts& facts, TrustReport& trust) {
  const bool severe = std::any_of(trust.losses.begin(), trust.losses.end(),
                                  [](const LossReport& loss) { return isSevere(loss.severity); });
  if (severe) {
    trust.assumptions.push_back(
        {"idle_is_upper_bound",
         "records are missing: idle time, gaps and the gains that rest on them are upper bounds, "
         "because some of that time may have been work"});
  }
  if (!facts.trace.opaque_graphs.empty()) {
    const std::string why = "CUDA graphs were traced as a whole; what ran inside them is unknown";
    for (const auto* metric : {"devices.idle_ns", "utilisation.hfu", "devices.overlap_ns"}) {
      trust.gated.push_back({metric, why});
    }
  }
  if (const std::string why = gainsWithheldWhy(overhead(facts)); !why.empty()) {
    trust.gated.push_back({"findings.predicted_gain_ns", why});
  }
  if (facts.launches.unseen > 0) {
    trust.gated.push_back(
        {"gaps.launch_latency", fmt::format("the launch call of {} kernels was not seen; they are "
                                            "left out",
                                            facts.launches.unseen)});
  }
}

// Where collection was on in windows only: how much lies between them.
void addWindows(const ProfileFacts& facts, TrustReport& trust) {
  const auto& paused = facts.trace.paused;
  if (std::all_of(paused.begin(), paused.end(), [](const IntervalSet& set) { return set.empty(); })) return;
  std::string between;
  for (size_t i = 0; i < facts.devices.size(); ++i) {
    if (facts.devices[i].all.unrecorded_ns == 0) continue;
    between += fmt::format("{}{} on GPU {}", between.empty() ? "" : ", ",
                           format::duration(static_cast<double>(facts.devices[i].all.unrecorded_ns)),
                           facts.trace.devices[i].id);
  }
  std::string text =
      "collection was on in windows only; what the GPU did outside them is not known, and that time is left "
      "out "
      "of steps, gaps, span and idle";
  if (!between.empty()) text += " (between the first and the last record: " + between + ")";
  trust.assumptions.push_back({"recording_windows", std::move(text)});
}

void addAssumptions(const ProfileFacts& facts, TrustReport& trust) {
  const auto assume = [&](std::string id, std::string text) {
    trust.assumptions.push_back({std::move(id), std::move(text)});
  };
  addWindows(facts, trust);
  const GemmLinks& links = facts.gemm_links;
  if (links.linked_calls < links.calls) {
    assume("unlinked_gemm",
           fmt::format("{} of {} library calls for matrix products have no kernel in the profile; "
                       "their FLOPs are not counted",
                       links.calls - links.linked_calls, links.calls));
  }
  if (std::any_of(facts.devices.begin(), facts.devices.end(),
                  [](const DeviceFacts& device) { return device.all.comm_count > 0; })) {
    assume("communication_by_name", "communication kernels are recognised by their names");
  }
  for (const DeviceFacts& device : facts.devices) {
    if (!device.hardware) continue;
    if (device.hardware->kind == hardware::MatchKind::Modelled) {
      assume("modelled_ceilings", device.hardware->reason);
    }
    for (const std::string& warning : device.hardware->warnings) assume("hardware_mismatch", warning);
  }
  if (facts.steps.loopCount() > 1) {
    const auto loop = facts.steps.mainLoop();
    assume("several_loops",
           fmt::format("step numbers start again, or the recording was paused between steps: {} loops; "
                       "statistics and verdict are about the one "
                       "that took most time ({} steps from \"{}\" to \"{}\")",
                       facts.steps.loopCount(), loop.size(), loop.front().name, loop.back().name));
  }
  if (facts.steps.source == "periodicity") {
    assume("steps_by_periodicity",
           fmt::format("nothing marks the steps; they were found by the repetition of the "
                       "kernel sequence ({:.0f} % of kernels repeat)",
                       facts.steps.confidence * 100));
  }
}

void addCounterNotes(const ProfileFacts& facts, TrustReport& trust) {
  for (auto& [id, text] : counterNotes(facts.counters, facts.trace))
    trust.assumptions.push_back({std::move(id), std::move(text)});
  for (const std::string& problem : facts.counters.problems)
    trust.losses.push_back({"counter_block_damaged", "data_loss",
                            "hardware counter samples could not be read and are missing: " + problem, 1});
}

}  // namespace

TrustReport trust(const ProfileFacts& facts) {
  TrustReport trust;
  addProcesses(facts.trace, trust);
  addCounters(facts.trace, trust);
  addLedger(facts.trace, trust);
  addGated(facts, trust);
  addAssumptions(facts, trust);
  addCounterNotes(facts, trust);
  trust.complete =
      facts.trace.closed && std::none_of(trust.losses.begin(), trust.losses.end(),
                                         [](const auto& loss) { return isSevere(loss.severity); });
  return trust;
}

}  // namespace perfscope::build
