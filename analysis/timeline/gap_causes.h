// Why a device was idle: the causes in the order in which they are tried, and the evidence for each.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/timeline/gpu_records.h"
#include "analysis/timeline/interval_cursor.h"
#include "analysis/trace/trace.h"

namespace perfscope {

// In the order of elimination: the first that matches wins. communication_wait needs the other ranks'
// profiles and is never given by this version.
enum class IdleCause : uint8_t {
  Profiler,
  ModuleLoadOrJit,
  Allocation,
  Synchronisation,
  CommunicationWait,
  Copy,
  Input,
  HostSubmission,
  Dependency,
  LaunchLatency,
  Unknown,
};
inline constexpr size_t kIdleCauseCount = 11;

struct IdleCauseInfo {
  IdleCause cause;
  std::string_view name;   // stable id
  std::string_view means;  // one clause for people
};
inline constexpr std::array<IdleCauseInfo, kIdleCauseCount> kIdleCauses = {{
    {IdleCause::Profiler, "profiler", "the profiler itself was at work"},
    {IdleCause::ModuleLoadOrJit, "module_load_or_jit", "code was loaded or compiled"},
    {IdleCause::Allocation, "allocation", "memory was allocated or freed"},
    {IdleCause::Synchronisation, "synchronisation",
     "the host waited for the GPU with nothing queued and launched late"},
    {IdleCause::CommunicationWait, "communication_wait", "a peer arrived late"},
    {IdleCause::Copy, "copy", "the host was held by a copy"},
    {IdleCause::Input, "input", "the launching thread was loading data"},
    {IdleCause::HostSubmission, "host_submission", "the next launch came too late"},
    {IdleCause::Dependency, "dependency",
     "queued in time, but it had to wait for another stream or graph node"},
    {IdleCause::LaunchLatency, "launch_latency", "queued in time; the GPU's own start-up time"},
    {IdleCause::Unknown, "unknown", "the records do not tell"},
}};

[[nodiscard]] inline std::string_view name(IdleCause cause) {
  return kIdleCauses[static_cast<size_t>(cause)].name;
}

// A maximal idle interval of a device, with the record that ended last and the one that ends the idleness; or
// the part of it that was recorded.
struct Gap {
  Interval range;
  RecordRef before, after;
};

// Where the recording was paused at an end of the gap, so that the record there is not its neighbour.
struct Pauses {
  bool before = false, after = false;
};
Pauses pausesAt(const Trace& trace, const Gap& gap);

// Answers "why" for the gaps of one device. Gaps must be asked for in order of time (cursors move with them).
// Owner: one thread; the trace must outlive it.
class GapJudge {
 public:
  // latency_floor_ns: gaps of records queued in time up to this length are launch_latency.
  GapJudge(const Trace& trace, int64_t latency_floor_ns);
  [[nodiscard]] IdleCause judge(const Gap& gap);

 private:
  struct ProcessEvents {
    IntervalCursor profiler, module_load, allocation, host_wait;
    InstantCursor module_events, memory_events;
    bool has_allocation_calls = false;
  };
  using StreamKey = std::pair<uint16_t, uint32_t>;

  void collectOverheads(std::vector<std::vector<Interval>>& profiler,
                        std::vector<std::vector<Interval>>& module_load) const;
  void collectCalls();
  void collectInput();
  bool isModuleLoad(ProcessEvents& events, Interval gap);
  bool isAllocation(ProcessEvents& events, Interval gap);
  bool isSynchronisation(ProcessEvents& events, const Gap& gap, const RecordView& after);
  bool isCopy(const Gap& gap, const RecordView& after) const;
  bool isInput(Interval gap, uint32_t thread);
  bool isDependency(const Gap& gap, const RecordView& after);

  const Trace& m_trace;
  int64_t m_latency_floor_ns;
  std::vector<ProcessEvents> m_processes;
  std::map<uint32_t, IntervalCursor> m_input;         // by thread
  std::map<StreamKey, InstantCursor> m_stream_waits;  // times at which a stream was told to wait for an event
  std::map<StreamKey, InstantCursor> m_thread_waits;  // the same where only the calling thread is known
};

// What the judgement rests on, as a sentence with the figures.
std::string gapEvidence(const Trace& trace, const Gap& gap, IdleCause cause);

}  // namespace perfscope
