// Load, then room by room: steps, times, machine state, kernels, launches, gaps.
#include "analysis/facts/profile_facts.h"

#include "analysis/hardware/calibration_file.h"
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

// What is there to choose from. Error: a file that was named and cannot be read.
Result<std::vector<hardware::StoredCalibration>> calibrations(const std::string& wanted) {
  std::vector<hardware::StoredCalibration> stored;
  std::vector<std::string> broken;  // a stored file that cannot be read is as good as none
  if (wanted.empty()) return stored;
  if (wanted == "auto") return hardware::storedCalibrations(hardware::calibrationFolder(), broken);
  auto one = hardware::readCalibration(wanted);
  if (!one) return tl::unexpected(one.error());
  stored.push_back({wanted, std::move(*one)});
  return stored;
}

void matchCalibration(const DeviceRow& row, bool is_forced,
                      const std::vector<hardware::StoredCalibration>& stored, DeviceFacts& facts) {
  if (is_forced) {
    facts.calibration_why = "the profile is compared with a product named by the user";
    return;
  }
  const std::string uuid = row.uuid.value_or("");
  const auto* const found = hardware::matching(stored, uuid, row.name);
  if (found == nullptr) {
    facts.calibration_why = "no calibration of this GPU is in use (perfscope calibrate)";
    return;
  }
  facts.calibration = found->calibration;
  facts.calibration_why = (found->calibration.uuid == uuid ? "measured on this very GPU, "
                                                           : "measured on another GPU of this product, ") +
                          found->calibration.date + (found->calibration.quick ? ", --quick" : "");
}

Status checkNamedCalibration(const FactOptions& options,
                             const std::vector<hardware::StoredCalibration>& stored,
                             const ProfileFacts& facts) {
  if (options.calibration.empty() || options.calibration == "auto" || !options.hardware_spec.empty())
    return {};
  for (const auto& device : facts.devices) {
    if (device.calibration) return {};
  }
  return failure(ErrorKind::InputRefused, options.calibration,
                 "is of " + stored.front().calibration.device_name + ", which the profile does not have",
                 "leave --calibration out, or name the calibration of the recorded GPU");
}

}  // namespace

Result<ProfileFacts> gatherFacts(const std::string& path, const FactOptions& options) {
  const hardware::HardwareSpec* forced = nullptr;
  if (!options.hardware_spec.empty()) {
    const auto found = hardware::findSpec(options.hardware_spec);
    if (!found) return tl::unexpected(found.error());
    forced = *found;
  }
  const auto stored = calibrations(options.calibration);
  if (!stored) return tl::unexpected(stored.error());
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
    matchCalibration(facts.trace.devices[device], forced != nullptr, *stored, entry);
    entry.all = deviceTimes(facts.trace, device, facts.is_communication);
    if (facts.window) entry.window = deviceTimes(facts.trace, device, facts.is_communication, window);
    entry.machine = machineState(facts.trace, device, window);
    facts.devices.push_back(std::move(entry));
  }
  if (auto fits = checkNamedCalibration(options, *stored, facts); !fits) return tl::unexpected(fits.error());
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
