// A whole profile in memory, as the analysis reads it: kernels in columns, all else in small rows. Immutable
// once loaded (see load_trace.h); safe to read from several threads. Times are ns since the profile's time
// base.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/timeline/intervals.h"
#include "analysis/trace/kernel_table.h"
#include "schemas/tables.h"

namespace perfscope {

// False for a record that ends before it starts, or so far from the time base (146 years) that differences of
// such times overflow.
inline bool validTime(int64_t start_ns, int64_t duration_ns) {
  constexpr int64_t kFarthest = int64_t{1} << 62;
  int64_t end_ns = 0;
  return duration_ns >= 0 && !__builtin_add_overflow(start_ns, duration_ns, &end_ns) &&
         start_ns > -kFarthest && end_ns < kFarthest;
}

// A copy or a fill on the GPU.
struct GpuOp {
  int64_t start_ns = 0, duration_ns = 0, bytes = 0;
  int64_t launch_start_ns = kUnknownTime, launch_duration_ns = kUnknownTime;
  int64_t graph_node = 0;  // 0 = no graph node
  uint32_t stream = 0, thread = 0, correlation = 0;
  uint16_t process = 0, device = 0;
  bool is_fill = false, asynchronous = false;
  uint8_t kind = 0, src_kind = 0, dst_kind = 0;  // CUPTI copy kind and memory kinds; copies only
  [[nodiscard]] int64_t endNs() const { return start_ns + duration_ns; }
};

// A copy from or to memory of the host that is not pinned: it is staged, and holds the host meanwhile.
inline bool isPageable(const GpuOp& op) {
  constexpr uint8_t kPageable = 1;  // CUpti_ActivityMemoryKind
  return !op.is_fill && (op.src_kind == kPageable || op.dst_kind == kPageable);
}

enum class ApiKind : uint8_t {
  Launch,
  GraphLaunch,
  Allocation,
  Synchronization,
  StreamWait,
  ModuleLoad,
  Other
};

// An API call that is not folded into the record it launched.
struct ApiCall {
  int64_t start_ns = 0, duration_ns = 0;
  uint32_t thread = 0, correlation = 0;
  uint16_t process = 0;
  ApiKind kind = ApiKind::Other;
};

// CUPTI synchronisation types. From the synchronization table where the profile has it, else from the API
// calls themselves: CUPTI's own synchronisation records cost 5 us a kernel launch (measured), so they are not
// the default.
inline constexpr uint32_t kAnyStream = ~0U;
enum class WaitType : uint8_t { Unknown = 0, Event = 1, StreamWaitEvent = 2, Stream = 3, Context = 4 };
struct Wait {
  int64_t start_ns = 0, duration_ns = 0;
  uint32_t stream = kAnyStream;  // kAnyStream: only the thread is known
  uint32_t thread = 0;
  uint16_t process = 0;
  WaitType type = WaitType::Unknown;
};

// A matrix product as the library was called.
struct GemmCall {
  int64_t start_ns = 0, end_ns = 0;
  int64_t m = 0, n = 0, k = 0, batch = 1;
  int16_t a_type = 0, b_type = 0, c_type = 0, d_type = 0,
          compute_type = 0;  // cudaDataType, cublasComputeType_t
  int8_t reads_c = -1;       // 1, 0, or -1 = not known
  uint16_t process = 0;
  uint32_t thread = 0;
};

// An NVTX range whose text is of interest (a step, data loading). duration kUnknownTime = never ended.
struct NamedRange {
  int64_t start_ns = 0, duration_ns = 0;
  uint32_t text = 0;  // index into Trace::texts
  uint32_t thread = 0;
  uint16_t process = 0;
};

struct IndexRange {
  size_t begin = 0, end = 0;
  [[nodiscard]] size_t size() const { return end - begin; }
};

struct Trace {
  std::string path;
  bool closed = false;
  int64_t time_base_ns = 0;
  std::map<std::string, std::string> meta;
  std::vector<HostRow> hosts;
  std::vector<ProcessRow> processes;
  std::vector<DeviceRow> devices;  // sorted by id
  std::vector<KernelNameRow> names;
  std::vector<LaunchShapeRow> shapes;
  std::vector<std::string> texts;  // NVTX texts and other interned strings

  KernelTable kernels;
  std::vector<GpuOp> ops;                              // sorted by device and start
  std::vector<IndexRange> device_kernels, device_ops;  // by device index
  std::vector<GraphLaunchRow> opaque_graphs;

  std::vector<ApiCall> api_calls;  // sorted by start
  std::vector<Wait> waits;
  std::vector<MemoryEventRow> memory_events;  // sorted by time
  std::vector<OverheadRow> overheads;
  std::vector<ModuleEventRow> module_events;
  std::vector<GraphNodeRow> graph_nodes;
  std::vector<GemmCall> gemm_calls;  // sorted by thread and start; calls nested in another are left out
  std::vector<NamedRange> step_ranges, input_ranges;  // sorted by start
  std::vector<NcclCallRow> nccl_calls;
  std::vector<MachineSampleRow> samples;
  std::vector<LossRow> losses;
  std::vector<LedgerRow> ledger;

  // By process index: when collection was off (--steps, --delay, --duration, --capture), before and after its
  // life included. Such time holds no step.
  std::vector<IntervalSet> unrecorded;
  // By process index: when collection was off while the process lived; by device index: the same of all
  // processes with records there. The GPU may have worked then: such time is not known to be idle.
  std::vector<IntervalSet> paused, device_paused;
  [[nodiscard]] int64_t unrecordedIn(uint16_t process, Interval range) const {
    return process < unrecorded.size() ? unrecorded[process].covered(range) : 0;
  }
  [[nodiscard]] bool wasUnrecorded(uint16_t process, Interval range) const {
    return unrecordedIn(process, range) > 0;
  }

  std::map<int64_t, uint16_t> device_index, process_index;  // row id -> index
  int64_t rejected_records = 0;  // GPU records with an impossible time or a reference to nothing
};

}  // namespace perfscope
