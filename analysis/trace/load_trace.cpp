// Opens a profile and fills a Trace: small tables first, then kernels in parallel, then sorting and joins.
#include "analysis/trace/load_trace.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <tuple>

#include "analysis/trace/load_events.h"
#include "analysis/trace/load_kernels.h"
#include "analysis/trace/load_windows.h"
#include "schemas/trace_reader.h"

namespace perfscope {
namespace {

constexpr size_t kMostDevices = 65'000;  // indices are 16 bits

// Kinds 6 and 7 are static memory of modules: it comes with the code, nobody allocates it.
constexpr std::string_view kAllocations = "WHERE memory_kind NOT IN (6, 7) ORDER BY time_ns";

template <class Row>
Status loadAll(const TraceReader& reader, std::string_view tail, std::vector<Row>& rows) {
  auto loaded = reader.all<Row>(tail);
  if (!loaded) return tl::unexpected(loaded.error());
  rows = std::move(*loaded);
  return {};
}

// Runs the steps until one fails.
template <class... Step>
Status allOf(Step&&... steps) {
  Status status;
  (void)((status = steps(), status.has_value()) && ...);
  return status;
}

Status loadRunTables(const TraceReader& reader, Trace& trace) {
  auto status = reader.forEach<MetaRow>({}, [&](const MetaRow& row) { trace.meta[row.key] = row.value; });
  if (!status) return status;
  return allOf([&] { return loadAll(reader, "ORDER BY id", trace.hosts); },
               [&] { return loadAll(reader, "ORDER BY id", trace.processes); },
               [&] { return loadAll(reader, "ORDER BY id", trace.devices); },
               [&] { return loadAll(reader, "", trace.names); },
               [&] { return loadAll(reader, "", trace.shapes); },
               [&] { return loadAll(reader, "ORDER BY device_id, time_ns", trace.samples); },
               [&] { return loadAll(reader, "", trace.losses); },
               [&] { return loadAll(reader, "ORDER BY id", trace.ledger); });
}

Status loadEventTables(const TraceReader& reader, Trace& trace) {
  return allOf([&] { return loadAll(reader, kAllocations, trace.memory_events); },
               [&] { return loadAll(reader, "ORDER BY start_ns", trace.overheads); },
               [&] { return loadAll(reader, "ORDER BY time_ns", trace.module_events); },
               [&] { return loadAll(reader, "", trace.graph_nodes); },
               [&] { return loadAll(reader, "ORDER BY start_ns", trace.opaque_graphs); },
               [&] { return loadAll(reader, "", trace.nccl_calls); });
}

template <class Row>
IdMap mapOf(const std::vector<Row>& rows) {
  IdMap map;
  for (size_t i = 0; i < rows.size(); ++i) map.add(rows[i].id, static_cast<uint32_t>(i));
  return map;
}

// A graph launch is one call for many kernels: found by process and correlation, written to each node it
// launched.
void attachGraphLaunches(Trace& trace) {
  using Key = std::pair<uint64_t, size_t>;
  std::vector<Key> calls;
  const auto key = [](uint16_t process, uint32_t correlation) {
    return uint64_t{process} << 32 | correlation;
  };
  for (size_t i = 0; i < trace.api_calls.size(); ++i) {
    calls.emplace_back(key(trace.api_calls[i].process, trace.api_calls[i].correlation), i);
  }
  std::sort(calls.begin(), calls.end());
  uint64_t last_key = 0;
  const ApiCall* last = nullptr;
  const auto find = [&](uint16_t process, uint32_t correlation) {
    const uint64_t wanted = key(process, correlation);
    if (last == nullptr || last_key != wanted) {
      const auto found = std::lower_bound(calls.begin(), calls.end(), Key{wanted, 0});
      last_key = wanted;
      last = found != calls.end() && found->first == wanted ? &trace.api_calls[found->second] : nullptr;
    }
    return last;
  };
  KernelTable& kernels = trace.kernels;
  for (size_t i = 0; i < kernels.size() && !calls.empty(); ++i) {
    if (kernels.hasLaunch(i)) continue;
    if (const ApiCall* call = find(kernels.process[i], kernels.correlation[i])) {
      kernels.launch_start_ns[i] = call->start_ns;
      kernels.launch_duration_ns[i] = call->duration_ns;
      kernels.thread[i] = call->thread;
    }
  }
  for (GpuOp& op : trace.ops) {
    if (op.launch_start_ns != kUnknownTime || calls.empty()) continue;
    if (const ApiCall* call = find(op.process, op.correlation)) {
      op.launch_start_ns = call->start_ns;
      op.launch_duration_ns = call->duration_ns;
      op.thread = call->thread;
    }
  }
}

void findDeviceRanges(Trace& trace) {
  trace.device_kernels.assign(trace.devices.size(), {});
  trace.device_ops.assign(trace.devices.size(), {});
  const auto& column = trace.kernels.device;
  for (size_t device = 0; device < trace.devices.size(); ++device) {
    const auto index = static_cast<uint16_t>(device);
    const auto [first, last] = std::equal_range(column.begin(), column.end(), index);
    trace.device_kernels[device] = {static_cast<size_t>(first - column.begin()),
                                    static_cast<size_t>(last - column.begin())};
    const auto begin = std::partition_point(trace.ops.begin(), trace.ops.end(),
                                            [&](const GpuOp& op) { return op.device < index; });
    const auto end =
        std::partition_point(begin, trace.ops.end(), [&](const GpuOp& op) { return op.device == index; });
    trace.device_ops[device] = {static_cast<size_t>(begin - trace.ops.begin()),
                                static_cast<size_t>(end - trace.ops.begin())};
  }
}

void sortRecords(Trace& trace) {
  sortByDeviceAndStart(trace.kernels, trace.devices.size());
  std::stable_sort(trace.ops.begin(), trace.ops.end(), [](const GpuOp& a, const GpuOp& b) {
    return std::tuple(a.device, a.start_ns) < std::tuple(b.device, b.start_ns);
  });
  findDeviceRanges(trace);
}

Status loadRecords(const TraceReader& reader, const StepMatcher& matcher, int threads, Trace& trace) {
  const RowMaps maps{mapOf(trace.processes), mapOf(trace.devices)};
  auto status =
      allOf([&] { return loadOps(reader, maps, trace); }, [&] { return loadCalls(reader, maps, trace); },
            [&] { return loadGemmCalls(reader, maps, trace); },
            [&] { return loadRanges(reader, maps, matcher, trace); });
  if (!status) return status;
  auto kernels =
      loadKernels(trace.path, {maps.process, maps.device, mapOf(trace.names), mapOf(trace.shapes)}, threads);
  if (!kernels) return tl::unexpected(kernels.error());
  trace.kernels = std::move(kernels->table);
  trace.rejected_records += kernels->rejected;
  return {};
}

int threadCount(int wanted) {
  constexpr int kMost = 4;  // beyond it SQLite's page cache and the memory bus give nothing more
  if (wanted > 0) return wanted;
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMost);
}

}  // namespace

Result<Trace> loadTrace(const std::string& path, const LoadOptions& options) {
  const auto matcher = StepMatcher::make(options.step_marker);
  if (!matcher) return tl::unexpected(matcher.error());
  const auto reader = TraceReader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  Trace trace;
  trace.path = path;
  trace.closed = reader->closed();
  trace.time_base_ns = reader->timeBaseNs();
  auto status = loadRunTables(*reader, trace);
  if (!status) return tl::unexpected(status.error());
  if (trace.devices.size() > kMostDevices || trace.processes.size() > kMostDevices) {
    return failure(ErrorKind::InputRefused, path, "more than 65000 devices or processes",
                   "split the profile; this version does not read it");
  }
  for (size_t i = 0; i < trace.devices.size(); ++i)
    trace.device_index[trace.devices[i].id] = static_cast<uint16_t>(i);
  for (size_t i = 0; i < trace.processes.size(); ++i) {
    trace.process_index[trace.processes[i].id] = static_cast<uint16_t>(i);
  }
  status = allOf([&] { return loadWindows(*reader, trace); }, [&] { return loadEventTables(*reader, trace); },
                 [&] { return loadRecords(*reader, *matcher, threadCount(options.threads), trace); });
  if (!status) return tl::unexpected(status.error());
  sortRecords(trace);
  findDevicePauses(trace);
  attachGraphLaunches(trace);
  return trace;
}

}  // namespace perfscope
