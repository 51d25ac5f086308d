// Matching by whole name, corrected by what the device says; else a spec modelled from its attributes.
#include "analysis/hardware/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "analysis/hardware/catalogue.h"
#include "analysis/hardware/issue_rates.h"
#include "schemas/tables.h"

namespace perfscope::hardware {
namespace {

constexpr double kHertzPerMegahertz = 1e6;
// Capacities are printed in decimal GB but built in GiB, less firmware and ECC reserve: devices report from 1
// % below (T4 with ECC) to 7 % above (H200: 150.75e9 bytes for 141 GB) the printed figure.
constexpr double kMemoryBelow = 0.025;
constexpr double kMemoryAbove = 0.10;
constexpr std::int64_t kBytesPerRegister = 4;
constexpr int kThreadsPerWarp = 32;

std::string boardName(std::string_view device_name) {
  return std::string(device_name.substr(0, device_name.find(" MIG ")));
}

// People type "nvidia h200"; no two products differ in capitals only.
bool sameName(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

const HardwareSpec* findByName(const std::vector<HardwareSpec>& specs, const std::string& board) {
  for (const HardwareSpec& spec : specs) {
    const auto same = [&](const std::string& name) { return sameName(name, board); };
    if (std::any_of(spec.match_names.begin(), spec.match_names.end(), same)) return &spec;
  }
  return nullptr;
}

void warnIfMemoryDiffers(const DeviceFacts& device, HardwareMatch& match) {
  if (!device.memory_bytes || !match.spec.memory_bytes) return;
  const double listed = *match.spec.memory_bytes;
  const double ratio = *device.memory_bytes / listed;
  if (ratio >= 1 - kMemoryBelow && ratio <= 1 + kMemoryAbove) return;
  match.warnings.push_back(fmt::format(
      "the device has {:.0f} GB of memory, the catalogue row {:.0f} GB: it may be another variant of the "
      "product with another bandwidth",
      *device.memory_bytes / 1e9, listed / 1e9));
}

void warnIfClockDiffers(const DeviceFacts& device, HardwareMatch& match) {
  constexpr double kClockTolerance = 0.02;
  if (!device.max_sm_clock_mhz || !match.spec.boost_clock_mhz) return;
  const double listed = *match.spec.boost_clock_mhz;
  if (std::abs(*device.max_sm_clock_mhz - listed) <= kClockTolerance * listed) return;
  match.warnings.push_back(
      fmt::format("the device's maximal SM clock is {:.0f} MHz, the data sheet assumes {:.0f} MHz",
                  *device.max_sm_clock_mhz, listed));
}

// Peaks by the SMs that are there; the board's bandwidth and capacity are shared with others and not carried
// over.
void scaleToDevice(const DeviceFacts& device, HardwareMatch& match) {
  HardwareSpec& spec = match.spec;
  const double share = static_cast<double>(*device.sm_count) / *spec.sm_count;
  for (Peak& peak : spec.peaks) {
    if (peak.flops_per_s) peak.flops_per_s = *peak.flops_per_s * share;
  }
  match.kind = MatchKind::Scaled;
  spec.origin = SpecOrigin::Modelled;
  spec.origin_reason = fmt::format("{} of the board's {} SMs", *device.sm_count, *spec.sm_count);
  match.reason = fmt::format("name of {}, scaled to {}", spec.name, spec.origin_reason);
  spec.sm_count = device.sm_count;
  spec.memory_bytes = device.memory_bytes;
  spec.dram_bandwidth_bytes_per_s = device.dram_bandwidth_bytes_per_s;
  if (device.l2_bytes) spec.l2_bytes = device.l2_bytes;
  if (device.is_mig_slice) {
    spec.dram_bandwidth_bytes_per_s = std::nullopt;
    match.warnings.push_back("MIG slice: the bandwidth of a slice is not known, the board's is shared");
  }
}

HardwareMatch matchByName(const HardwareSpec& row, const DeviceFacts& device) {
  HardwareMatch match;
  match.spec = row;
  match.reason = fmt::format("the driver's name '{}' is {}", device.name, row.name);
  const bool slice = device.is_mig_slice || device.name.find(" MIG ") != std::string::npos;
  if (device.sm_count && *device.sm_count > 0 && row.sm_count && *device.sm_count != *row.sm_count) {
    match.warnings.push_back(
        fmt::format("the device has {} SMs, the catalogue row {}", *device.sm_count, *row.sm_count));
    DeviceFacts facts = device;
    facts.is_mig_slice = slice;
    scaleToDevice(facts, match);
    return match;
  }
  if (slice) {
    match.spec.dram_bandwidth_bytes_per_s = std::nullopt;
    match.warnings.push_back(
        "MIG slice without a known SM count: compute peaks are those of the whole board");
  }
  warnIfMemoryDiffers(device, match);
  warnIfClockDiffers(device, match);
  return match;
}

void fillPeaks(const IssueRates& rates, double sm_clocks_per_s, HardwareSpec& spec) {
  for (const Precision precision : allPrecisions()) {
    const auto& rate = rates[static_cast<std::size_t>(precision)];
    if (!rate) continue;
    spec.peak(precision) = Peak{*rate * sm_clocks_per_s, rate, PeakOrigin::Computed, true};
  }
}

void fillFacts(const DeviceFacts& device, HardwareSpec& spec) {
  spec.sm_count = device.sm_count;
  spec.boost_clock_mhz = device.max_sm_clock_mhz;
  spec.memory_bytes = device.memory_bytes;
  spec.dram_bandwidth_bytes_per_s = device.dram_bandwidth_bytes_per_s;
  spec.l2_bytes = device.l2_bytes;
  spec.shared_bytes_per_sm = device.shared_bytes_per_sm;
  if (device.registers_per_sm) spec.register_bytes_per_sm = *device.registers_per_sm * kBytesPerRegister;
  spec.max_warps_per_sm = device.max_warps_per_sm;
  if (device.max_warps_per_sm) spec.max_threads_per_sm = *device.max_warps_per_sm * kThreadsPerWarp;
  spec.max_blocks_per_sm = device.max_blocks_per_sm;
}

tl::unexpected<Error> cannotModel(const DeviceFacts& device, std::string reason) {
  return failure(ErrorKind::Unavailable,
                 fmt::format("peaks of '{}'", device.name.empty() ? "a device without a name" : device.name),
                 "the catalogue does not know it and " + std::move(reason),
                 "name a product to compare with (--hw SPEC, see 'perfscope hardware list')");
}

Result<HardwareMatch> model(const DeviceFacts& device, std::vector<std::string> warnings) {
  if (!device.capability) return cannotModel(device, "its compute capability was not recorded");
  const Board board = boardOf(device.name);
  const auto rates = issueRates(*device.capability, board);
  if (!rates) {
    return cannotModel(device, fmt::format("compute capability {} is not in the rate table ({})",
                                           text(*device.capability), knownCapabilities()));
  }
  if (!device.sm_count || *device.sm_count <= 0) return cannotModel(device, "its SM count was not recorded");
  const double clock_mhz = device.max_sm_clock_mhz.value_or(0);
  if (!(clock_mhz > 0) || !std::isfinite(clock_mhz)) {
    return cannotModel(device, "its maximal SM clock was not recorded");
  }
  HardwareMatch match;
  match.kind = MatchKind::Modelled;
  match.warnings = std::move(warnings);
  match.spec.id = "modelled";
  match.spec.name = device.name;
  match.spec.vendor = "NVIDIA";
  match.spec.compute_capability = text(*device.capability);
  match.spec.source = "SMs, clock and limits from the device; rates per SM by compute capability";
  match.spec.confidence = "low";
  match.spec.origin = SpecOrigin::Modelled;
  fillFacts(device, match.spec);
  fillPeaks(*rates, *device.sm_count * clock_mhz * kHertzPerMegahertz, match.spec);
  match.spec.origin_reason =
      fmt::format("{} SMs x {:.0f} MHz x rate of compute capability {}{}", *device.sm_count, clock_mhz,
                  text(*device.capability), board == Board::GeForce ? " (GeForce)" : "");
  match.reason = "not in the catalogue; modelled from " + match.spec.origin_reason;
  if (!device.dram_bandwidth_bytes_per_s) {
    match.warnings.push_back("the memory bandwidth was not recorded, so there is no ridge");
  }
  return match;
}

}  // namespace

std::string_view text(MatchKind kind) {
  switch (kind) {
    case MatchKind::Name:
      return "name";
    case MatchKind::Scaled:
      return "scaled";
    case MatchKind::Modelled:
      return "modelled";
  }
  return "modelled";
}

DeviceFacts deviceFacts(const DeviceRow& row) {
  constexpr double kKilohertzPerMegahertz = 1e3;
  const auto narrow = [](const std::optional<std::int64_t>& value) {
    return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
  };
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
  };
  DeviceFacts facts;
  facts.name = row.name;
  if (row.cc_major && row.cc_minor) {
    facts.capability = ComputeCapability{static_cast<int>(*row.cc_major), static_cast<int>(*row.cc_minor)};
  }
  facts.sm_count = narrow(row.sm_count);
  facts.max_sm_clock_mhz = number(row.max_sm_clock_mhz);
  if (!facts.max_sm_clock_mhz && row.core_clock_khz) {
    facts.max_sm_clock_mhz = static_cast<double>(*row.core_clock_khz) / kKilohertzPerMegahertz;
  }
  facts.memory_bytes = number(row.memory_bytes);
  facts.dram_bandwidth_bytes_per_s = number(row.memory_bandwidth_bytes_per_s);
  facts.l2_bytes = row.l2_bytes;
  facts.shared_bytes_per_sm = row.shared_bytes_per_sm;
  facts.registers_per_sm = row.registers_per_sm;
  facts.max_warps_per_sm = narrow(row.max_warps_per_sm);
  facts.max_blocks_per_sm = narrow(row.max_blocks_per_sm);
  facts.is_mig_slice = row.mig.value_or(0) == 1;
  return facts;
}

Result<HardwareMatch> matchDevice(const std::vector<HardwareSpec>& specs, const DeviceFacts& device) {
  std::vector<std::string> warnings;
  if (const HardwareSpec* row = findByName(specs, boardName(device.name))) {
    const auto listed = row->cudaCapability();
    if (!device.capability || !listed || *device.capability == *listed) return matchByName(*row, device);
    warnings.push_back(
        fmt::format("the name is that of {}, but the device has compute capability {} instead of {}",
                    row->name, text(*device.capability), text(*listed)));
  }
  return model(device, std::move(warnings));
}

Result<HardwareMatch> matchDevice(const DeviceFacts& device) {
  const auto& specs = catalogue();
  if (!specs) return tl::unexpected<Error>(specs.error());
  return matchDevice(*specs, device);
}

}  // namespace perfscope::hardware
