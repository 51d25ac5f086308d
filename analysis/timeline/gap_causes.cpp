// The rules that give an idle interval its cause.
#include "analysis/timeline/gap_causes.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/metrics/thresholds.h"
#include "analysis/report/format.h"

namespace perfscope {
namespace {

// CUPTI overhead kinds (cupti_activity.h, CUpti_ActivityOverheadKind): the driver's own work; the other kinds
// are the profiler's. "Command buffer full" means that the host was ahead: no reason to be idle.
constexpr int64_t kOverheadCompiler = 1;
constexpr int64_t kOverheadModuleLoading = 4 << 16;
constexpr int64_t kOverheadLazyLoading = 5 << 16;
constexpr int64_t kOverheadCommandBufferFull = 6 << 16;

constexpr int64_t kTolerance = static_cast<int64_t>(threshold::kClockTolerance.value);

bool coversMost(int64_t covered, Interval gap) {
  return static_cast<double>(covered) >= threshold::kGapCover.value * static_cast<double>(gap.length());
}

bool holdsHost(const GpuOp& op) {
  return !op.is_fill && (!op.asynchronous || isPageable(op));
}

Interval launchInterval(const RecordView& record) {
  return {record.launch_start_ns, record.launchEnd()};
}

std::string duration(int64_t ns) {
  return format::duration(static_cast<double>(ns));
}

}  // namespace

GapJudge::GapJudge(const Trace& trace, int64_t latency_floor_ns)
    : m_trace(trace), m_latency_floor_ns(latency_floor_ns), m_processes(trace.processes.size()) {
  std::vector<std::vector<Interval>> profiler(m_processes.size()), module_load(m_processes.size());
  collectOverheads(profiler, module_load);
  for (const ApiCall& call : trace.api_calls) {
    if (call.kind != ApiKind::ModuleLoad) continue;
    module_load[call.process].push_back({call.start_ns, call.start_ns + call.duration_ns});
  }
  for (size_t i = 0; i < m_processes.size(); ++i) {
    m_processes[i].profiler = IntervalCursor(IntervalSet(std::move(profiler[i])));
    m_processes[i].module_load = IntervalCursor(IntervalSet(std::move(module_load[i])));
  }
  collectCalls();
  collectInput();
}

void GapJudge::collectOverheads(std::vector<std::vector<Interval>>& profiler,
                                std::vector<std::vector<Interval>>& module_load) const {
  for (const OverheadRow& row : m_trace.overheads) {
    const auto process = m_trace.process_index.find(row.process_id);
    if (process == m_trace.process_index.end() || row.kind == kOverheadCommandBufferFull) continue;
    const bool is_module = row.kind == kOverheadCompiler || row.kind == kOverheadModuleLoading ||
                           row.kind == kOverheadLazyLoading;
    (is_module ? module_load : profiler)[process->second].push_back(
        {row.start_ns, row.start_ns + row.duration_ns});
  }
}

void GapJudge::collectCalls() {
  std::vector<std::vector<Interval>> allocation(m_processes.size()), waits(m_processes.size());
  for (const ApiCall& call : m_trace.api_calls) {
    if (call.kind != ApiKind::Allocation) continue;
    allocation[call.process].push_back({call.start_ns, call.start_ns + call.duration_ns});
    m_processes[call.process].has_allocation_calls = true;
  }
  for (const Wait& wait : m_trace.waits) {
    if (wait.type == WaitType::StreamWaitEvent) {
      if (wait.stream == kAnyStream) {
        m_thread_waits[{wait.process, wait.thread}].add(wait.start_ns);
      } else {
        m_stream_waits[{wait.process, wait.stream}].add(wait.start_ns);
      }
    } else if (wait.type != WaitType::Unknown) {
      waits[wait.process].push_back({wait.start_ns, wait.start_ns + wait.duration_ns});
    }
  }
  for (auto& [key, instants] : m_stream_waits) instants.sort();
  for (auto& [key, instants] : m_thread_waits) instants.sort();
  for (size_t i = 0; i < m_processes.size(); ++i) {
    m_processes[i].allocation = IntervalCursor(IntervalSet(std::move(allocation[i])));
    m_processes[i].host_wait = IntervalCursor(IntervalSet(std::move(waits[i])));
  }
  for (const ModuleEventRow& row : m_trace.module_events) {
    const auto process = m_trace.process_index.find(row.process_id);
    if (process != m_trace.process_index.end() && row.unload == 0) {
      m_processes[process->second].module_events.add(row.time_ns);
    }
  }
  for (const MemoryEventRow& row : m_trace.memory_events) {
    const auto process = m_trace.process_index.find(row.process_id);
    if (process != m_trace.process_index.end()) m_processes[process->second].memory_events.add(row.time_ns);
  }
}

void GapJudge::collectInput() {
  std::map<uint32_t, std::vector<Interval>> by_thread;
  for (const NamedRange& range : m_trace.input_ranges) {
    if (range.duration_ns == kUnknownTime) continue;
    by_thread[range.thread].push_back({range.start_ns, range.start_ns + range.duration_ns});
  }
  for (auto& [thread, ranges] : by_thread) m_input.emplace(thread, IntervalSet(std::move(ranges)));
}

bool GapJudge::isModuleLoad(ProcessEvents& events, Interval gap) {
  return coversMost(events.module_load.covered(gap), gap) || events.module_events.any(gap);
}

bool GapJudge::isAllocation(ProcessEvents& events, Interval gap) {
  if (events.has_allocation_calls) return coversMost(events.allocation.covered(gap), gap);
  return events.memory_events.any(gap);  // instants only: the calls were not traced
}

// The wait covers the moment the GPU ran dry, and the next launch came only after it had returned.
bool GapJudge::isSynchronisation(ProcessEvents& events, const Gap& gap, const RecordView& after) {
  if (!after.hasLaunch()) return false;
  const auto wait = events.host_wait.at(gap.range.start);
  return wait && after.launch_start_ns >= wait->end - kTolerance && after.launchEnd() > gap.range.start;
}

bool GapJudge::isCopy(const Gap& gap, const RecordView& after) const {
  if (!after.hasLaunch()) return false;
  if (!gap.after.is_kernel && holdsHost(m_trace.ops[gap.after.index]) &&
      coversMost(intersection(launchInterval(after), gap.range).length(), gap.range)) {
    return true;  // staging of a pageable copy happens on the host, inside the call
  }
  return !gap.before.is_kernel && holdsHost(m_trace.ops[gap.before.index]) &&
         after.launch_start_ns >= gap.range.start - kTolerance;
}

bool GapJudge::isInput(Interval gap, uint32_t thread) {
  const auto found = m_input.find(thread);
  return found != m_input.end() && coversMost(found->second.covered(gap), gap);
}

// Evidence that a record queued in time had something to wait for.
bool GapJudge::isDependency(const Gap& gap, const RecordView& after) {
  if (after.graph_node != 0) return true;
  const RecordView before = viewOf(m_trace, gap.before);
  if (before.stream == after.stream) return false;
  const int64_t since =
      before.hasLaunch() ? std::min(before.launch_start_ns, after.launch_start_ns) : after.launch_start_ns;
  const auto waits = m_stream_waits.find({after.process, after.stream});
  if (waits != m_stream_waits.end() && waits->second.any({since - kTolerance, gap.range.end})) return true;
  const auto calls = m_thread_waits.find({after.process, after.thread});
  return calls != m_thread_waits.end() && calls->second.any({since - kTolerance, after.launch_start_ns + 1});
}

IdleCause GapJudge::judge(const Gap& gap) {
  const RecordView after = viewOf(m_trace, gap.after);
  ProcessEvents& events = m_processes[after.process];
  if (coversMost(events.profiler.covered(gap.range), gap.range)) return IdleCause::Profiler;
  if (isModuleLoad(events, gap.range)) return IdleCause::ModuleLoadOrJit;
  if (isAllocation(events, gap.range)) return IdleCause::Allocation;
  // A GPU that several processes share idles while the next one starts: that says nothing about either one's
  // launches.
  if (viewOf(m_trace, gap.before).process != after.process) return IdleCause::Unknown;
  const bool input = !m_input.empty() && after.hasLaunch() && isInput(gap.range, after.thread);
  // A wait that returned at once does not explain the data loading that filled the rest of the gap.
  if (!input && isSynchronisation(events, gap, after)) return IdleCause::Synchronisation;
  if (!input && isCopy(gap, after)) return IdleCause::Copy;
  if (input) return IdleCause::Input;
  if (!after.hasLaunch()) return IdleCause::Unknown;
  if (after.launchEnd() > gap.range.start) return IdleCause::HostSubmission;
  if (gap.range.length() <= m_latency_floor_ns) return IdleCause::LaunchLatency;
  return isDependency(gap, after) ? IdleCause::Dependency : IdleCause::Unknown;
}

Pauses pausesAt(const Trace& trace, const Gap& gap) {
  return {gap.range.start > viewOf(trace, gap.before).end_ns,
          gap.range.end < viewOf(trace, gap.after).start_ns};
}

std::string gapEvidence(const Trace& trace, const Gap& gap, IdleCause cause) {
  const RecordView after = viewOf(trace, gap.after);
  if (const Pauses pauses = pausesAt(trace, gap); pauses.before || pauses.after)
    return "the recording was paused beside it: the records that would tell are missing";
  const int64_t late = after.hasLaunch() ? after.launch_start_ns - gap.range.start : 0;
  switch (cause) {
    case IdleCause::Profiler:
      return "overhead records of the profiler cover most of the gap";
    case IdleCause::ModuleLoadOrJit:
      return "a module was loaded or compiled in the gap";
    case IdleCause::Allocation:
      return "memory was allocated or freed in the gap";
    case IdleCause::Synchronisation:
      return fmt::format(
          "the host was in a synchronising call when the GPU ran dry; the next launch began {} later",
          duration(std::max<int64_t>(0, late)));
    case IdleCause::Copy:
      return "a pageable or synchronous copy held the host";
    case IdleCause::Input:
      return "the launching thread was in a data-loading range for most of the gap";
    case IdleCause::HostSubmission:
      if (late >= 0) return fmt::format("the next launch began {} after the GPU ran dry", duration(late));
      return fmt::format("the next launch was still being submitted for {} when the GPU ran dry",
                         duration(after.launchEnd() - gap.range.start));
    case IdleCause::Dependency:
      return fmt::format("queued {} before the GPU ran dry; it waited for another stream or graph node",
                         duration(-late));
    case IdleCause::LaunchLatency:
      return fmt::format("queued {} before the GPU ran dry", duration(-late));
    case IdleCause::CommunicationWait:
    case IdleCause::Unknown:
      break;
  }
  if (viewOf(trace, gap.before).process != after.process) return "the next record belongs to another process";
  if (!after.hasLaunch()) return "the launch call of the next record was not seen";
  return fmt::format("queued {} before the GPU ran dry; nothing recorded explains the wait", duration(-late));
}

}  // namespace perfscope
