// Rows "on" and "off" of every process -> intervals without collection.
#include "analysis/trace/load_windows.h"

#include <limits>
#include <set>

namespace perfscope {
namespace {

constexpr int64_t kEndOfTime = std::numeric_limits<int64_t>::max() / 4;

// One process while its rows are read in order of time.
struct Collection {
  std::vector<Interval> off, paused;
  int64_t off_since = 0;  // -1: on. Collection begins with the first row that says so
  bool began = false, exited = false;
};

void turnOn(const WindowRow& row, const ProcessRow& process, Collection& c) {
  if (c.off_since < 0) return;
  c.off.push_back({c.off_since, row.time_ns});
  // A process whose collection begins with itself had done nothing before.
  const int64_t from = c.began ? c.off_since : process.start_ns;
  if (c.began || row.reason != "start") c.paused.push_back({from, row.time_ns});
  c.off_since = -1;
  c.began = true;
  c.exited = false;
}

void turnOff(const WindowRow& row, Collection& c) {
  if (c.off_since >= 0) return;
  c.off_since = row.time_ns;
  c.exited = row.reason == "exit";
}

}  // namespace

Status loadWindows(const TraceReader& reader, Trace& trace) {
  std::vector<Collection> collections(trace.processes.size());
  auto status = reader.forEach<WindowRow>("ORDER BY process_id, time_ns, id", [&](const WindowRow& row) {
    const auto process = trace.process_index.find(row.process_id);
    if (process == trace.process_index.end()) return;
    Collection& collection = collections[process->second];
    if (row.collecting != 0) {
      turnOn(row, trace.processes[process->second], collection);
    } else {
      turnOff(row, collection);
    }
  });
  if (!status) return status;
  for (size_t i = 0; i < collections.size(); ++i) {
    Collection& c = collections[i];
    if (c.began && c.off_since >= 0) {
      c.off.push_back({c.off_since, kEndOfTime});
      if (!c.exited) c.paused.push_back({c.off_since, trace.processes[i].end_ns.value_or(kEndOfTime)});
    }
    trace.unrecorded.emplace_back(std::move(c.off));
    trace.paused.emplace_back(std::move(c.paused));
  }
  return {};
}

void findDevicePauses(Trace& trace) {
  trace.device_paused.assign(trace.devices.size(), {});
  bool any = false;
  for (const IntervalSet& paused : trace.paused) any = any || !paused.empty();
  if (!any) return;
  for (size_t device = 0; device < trace.devices.size(); ++device) {
    std::set<uint16_t> processes;
    const IndexRange kernels = trace.device_kernels[device];
    for (size_t i = kernels.begin; i < kernels.end; ++i) processes.insert(trace.kernels.process[i]);
    const IndexRange ops = trace.device_ops[device];
    for (size_t i = ops.begin; i < ops.end; ++i) processes.insert(trace.ops[i].process);
    std::vector<Interval> all;
    for (const uint16_t process : processes) {
      const auto& paused = trace.paused[process].intervals();
      all.insert(all.end(), paused.begin(), paused.end());
    }
    trace.device_paused[device] = IntervalSet(std::move(all));
  }
}

}  // namespace perfscope
