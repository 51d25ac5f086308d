// Sections about the run itself: contract, overhead, processes, devices, conventions.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "analysis/metrics/thresholds.h"
#include "analysis/report/build_counters.h"
#include "analysis/report/build_sections.h"

namespace perfscope::build {
namespace {

std::optional<std::string> meta(const Trace& trace, const std::string& key) {
  const auto found = trace.meta.find(key);
  if (found == trace.meta.end()) return std::nullopt;
  return found->second;
}

std::optional<int64_t> metaInteger(const Trace& trace, const std::string& key) {
  const auto text = meta(trace, key);
  int64_t value = 0;
  if (!text) return std::nullopt;
  const auto parsed = std::from_chars(text->data(), text->data() + text->size(), value);
  return parsed.ec == std::errc() ? std::optional(value) : std::nullopt;
}

// A device with 0 SMs or bytes is one whose driver did not tell.
std::optional<int64_t> positive(std::optional<int64_t> value) {
  return value && *value > 0 ? value : std::nullopt;
}

// CUPTI and CUDA versions are integers such as 13000 or 130000.
std::string cudaVersion(int64_t version) {
  constexpr int64_t kMajor = 1000, kMinor = 10;
  return fmt::format("{}.{}", version / kMajor, version % kMajor / kMinor);
}

}  // namespace

ContractReport contract(const ProfileFacts& facts) {
  ContractReport contract;
  const Trace& trace = facts.trace;
  constexpr std::string_view kLabel = "label.";
  for (const auto& [key, value] : trace.meta) {
    if (key.rfind(kLabel, 0) == 0) contract.workload[key.substr(kLabel.size())] = value;
  }
  for (size_t i = 0; i < trace.devices.size(); ++i) {
    const DeviceRow& row = trace.devices[i];
    const auto& match = facts.devices[i].hardware;
    const bool has_limit = row.power_limit_w && std::isfinite(*row.power_limit_w) && *row.power_limit_w > 0;
    contract.gpus.push_back({row.name, row.uuid.value_or(""), match ? match->spec.id : "",
                             positive(row.sm_count), positive(row.memory_bytes),
                             has_limit ? row.power_limit_w : std::nullopt});
    const auto& clock = facts.devices[i].machine.sm_clock_mhz;
    if (clock.has())
      contract.clocks["sm_clock_mhz_median." + std::to_string(row.id)] =
          fmt::format("{:.0f}", clock.value->median);
  }
  if (!trace.hosts.empty()) {
    contract.host = trace.hosts.front().name;
    contract.driver = trace.hosts.front().driver_version;
    if (trace.hosts.front().cuda_driver_api)
      contract.cuda = cudaVersion(*trace.hosts.front().cuda_driver_api);
  }
  for (const ProcessRow& row : trace.processes) {
    if (row.runtime_version) contract.cuda = cudaVersion(*row.runtime_version);
    if (row.cupti_version) contract.cupti = std::to_string(*row.cupti_version);
  }
  contract.timing["source"] = "CUPTI activity time stamps, ns";
  contract.timing["window"] = facts.steps.found() ? "steady steps" : "first to last GPU record";
  contract.statistics["steady_steps"] = std::to_string(facts.step_statistics.steady);
  contract.statistics["runs"] = "1";
  return contract;
}

OverheadReport overhead(const ProfileFacts& facts) {
  OverheadReport overhead;
  const Trace& trace = facts.trace;
  const auto bare = metaInteger(trace, "overhead.bare_ns");
  const auto profiled = metaInteger(trace, "overhead.profiled_ns");
  const auto pairs = metaInteger(trace, "overhead.n");
  if (bare && profiled && pairs && *bare > 0 && *profiled > 0 && *pairs > 0) {
    overhead.measured = OverheadMeasured{*bare, *profiled,
                                         static_cast<double>(*profiled) / static_cast<double>(*bare), *pairs};
  } else if (bare || profiled || pairs) {
    overhead.measured_why = "the stored measurement is not whole (overhead.* in table meta)";
  } else {
    overhead.measured_why = "the run was not repeated without the profiler (--measure-overhead N does)";
  }
  // Cost of one record, from paired runs on an H200 with CUDA 13.0: eager decode (96 kernels a step) 1.68
  // -> 1.87 ms, graph decode (95 nodes a replay) 0.371 -> 0.387 ms.
  constexpr double kNsPerLaunch = 2000, kNsPerGraphNode = 170;
  constexpr int64_t kFirstProfilerKind = 1 << 16, kModuleLoading = 4 << 16, kCommandBufferFull = 6 << 16;
  double ns = 0;
  for (const OverheadRow& row : trace.overheads) {
    const bool of_driver = row.kind >= kModuleLoading && row.kind <= kCommandBufferFull;
    if (row.kind >= kFirstProfilerKind && !of_driver) ns += static_cast<double>(row.duration_ns);
  }
  int64_t nodes = 0;
  for (const DeviceFacts& device : facts.devices) nodes += device.all.graph_node_count;
  const auto kernels = static_cast<int64_t>(trace.kernels.size());
  ns += static_cast<double>(kernels - nodes) * kNsPerLaunch + static_cast<double>(nodes) * kNsPerGraphNode;
  overhead.estimated_ns =
      Measured<int64_t>::of(static_cast<int64_t>(std::llround(ns)), "modelled:cost_per_record");
  return overhead;
}

std::vector<ProcessReport> processes(const ProfileFacts& facts) {
  std::vector<ProcessReport> result;
  for (const ProcessRow& row : facts.trace.processes) {
    ProcessReport process;
    process.pid = row.pid;
    process.rank = row.rank;
    process.world_size = row.world_size;
    process.local_rank = row.local_rank;
    process.state = row.state;
    process.command = row.command;
    process.exit_status = row.exit_status;
    for (const HostRow& host : facts.trace.hosts) {
      if (host.id == row.host_id) process.host = host.name;
    }
    result.push_back(std::move(process));
  }
  return result;
}

std::vector<DeviceReport> devices(const ProfileFacts& facts) {
  std::vector<DeviceReport> result;
  const Trace& trace = facts.trace;
  for (size_t i = 0; i < trace.devices.size(); ++i) {
    const DeviceFacts& device = facts.devices[i];
    const DeviceTimes& t = device.all;
    DeviceReport r;
    r.id = trace.devices[i].id;
    r.name = trace.devices[i].name;
    r.spec = device.hardware ? device.hardware->spec.id : "";
    r.spec_why = device.hardware_why;
    if (device.calibration) r.calibration = device.calibration_why;
    r.kernel_count = t.kernel_count, r.kernel_sum_ns = t.kernel_sum_ns;
    r.span_ns = t.span_ns, r.busy_ns = t.busy_ns, r.idle_ns = t.idle_ns, r.kernel_busy_ns = t.kernel_busy_ns;
    r.compute_ns = t.compute_ns, r.comm_ns = t.comm_ns, r.overlap_ns = t.overlap_ns;
    r.exposed_comm_ns = t.exposed_comm_ns, r.memcpy_ns = t.memcpy_ns, r.memset_ns = t.memset_ns;
    r.memcpy_count = t.memcpy_count, r.memset_count = t.memset_count, r.memcpy_bytes = t.memcpy_bytes;
    r.comm_count = t.comm_count, r.copy_hidden_ns = t.copy_hidden_ns, r.graph_node_count = t.graph_node_count;
    r.streams = t.streams, r.first_ns = t.first_ns, r.last_ns = t.last_ns;
    r.unrecorded_ns = t.unrecorded_ns;
    r.sm_clock_mhz = device.machine.sm_clock_mhz;
    r.power_w = device.machine.power_w;
    r.temperature_c = device.machine.temperature_c;
    r.throttle = device.machine.throttle;
    r.energy_j = device.machine.energy_j;
    addCounters(facts, i, r);
    std::vector<Interval> opaque;
    for (const GraphLaunchRow& row : trace.opaque_graphs) {
      if (row.device_id == r.id) opaque.push_back({row.start_ns, row.start_ns + row.duration_ns});
    }
    r.opaque_graph_ns = Measured<double>::of(static_cast<double>(IntervalSet(std::move(opaque)).length()),
                                             "measured:activity");
    result.push_back(std::move(r));
  }
  return result;
}

std::vector<std::string> conventions(const ProfileFacts& facts) {
  std::vector<std::string> lines = {
      "FLOPs: one fused multiply-add counts 2; sparsity off; matrix products 2 m n k batch from the library "
      "call.",
      facts.counters.empty()
          ? "Bytes: algorithmic (each operand once, the result once); no DRAM counters in this profile."
          : "Bytes: of device memory where counters tell (intervals: 95 % of the resamples; on an H200 half "
            "held the exact value), else algorithmic (each "
            "operand once, the result once).",
      "Peaks: dense, of the executed precision, at the median SM clock of the analysed time where it was "
      "sampled.",
      "Times: integer ns; unions of half-open intervals per device, never sums over streams or devices.",
      "Percentiles: nearest rank. Rates over many launches: ratio of sums.",
      "Predicted gains: ns of the analysed window, if the cause vanished and nothing else changed.",
  };
  if (facts.window) {
    const double ms = static_cast<double>(facts.window->length()) / 1e6;
    lines.push_back(
        facts.steps.found()
            ? fmt::format("Analysed window: {:.3f} ms, first to last steady step; a step lasts from its "
                          "begin to the begin of the next one{}.",
                          ms, facts.steps.on_device ? " (begin: its first GPU record)" : "")
            : fmt::format("Analysed window: {:.3f} ms, first to last GPU record.", ms));
  }
  for (const auto* t :
       {&threshold::kRoofShare, &threshold::kGateShare, &threshold::kLaunchBoundShare,
        &threshold::kLaunchBoundKernel, &threshold::kNoiseShare, &threshold::kRecordingOverhead}) {
    lines.push_back(fmt::format("Threshold {} = {} {}: {}.", t->id, t->value, t->unit, t->text));
  }
  return lines;
}

}  // namespace perfscope::build
