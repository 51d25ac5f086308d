// Reduction of NVML samples.
#include "analysis/facts/machine_state.h"

#include <algorithm>
#include <array>

namespace perfscope {
namespace {

constexpr std::string_view kProvenance = "measured:nvml";
constexpr std::string_view kNoSamples = "no NVML sample lies in the analysed time";

struct ThrottleBit {
  int64_t bit;
  std::string_view name;
};
// nvml.h, nvmlClocksEventReasons; idle (1) and a user's own clock setting are no slow-down of the program's.
constexpr std::array<ThrottleBit, 7> kThrottleBits = {{{0x2, "applications_clocks_setting"},
                                                       {0x4, "sw_power_cap"},
                                                       {0x8, "hw_slowdown"},
                                                       {0x10, "sync_boost"},
                                                       {0x20, "sw_thermal_slowdown"},
                                                       {0x40, "hw_thermal_slowdown"},
                                                       {0x80, "hw_power_brake_slowdown"}}};

Measured<ValueRange> rangeOf(std::vector<double> values, const std::string& why) {
  if (values.empty()) return Measured<ValueRange>::absent(why);
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return Measured<ValueRange>::of({values.front(), median, values.back()}, std::string(kProvenance));
}

template <class Get>
Measured<ValueRange> reduce(const std::vector<const MachineSampleRow*>& samples, const std::string& what,
                            Get&& get) {
  std::vector<double> values;
  for (const MachineSampleRow* sample : samples) {
    if (const auto value = get(*sample)) values.push_back(static_cast<double>(*value));
  }
  return rangeOf(std::move(values),
                 samples.empty() ? std::string(kNoSamples) : what + " was not offered by NVML");
}

Measured<std::vector<std::string>> throttleOf(const std::vector<const MachineSampleRow*>& samples) {
  int64_t seen = 0;
  bool offered = false;
  for (const MachineSampleRow* sample : samples) {
    if (!sample->throttle_reasons) continue;
    offered = true;
    seen |= *sample->throttle_reasons;
  }
  using List = Measured<std::vector<std::string>>;
  if (!offered) return List::absent(samples.empty() ? std::string(kNoSamples) : "NVML offered no reasons");
  std::vector<std::string> names;
  for (const auto& bit : kThrottleBits) {
    if ((seen & bit.bit) != 0) names.emplace_back(bit.name);
  }
  return List::of(std::move(names), std::string(kProvenance));
}

// The counter is the board's and moves about every 100 ms (H200): a difference over a shorter time, or of
// readings that do not span the window, is not the window's energy.
Measured<double> energyOf(const std::vector<const MachineSampleRow*>& samples, Interval window) {
  constexpr int64_t kShortest_ns = 2'000'000'000;  // 20 steps of the counter: 5 % at either end
  constexpr double kCovered = 0.9;
  constexpr double kMillijoules = 1e3;
  std::vector<const MachineSampleRow*> readings;
  for (const MachineSampleRow* sample : samples) {
    if (sample->energy_mj) readings.push_back(sample);
  }
  if (readings.size() < 2)
    return Measured<double>::absent("fewer than two energy readings in the analysed time");
  const int64_t apart_ns = readings.back()->time_ns - readings.front()->time_ns;
  if (apart_ns < kShortest_ns)
    return Measured<double>::absent(
        "the analysed time is too short for the board's energy counter (under 2 s)");
  if (static_cast<double>(apart_ns) < kCovered * static_cast<double>(window.length()))
    return Measured<double>::absent("the energy readings do not cover the analysed time");
  const double millijoules =
      static_cast<double>(*readings.back()->energy_mj) - static_cast<double>(*readings.front()->energy_mj);
  if (millijoules <= 0)
    return Measured<double>::absent("the board's energy counter did not grow in the analysed time");
  return Measured<double>::of(millijoules / kMillijoules, std::string(kProvenance));
}

}  // namespace

MachineState machineState(const Trace& trace, size_t device, Interval window) {
  std::vector<const MachineSampleRow*> samples;
  for (const MachineSampleRow& row : trace.samples) {
    if (row.device_id == trace.devices[device].id && row.time_ns >= window.start &&
        row.time_ns <= window.end) {
      samples.push_back(&row);
    }
  }
  MachineState state;
  state.samples = static_cast<int64_t>(samples.size());
  // A running board has neither 0 MHz nor 0 W: such a reading is a driver that could not tell.
  state.sm_clock_mhz = reduce(samples, "the SM clock", [](const auto& row) {
    return row.sm_clock_mhz && *row.sm_clock_mhz > 0 ? row.sm_clock_mhz : std::nullopt;
  });
  state.temperature_c = reduce(samples, "the temperature", [](const auto& row) { return row.temperature_c; });
  state.power_w = reduce(samples, "the power", [](const auto& row) {
    constexpr double kMilliwatts = 1e3;
    return row.power_mw && *row.power_mw > 0
               ? std::optional<double>(static_cast<double>(*row.power_mw) / kMilliwatts)
               : std::nullopt;
  });
  state.throttle = throttleOf(samples);
  state.energy_j = energyOf(samples, window);
  return state;
}

}  // namespace perfscope
