// Copies from pageable memory, and communication that nothing hides.
#include <fmt/format.h>

#include "analysis/diagnosis/rules.h"
#include "analysis/metrics/thresholds.h"

namespace perfscope::rule {

void pageableCopies(const RuleInput& input, std::vector<Finding>& findings) {
  const PageableCopies& copies = input.shares.pageable;
  const double held = input.shares.of(IdleCause::Copy);
  const double share = copies.exposed + held;
  if (copies.count == 0 || share < threshold::kNoiseShare.value) return;
  Finding finding;
  finding.id = "pageable_copies";
  finding.severity = share >= threshold::kGateShare.value ? "critical" : "warning";
  finding.level = "system", finding.axis = "data", finding.term = "data";
  finding.title = "Copies from or to pageable memory hold the host and cannot overlap";
  finding.advice =
      "Allocate host buffers pinned (pin_memory=True, cudaHostAlloc) and copy asynchronously on a stream of "
      "their own.";
  finding.evidence.push_back(
      {fmt::format("{} pageable copies in the analysed time, {:.1f} MB; {:.1f} % of it nothing else ran",
                   copies.count, static_cast<double>(copies.bytes) / 1e6, copies.exposed * 100),
       {},
       {},
       {}});
  if (held > 0) {
    finding.evidence.push_back(
        {fmt::format("the GPU idles another {:.1f} % of the time after them", held * 100), {}, {}, {}});
  }
  finding.predicted_gain_ns = Measured<int64_t>::of(input.shares.ns(share), "modelled:amdahl");
  finding.sources = {"memory.copies", "gaps.by_cause"};
  findings.push_back(std::move(finding));
}

void exposedCommunication(const RuleInput& input, std::vector<Finding>& findings) {
  const double share = input.shares.exposed_communication;
  if (share < threshold::kNoiseShare.value) return;
  Finding finding;
  finding.id = "exposed_communication";
  finding.severity = share >= threshold::kGateShare.value ? "critical" : "warning";
  finding.level = "system", finding.axis = "algorithm", finding.term = "data";
  finding.title = "Communication runs while no computing kernel does";
  finding.advice =
      "Start collectives earlier (smaller buckets), overlap them with the backward pass, reduce what is "
      "sent. A late peer shows as communication too: compare the ranks.";
  finding.evidence.push_back({fmt::format("{:.1f} % of the analysed time", share * 100), {}, {}, {}});
  finding.predicted_gain_ns = Measured<int64_t>::of(input.shares.ns(share), "modelled:amdahl");
  finding.sources = {"devices.exposed_comm_ns"};
  findings.push_back(std::move(finding));
}

}  // namespace perfscope::rule
