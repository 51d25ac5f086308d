// The GPU runs below the clock it is sold with, or NVML names a reason for slowing down.
#include <fmt/format.h>

#include "analysis/diagnosis/rules.h"
#include "analysis/metrics/thresholds.h"

namespace perfscope::rule {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& entry : names) text += (text.empty() ? "" : ", ") + entry;
  return text;
}

}  // namespace

void lowClock(const RuleInput& input, std::vector<Finding>& findings) {
  for (size_t i = 0; i < input.facts.devices.size(); ++i) {
    const DeviceFacts& device = input.facts.devices[i];
    if (!device.machine.sm_clock_mhz.has() || !device.hardware || !device.hardware->spec.boost_clock_mhz)
      continue;
    const double clock = device.machine.sm_clock_mhz.value->median;
    const double nominal = *device.hardware->spec.boost_clock_mhz;
    if (clock >= threshold::kLowClock.value * nominal) continue;
    Finding finding;
    finding.id = "low_clock";
    finding.severity = "warning";
    finding.level = "system", finding.axis = "machine", finding.term = "compute";
    finding.title = "The GPU runs below its nominal clock";
    finding.advice =
        "Check power limit, cooling and clock settings (nvidia-smi -q -d CLOCK,PERFORMANCE). A GPU that is "
        "mostly idle lowers its clock by itself: then remove the idle time first.";
    finding.evidence.push_back({fmt::format("median SM clock {:.0f} MHz of {:.0f} MHz ({:.0f} %)", clock,
                                            nominal, clock / nominal * 100),
                                {},
                                input.facts.trace.devices[i].id,
                                {}});
    const auto& reasons = device.machine.throttle;
    if (reasons.has() && !reasons.value->empty()) {
      finding.evidence.push_back(
          {"NVML names: " + joined(*reasons), {}, input.facts.trace.devices[i].id, {}});
    }
    finding.predicted_gain_ns =
        Measured<int64_t>::absent("how much of the time scales with the clock is not known");
    finding.sources = {"devices.clock_mhz", "datasheet"};
    findings.push_back(std::move(finding));
  }
}

}  // namespace perfscope::rule
