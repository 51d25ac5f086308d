// Load, then room by room: steps, times, machine state, kernels, launches, gaps.
#include "analysis/facts/profile_facts.h"

#include "analysis/hardware/catalogue.h"
#include "analysis/trace/helper_threads.h"
#include "analysis/trace/load_trace.h"

namespace perfscope {
namespace {

void matchHardware(const DeviceRow& row, const hardware::HardwareSpec* forced, DeviceFacts& facts) {
  if (forced != nullptr) {
    facts.hardware = hardware::HardwareMatch{};
    facts.hardware->spec = *forced;
    facts.hardware->reason = "named by the user; the recorded device is " + row.name;
    facts.hardware_why = facts.hardware->reason;
    return;
  }
  auto match = hardware::matchDevice(hardware::deviceFacts(row));
  if (match) {
    facts.hardware_why = match->reason;
    facts.hardware = std::move(*match);
  } else {
    facts.hardware_why = match.error().sentence();
  }
}

CounterOptions counterOptions(const ProfileFacts& facts, int threads) {
  CounterOptions options;
  options.threads = threads;
  for (const DeviceFacts& device : facts.devices)
    options.bandwidth.push_back(device.hardware ? device.hardware->spec.dram_bandwidth_bytes_per_s
                                                : std::nullopt);
  return options;
}

}  // namespace

Result<ProfileFacts> gatherFacts(const std::string& path, const FactOptions& options) {
  const hardware::HardwareSpec* forced = nullptr;
  if (!options.hardware_spec.empty()) {
    const auto found = hardware::findSpec(options.hardware_spec);
    if (!found) return tl::unexpected(found.error());
    forced = *found;
  }
  auto trace = loadTrace(path, {options.step_marker, options.threads});
  if (!trace) return tl::unexpected(trace.error());
  ProfileFacts facts;
  facts.trace = std::move(*trace);
  facts.classes = kernelClasses(facts.trace);
  facts.is_communication = communicationNames(facts.trace);
  facts.steps = findSteps(facts.trace, options.step_marker);
  facts.step_statistics = stepStatistics(facts.steps.mainLoop());
  facts.window = analysedWindow(facts.trace, facts.steps);
  const Interval window = facts.window.value_or(Interval{});
  HelperThreads helpers;  // launch statistics need nothing but the trace and the window
  helpers.run([&facts, window] { facts.launches = launchFacts(facts.trace, window); });
  for (size_t device = 0; device < facts.trace.devices.size(); ++device) {
    DeviceFacts entry;
    matchHardware(facts.trace.devices[device], forced, entry);
    entry.all = deviceTimes(facts.trace, device, facts.is_communication);
    if (facts.window) entry.window = deviceTimes(facts.trace, device, facts.is_communication, window);
    entry.machine = machineState(facts.trace, device, window);
    facts.devices.push_back(std::move(entry));
  }
  facts.kernels = gatherKernelFacts(facts.trace, facts.classes, window);
  facts.gemm_links = linkGemms(facts.trace, facts.classes, facts.kernels, window);
  facts.gaps = analyseGaps(facts.trace, window, options.largest_gaps);
  helpers.join();
  auto counters = gatherCounters(facts.trace, facts.classes, counterOptions(facts, options.threads));
  if (!counters) return tl::unexpected(counters.error());
  facts.counters = std::move(*counters);
  addShortTimes(facts.trace, facts.launches.cost.p50_ns, facts.kernels);
  return facts;
}

}  // namespace perfscope
