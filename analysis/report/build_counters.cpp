// Amounts of roles -> fields of the report.
#include "analysis/report/build_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace perfscope::build {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr std::string_view kCounted = "counted:api";
constexpr double kClocksPerNsPerMhz = 1e-3;
// More active cycles than there were: the counter counts in another unit (sub-partitions) or the clock is
// wrong.
constexpr double kMostActive = 1.05;

CounterValue of(const ProfileFacts& facts, const KernelFacts& kernel, CounterRole role) {
  return facts.counters.of(kernel.device, kernel.name, role);
}

void addBytes(const ProfileFacts& facts, const KernelFacts& kernel, BytesReport& bytes) {
  const CounterValue read = of(facts, kernel, CounterRole::DramReadBytes);
  const CounterValue write = of(facts, kernel, CounterRole::DramWriteBytes);
  const CounterValue l2 = of(facts, kernel, CounterRole::L2Bytes);
  bytes.dram_read = read.total;
  bytes.dram_write = write.total;
  bytes.l2 = l2.total;
  if (read.total.has() && write.total.has()) {
    bytes.dram_low = read.low + write.low;
    bytes.dram_high = read.high + write.high;
  }
  if (l2.total.has()) bytes.l2_low = l2.low, bytes.l2_high = l2.high;
}

struct WeightedRole {
  CounterRole role;
  double operations;  // a unit of the role
};
// Executed FLOPs of replayed launches: FMA = 2; half precision is packed (metric catalogue, "FLOPs and
// bytes").
constexpr std::array<WeightedRole, 4> kNeededForFlops = {{{CounterRole::TensorOps, 1},
                                                          {CounterRole::FloatAdd, 1},
                                                          {CounterRole::FloatMultiply, 1},
                                                          {CounterRole::FloatFma, 2}}};
constexpr std::array<WeightedRole, 6> kOtherFlops = {{{CounterRole::DoubleAdd, 1},
                                                      {CounterRole::DoubleMultiply, 1},
                                                      {CounterRole::DoubleFma, 2},
                                                      {CounterRole::HalfAdd, 2},
                                                      {CounterRole::HalfMultiply, 2},
                                                      {CounterRole::HalfFma, 4}}};

bool countedFlops(const ProfileFacts& facts, const KernelFacts& kernel, FlopsReport& flops) {
  double total = 0, low = 0, high = 0;
  const auto add = [&](const WeightedRole& part) {
    const CounterValue value = of(facts, kernel, part.role);
    if (!value.total.has()) return false;
    total += part.operations * *value.total;
    low += part.operations * value.low;
    high += part.operations * value.high;
    return true;
  };
  if (!std::all_of(kNeededForFlops.begin(), kNeededForFlops.end(), add)) return false;
  const auto others = std::count_if(kOtherFlops.begin(), kOtherFlops.end(), add);
  const bool all = others == static_cast<std::ptrdiff_t>(kOtherFlops.size());
  flops.executed = Measured<double>::of(
      total, all ? "measured:replay" : "measured:replay (tensor and fp32 only: a lower bound)");
  flops.executed_low = low, flops.executed_high = high;
  return true;
}

// The one tensor path a kernel runs on, when nearly all its launches are known to run there.
std::optional<hardware::Precision> onlyTensorPath(const KernelFacts& kernel) {
  constexpr double kNearlyAll = 0.9;
  std::optional<hardware::Precision> found;
  for (const hardware::Precision precision : hardware::allPrecisions()) {
    const int64_t ns = kernel.work.ns_by_precision[static_cast<size_t>(precision)];
    if (ns <= 0) continue;
    if (found || !hardware::isTensor(precision)) return std::nullopt;
    if (static_cast<double>(ns) < kNearlyAll * static_cast<double>(kernel.total_ns)) return std::nullopt;
    found = precision;
  }
  return found;
}

// sm__pipe_tensor_cycles_active.sum counts in each of an SM's sub-partitions. On an H200 the sampled cycles
// of six GEMM kernels of a training step, times the rate of a whole SM, were 3.9 to 4.1 times (4.02 together)
// the FLOPs of their library calls; one sub-partition's rate makes them agree.
constexpr double kTensorPipesPerSm = 4;

// From the cycles of the tensor pipe: only the pipe's rate for what ran on it makes FLOPs of them.
void estimatedFlops(const ProfileFacts& facts, const KernelFacts& kernel, const RoofSource& source,
                    FlopsReport& flops) {
  const CounterValue cycles = of(facts, kernel, CounterRole::TensorActiveCycles);
  if (!cycles.total.has()) {
    flops.executed = Measured<double>::absent(cycles.total.why);
    return;
  }
  const auto path = onlyTensorPath(kernel);
  if (!path || source.spec == nullptr || !source.sm_count) {
    flops.executed = Measured<double>::absent(
        "tensor activity was sampled, but which types the kernel multiplies is not known");
    return;
  }
  const auto sm_rate = source.spec->peak(*path).flops_per_sm_clock;
  if (!sm_rate) {
    flops.executed = Measured<double>::absent("the rate of the tensor pipe is not in the catalogue");
    return;
  }
  const double rate = *sm_rate / kTensorPipesPerSm;
  flops.executed = Measured<double>::of(
      *cycles.total * rate,
      fmt::format("measured:sampled tensor cycles x {:.0f} FLOP per pipe and clock of {} (estimate)", rate,
                  hardware::name(*path)));
  flops.executed_low = cycles.low * rate, flops.executed_high = cycles.high * rate;
}

// active cycles / (clock x SMs x pipes an SM x time)
Measured<double> activity(const Measured<double>& cycles, double ns, const std::optional<double>& clock_mhz,
                          const std::optional<int>& sm_count) {
  if (!cycles.has()) return cycles;
  if (!clock_mhz || !sm_count || *clock_mhz <= 0 || *sm_count <= 0)
    return Measured<double>::absent("tensor cycles were counted, but SM clock or SM count are not known");
  if (ns <= 0) return Measured<double>::absent("it took no time");
  const double share = *cycles / (*clock_mhz * kClocksPerNsPerMhz * *sm_count * kTensorPipesPerSm * ns);
  if (share > kMostActive)
    return Measured<double>::absent(
        fmt::format("the tensor pipe would have been active for {:.0f} % of the time at the recorded clock",
                    share * 100));
  return Measured<double>::of(share, cycles.provenance);
}

void addMix(const ProfileFacts& facts, const KernelFacts& kernel, KernelReport& report) {
  for (const CounterRole role :
       {CounterRole::FmaInstructions, CounterRole::AluInstructions, CounterRole::Fp64ActiveCycles,
        CounterRole::TensorActiveCycles, CounterRole::Instructions}) {
    const CounterValue value = of(facts, kernel, role);
    if (value.total.has()) report.instruction_mix[std::string(infoOf(role).name)] = *value.total;
  }
  if (report.instruction_mix.empty())
    report.instruction_mix_why = of(facts, kernel, CounterRole::FmaInstructions).total.why;
}

// Rates of the point, as far as it goes beyond what the library calls told.
void addRates(const RoofPoint& point, KernelReport& r) {
  const auto rate = [](double amount, int64_t ns) { return amount / static_cast<double>(ns) * kNsPerSecond; };
  const bool has_flops = point.flops > 0 && point.flop_ns > 0;
  if (has_flops && point.flop_provenance != kCounted)
    r.achieved_flops = Measured<double>::of(rate(point.flops, point.flop_ns), point.flop_provenance);
  if (point.boundary != "dram") {
    const auto& missing = r.bytes.dram_read.has() ? r.bytes.dram_write : r.bytes.dram_read;
    r.intensity_dram =
        Measured<double>::absent(missing.has() ? "no byte went to or came from device memory" : missing.why);
    return;
  }
  const double traffic = rate(point.bytes, point.byte_ns);
  r.intensity_dram = has_flops ? Measured<double>::of(rate(point.flops, point.flop_ns) / traffic,
                                                      point.flop_provenance + " / " + point.byte_provenance)
                               : Measured<double>::absent(point.no_flops_why);
  if (!r.achieved_bytes_per_s.has())
    r.achieved_bytes_per_s = Measured<double>::of(traffic, point.byte_provenance);
}

// The precision most of the executed operations had; without tensor operations the vector pipe.
void usePrecision(const ProfileFacts& facts, const KernelFacts& kernel, double flops, RoofPoint& point) {
  const auto mix = facts.counters.tensorMix(kernel.device, kernel.name);
  const auto most = std::max_element(mix.begin(), mix.end());
  double tensor = 0;
  for (const double part : mix) tensor += part;
  constexpr double kMainly = 0.5;
  hardware::Precision precision = hardware::Precision::Fp32;
  if (tensor > kMainly * flops) {
    precision = static_cast<hardware::Precision>(most - mix.begin());
  } else {
    const CounterValue fma = of(facts, kernel, CounterRole::DoubleFma);
    if (fma.total.has() && 2 * *fma.total > kMainly * flops) precision = hardware::Precision::Fp64;
  }
  point.ns_by_precision.fill(0);
  point.ns_by_precision[static_cast<size_t>(precision)] = kernel.total_ns;
}

bool isExact(const Measured<double>& value) {
  return value.has() && value.provenance.rfind("measured:replay", 0) == 0;
}

}  // namespace

void addCounters(const ProfileFacts& facts, const KernelFacts& kernel, const RoofSource& source,
                 KernelReport& report) {
  addBytes(facts, kernel, report.bytes);
  if (!countedFlops(facts, kernel, report.flops)) estimatedFlops(facts, kernel, source, report.flops);
  report.tensor_active = activity(of(facts, kernel, CounterRole::TensorActiveCycles).total,
                                  static_cast<double>(kernel.total_ns), source.clock_mhz, source.sm_count);
  addMix(facts, kernel, report);
}

void useMeasured(const ProfileFacts& facts, const KernelFacts& kernel, KernelReport& report,
                 RoofPoint& point) {
  const bool both = report.bytes.dram_read.has() && report.bytes.dram_write.has();
  const double dram = both ? *report.bytes.dram_read + *report.bytes.dram_write : 0.0;
  if (dram > 0 && report.total_ns > 0) {
    point.algorithmic_bytes_per_ns =
        point.byte_ns > 0 ? point.bytes / static_cast<double>(point.byte_ns) : 0.0;
    point.bytes = dram;
    point.byte_ns = report.total_ns;
    point.boundary = "dram";
    point.byte_provenance = report.bytes.dram_read.provenance;
    if (isExact(report.flops.executed) && *report.flops.executed > 0) {
      point.flops = *report.flops.executed;
      point.flop_ns = report.total_ns;
      point.flop_provenance = report.flops.executed.provenance;
      usePrecision(facts, kernel, point.flops, point);
    }
  }
  addRates(point, report);
}

void addCounters(const ProfileFacts& facts, size_t device, DeviceReport& report) {
  const Interval span{report.first_ns, report.last_ns};
  const DeviceFacts& known = facts.devices[device];
  const auto& sms = facts.trace.devices[device].sm_count;
  report.dram_read_bytes = facts.counters.sampledWithin(device, CounterRole::DramReadBytes, span);
  report.dram_write_bytes = facts.counters.sampledWithin(device, CounterRole::DramWriteBytes, span);
  std::optional<double> clock_mhz;
  if (known.machine.sm_clock_mhz.has()) clock_mhz = known.machine.sm_clock_mhz.value->median;
  report.tensor_active = activity(facts.counters.sampledWithin(device, CounterRole::TensorActiveCycles, span),
                                  static_cast<double>(span.length()), clock_mhz,
                                  sms ? std::optional<int>(static_cast<int>(*sms)) : std::nullopt);
}

Measured<double> measuredMemoryUse(const ProfileFacts& facts) {
  const Interval window = facts.window.value_or(Interval{});
  double moved = 0, possible = 0;
  for (size_t device = 0; device < facts.devices.size(); ++device) {
    const DeviceFacts& known = facts.devices[device];
    if (known.all.busy_ns == 0) continue;
    auto read = facts.counters.sampledWithin(device, CounterRole::DramReadBytes, window);
    auto write = facts.counters.sampledWithin(device, CounterRole::DramWriteBytes, window);
    if (!read.has()) return read;
    if (!write.has()) return write;
    if (!known.hardware || !known.hardware->spec.dram_bandwidth_bytes_per_s)
      return Measured<double>::absent("the memory bandwidth of the GPU is not known");
    moved += *read + *write;
    possible += *known.hardware->spec.dram_bandwidth_bytes_per_s * static_cast<double>(window.length()) /
                kNsPerSecond;
  }
  if (possible <= 0) return Measured<double>::absent("nothing ran on a GPU");
  return Measured<double>::of(moved / possible, "measured:sampled / datasheet");
}

}  // namespace perfscope::build
