// One sweep over the records of a device. Intersections come from |A ∩ B| = |A| + |B| - |A ∪ B|, so no list
// of intervals is ever built.
#include "analysis/timeline/device_times.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/timeline/gpu_records.h"

namespace perfscope {
namespace {

bool isCommunication(std::string_view name) {
  constexpr std::string_view kVoid = "void ";
  if (name.rfind(kVoid, 0) == 0) name.remove_prefix(kVoid.size());
  return name.rfind("ncclDevKernel", 0) == 0 || name.rfind("ncclKernel", 0) == 0 ||
         name.rfind("rccl", 0) == 0;
}

struct Unions {
  UnionLength busy, kernels, compute, communication, copies, fills, compute_or_copies;
};

bool inside(int64_t start, int64_t end, Interval window) {
  if (start == end) return start >= window.start && start < window.end;
  return end > window.start && start < window.end;
}

// Time without a record while the recording was paused; records come in order of their start.
class PausedTime {
 public:
  PausedTime(const IntervalSet& paused, int64_t from) : m_paused(paused), m_until(from) {}
  void record(int64_t start, int64_t end) {
    if (start > m_until && !m_paused.empty()) m_total += m_paused.covered({m_until, start});
    m_until = std::max(m_until, end);
  }
  [[nodiscard]] int64_t total() const { return m_total; }

 private:
  const IntervalSet& m_paused;
  int64_t m_until;
  int64_t m_total = 0;
};

void finish(const Unions& unions, Interval window, DeviceTimes& times) {
  times.busy_ns = unions.busy.length();
  times.kernel_busy_ns = unions.kernels.length();
  times.compute_ns = unions.compute.length();
  times.comm_ns = unions.communication.length();
  times.memcpy_ns = unions.copies.length();
  times.memset_ns = unions.fills.length();
  times.overlap_ns = times.compute_ns + times.comm_ns - times.kernel_busy_ns;
  times.exposed_comm_ns = times.comm_ns - times.overlap_ns;
  times.copy_hidden_ns = times.memcpy_ns + times.compute_ns - unions.compute_or_copies.length();
  if (!(window == kAllTime)) {
    times.first_ns = window.start;
    times.last_ns = window.end;
  }
  times.span_ns = times.last_ns - times.first_ns - times.unrecorded_ns;
  times.idle_ns = times.span_ns - times.busy_ns;
}

// `part` is the record's time in the window.
void count(const Trace& trace, RecordRef ref, Interval part, const std::vector<bool>& is_communication,
           Unions& unions, DeviceTimes& times) {
  const GpuOp* op = ref.is_kernel ? nullptr : &trace.ops[ref.index];
  if (op == nullptr) {
    ++times.kernel_count;
    times.kernel_sum_ns += part.length();
    times.graph_node_count += trace.kernels.inGraph(ref.index) ? 1 : 0;
    unions.kernels.add(part.start, part.end);
    if (is_communication[trace.kernels.name[ref.index]]) {
      ++times.comm_count;
      unions.communication.add(part.start, part.end);
    } else {
      unions.compute.add(part.start, part.end);
      unions.compute_or_copies.add(part.start, part.end);
    }
  } else if (op->is_fill) {
    ++times.memset_count;
    unions.fills.add(part.start, part.end);
  } else {
    ++times.memcpy_count;
    times.memcpy_bytes += op->bytes;
    unions.copies.add(part.start, part.end);
    unions.compute_or_copies.add(part.start, part.end);
  }
}

}  // namespace

std::vector<bool> communicationNames(const Trace& trace) {
  std::vector<bool> result;
  result.reserve(trace.names.size());
  for (const KernelNameRow& row : trace.names) {
    result.push_back(isCommunication(row.demangled) || isCommunication(row.mangled));
  }
  return result;
}

DeviceTimes deviceTimes(const Trace& trace, size_t device, const std::vector<bool>& is_communication,
                        Interval window) {
  DeviceTimes times;
  Unions unions;
  std::set<std::pair<uint16_t, uint32_t>> streams;
  std::pair<uint16_t, uint32_t> last_stream{};
  bool first = true;
  const bool whole = window == kAllTime;
  const IntervalSet never;
  const IntervalSet& pauses = device < trace.device_paused.size() ? trace.device_paused[device] : never;
  std::optional<PausedTime> paused;
  if (!whole) paused.emplace(pauses, window.start);
  forEachRecord(trace, device, [&](RecordRef ref, int64_t start, int64_t end) {
    if (!inside(start, end, window)) return;
    if (first || start < times.first_ns) times.first_ns = start;
    if (first || end > times.last_ns) times.last_ns = end;
    const int64_t from = std::max(start, window.start);
    const int64_t to = std::min(end, window.end);
    unions.busy.add(from, to);
    if (!paused) paused.emplace(pauses, start);
    if (to > from) paused->record(from, to);
    const GpuOp* op = ref.is_kernel ? nullptr : &trace.ops[ref.index];
    const std::pair<uint16_t, uint32_t> stream =
        op != nullptr ? std::pair{op->process, op->stream}
                      : std::pair{trace.kernels.process[ref.index], trace.kernels.stream[ref.index]};
    if (first || stream != last_stream) streams.insert(stream);
    last_stream = stream;
    first = false;
    count(trace, ref, {from, to}, is_communication, unions, times);
  });
  if (paused) {
    paused->record(whole ? times.last_ns : window.end, whole ? times.last_ns : window.end);
    times.unrecorded_ns = paused->total();
  }
  finish(unions, window, times);
  times.streams = static_cast<int64_t>(streams.size());
  return times;
}

}  // namespace perfscope
