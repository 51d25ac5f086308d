// The one definition of what crosses the process boundary: the control file of a target process, its spool
// segments, and the fixed-size records in them. Written by the collector, read by the recorder; nothing else
// knows it. Longer than 400 lines on purpose: a reader of either side finds every record in one place.
//
// Session folder:  <session>/<pid>-<start_ns>/control          one ControlBlock, mapped by both sides
//                  <session>/<pid>-<start_ns>/seg-000001.spool  SegmentHeader + records, append-only
// One writer per segment (the drain thread). A published record is never changed: the writer stores the
// record, then `published` with release order; a reader loads it with acquire order and reads no further.
// Both files are mapped MAP_SHARED, so what was published survives the death of the process (not of the
// machine).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "schemas/loss_counters.h"

namespace perfscope::spool {

inline constexpr uint32_t kFormatVersion = 1;
inline constexpr uint64_t kSegmentMagic = 0x3130474553535046;  // "FPSSEG01", little endian
inline constexpr uint64_t kControlMagic = 0x3130435053535046;  // "FPSSPC01"
inline constexpr size_t kRecordBytes = 64;
inline constexpr size_t kSegmentHeaderBytes = 4096;  // one page, so that records stay cache-line aligned
inline constexpr size_t kSegmentBytes =
    kSegmentHeaderBytes + 65535 * kRecordBytes;  // just under 4 MiB + 1 page
inline constexpr uint32_t kRecordsPerSegment = (kSegmentBytes - kSegmentHeaderBytes) / kRecordBytes;
inline constexpr size_t kControlBytes = 16384;

enum class Kind : uint16_t {
  Invalid = 0,
  StringChunk,  // text of a string id, 48 bytes a record
  LaunchShape,  // interned launch configuration
  Kernel,
  Memcpy,  // also peer copies
  Memset,
  Synchronization,
  Api,       // launch-family CUDA API call
  Memory,    // allocation, free, pool operations
  Overhead,  // time CUPTI or the driver spent for reasons of their own
  Module,    // module load / unload, JIT
  DeviceIdentity,
  DeviceLimits,
  Context,
  Stream,
  GraphNode,    // where a graph node was captured (thread, time)
  GraphLaunch,  // graph-level tracing only: an opaque span
  NvtxRange,
  NvtxMark,
  Gemm,  // cuBLAS / cuBLASLt call with its shape
  Nccl,
  ClockSync,
  Note,    // a ledger line from the collector
  Window,  // collection switched on or off
  ThreadName,
  Jit,            // run-time compilation of GPU code, and its cache
  CounterSet,     // PM sampling began, with this interval
  CounterMetric,  // a metric of the set
  CounterSample,  // values of one sample; several records when there are more than fit
  Replay,         // a launch that was replayed for exact counts
  ReplayValue,
  kCount
};

// Every record starts so; `flags` is per kind, `thread` is the system thread id where there is one, else 0.
struct RecordHead {
  Kind kind;
  uint16_t flags;
  uint32_t thread;
};

inline constexpr size_t kChunkTextBytes = 48;
struct StringChunk {
  RecordHead head;     // flags bit 0: last chunk of the text
  uint32_t string_id;  // unique in this process, from 1; chunks of one text are consecutive in one segment
                       // sequence
  uint16_t offset_chunks;
  uint16_t length;  // bytes used in this chunk
  char text[kChunkTextBytes];
};

struct LaunchShape {
  RecordHead head;    // flags bit 0: cooperative launch
  uint32_t shape_id;  // unique in this process, from 1
  uint32_t grid_x, grid_y, grid_z;
  uint16_t block_x, block_y, block_z;
  uint16_t registers_per_thread;
  uint32_t static_shared_bytes, dynamic_shared_bytes;
  uint32_t shared_executed_bytes;  // shared memory configured on the SM
  uint32_t local_bytes_per_thread;
  uint16_t cluster_x, cluster_y, cluster_z;
  uint8_t cache_config;
  uint8_t launch_type;
  uint8_t carveout_requested;  // percent; 255 = not requested
  uint8_t cluster_policy;
  uint8_t reserved[6];
};

inline constexpr uint16_t kFlagGraphNode = 1;       // Kernel, Memcpy, Memset: part of a CUDA graph launch
inline constexpr uint16_t kFlagDeviceLaunched = 2;  // Kernel
inline constexpr uint16_t kFlagReplayed = 4;        // Kernel: replayed for counters, without times of its own
struct Kernel {
  RecordHead head;
  uint64_t start_ns, end_ns;  // CUPTI clock (CLOCK_REALTIME)
  uint32_t correlation, stream;
  uint32_t name_id, shape_id;
  uint64_t graph_node_id;
  uint32_t graph_id, context;
  uint16_t device, channel;
  uint32_t reserved;
};

struct Memcpy {
  RecordHead head;  // flags as Kernel, bit 2: asynchronous
  uint64_t start_ns, end_ns;
  uint64_t bytes;
  uint32_t correlation, stream;
  uint32_t context, graph_id;
  uint64_t graph_node_id;
  uint16_t device;
  uint8_t copy_kind, src_kind,
      dst_kind;  // CUPTI enums: HtoD = 1, DtoH = 2, DtoD = 8, ...; pageable = 1, pinned = 2, device = 3
  uint8_t reserved;
  uint16_t peer_device;  // 0xffff when not a peer copy; src = device, dst = peer_device
};
inline constexpr uint16_t kFlagAsync = 4;

struct Memset {
  RecordHead head;
  uint64_t start_ns, end_ns;
  uint64_t bytes;
  uint32_t correlation, stream;
  uint32_t context, graph_id;
  uint64_t graph_node_id;
  uint16_t device;
  uint16_t memory_kind;
  uint32_t value;
};

struct Synchronization {
  RecordHead head;
  uint64_t start_ns, end_ns;
  uint32_t correlation, stream;  // stream 0xffffffff = not applicable
  uint32_t context, type;        // CUPTI type: 1 event, 2 stream wait event, 3 stream, 4 context
  uint32_t event_id;
  uint32_t return_value;
  uint64_t event_sync_id;
  uint64_t reserved;
};

struct Api {
  RecordHead head;  // flags bit 0: driver API (else runtime)
  uint64_t start_ns, end_ns;
  uint32_t correlation, callback_id;
  uint32_t return_value, reserved0;
  uint64_t reserved[3];
};
inline constexpr uint16_t kFlagDriverApi = 1;

struct Memory {
  RecordHead head;
  uint64_t time_ns, address, bytes;
  uint32_t correlation, context;
  uint32_t stream;
  uint16_t device;
  uint8_t operation;    // CUPTI: 1 allocation, 2 release
  uint8_t memory_kind;  // CUPTI memory kind
  uint64_t pool_address;
  uint64_t pool_utilized_bytes;
};

struct Overhead {
  RecordHead head;
  uint64_t start_ns, end_ns;
  uint32_t overhead_kind, object_kind;
  uint32_t object_id, correlation;
  uint64_t reserved[3];
};

struct Module {
  RecordHead head;  // flags bit 0: unload
  uint64_t time_ns;
  uint32_t context, module_id;
  uint64_t cubin_bytes;
  uint64_t reserved[4];
};

struct Jit {
  RecordHead head;
  uint64_t start_ns, end_ns;
  uint32_t correlation, device;
  uint64_t jit_id;       // the same for the compilation of a unit and its loads and stores in the cache
  uint32_t entry;        // CUPTI: 1 PTX to machine code, 2 NVVM IR to PTX
  uint32_t operation;    // CUPTI: 1 cache load, 2 cache store, 3 compile
  uint64_t cache_bytes;  // size of the cache
  uint64_t reserved;
};

struct DeviceIdentity {
  RecordHead head;
  uint16_t device, cc_major, cc_minor, mig;
  uint32_t name_id;
  uint32_t ecc;
  uint8_t uuid[16];
  uint64_t memory_bytes;
  uint64_t memory_bandwidth_bytes_per_s;
  uint64_t reserved;
};

struct DeviceLimits {
  RecordHead head;
  uint16_t device, warp_size;
  uint32_t sm_count, core_clock_khz, l2_bytes;
  uint32_t max_warps_per_sm, max_blocks_per_sm;
  uint32_t shared_bytes_per_sm, registers_per_sm;
  uint32_t shared_bytes_per_block, max_threads_per_block;
  uint32_t registers_per_block, memcpy_engines;
  uint32_t reserved[2];
};

struct Context {
  RecordHead head;
  uint32_t context, device;
  uint32_t null_stream, multiprocessors;  // multiprocessors 0 = whole device
  uint64_t reserved[5];
};

struct Stream {
  RecordHead head;
  uint32_t context, stream;
  int32_t priority;
  uint32_t stream_flag;
  uint64_t reserved[5];
};

struct GraphNode {
  RecordHead head;   // flags bit 0: clone of original_node_id (instantiation)
  uint64_t time_ns;  // when the node was created: lies inside the hook of the library call that made it
  uint64_t node_id, original_node_id;
  uint32_t graph_id, node_type;
  uint64_t reserved[3];
};

struct GraphLaunch {
  RecordHead head;
  uint64_t start_ns, end_ns;
  uint32_t correlation, stream;
  uint32_t context, graph_id;
  uint16_t device, reserved0;
  uint32_t reserved1;
  uint64_t reserved[2];
};

inline constexpr uint16_t kFlagOpenRange = 1;  // NvtxRange: begun but not ended when the process ended
inline constexpr uint16_t kFlagStartEnd = 2;   // NvtxRange: start/end (may cross threads), not push/pop
inline constexpr uint16_t kFlagForgotten =
    4;  // NvtxRange: told as open before, its end was lost: leave it out
// A range that lasts is told once while it is open (kFlagOpenRange, end_ns 0), so that it is known when the
// process is killed; the record of its end, or of its never ending (kFlagOpenRange, end_ns > 0), takes its
// place.
struct NvtxRange {
  RecordHead head;
  uint64_t start_ns, end_ns;
  uint32_t text_id, domain_id;  // string ids; domain 0 = default domain
  uint32_t category, color;
  uint16_t depth, payload_type;  // payload_type 0 = none, else nvtxPayloadType_t
  uint32_t reserved;
  uint64_t payload;
  uint64_t reserved1;
};
using NvtxMark = NvtxRange;  // start_ns == end_ns

enum class GemmApi : uint16_t { GemmEx = 1, LtMatmul, Sgemm, Dgemm, Hgemm, StridedBatched, Batched };
struct Gemm {
  RecordHead head;            // flags bit 0: transpose A, 1: transpose B, 2: beta != 0, 3: epilogue with
                              // bias/activation, 4: beta unknown
  uint64_t start_ns, end_ns;  // host time inside the library call: the launches within belong to it
  uint32_t m, n, k;
  uint32_t batch;
  uint16_t a_type, b_type, c_type, d_type;  // cudaDataType values
  uint16_t compute_type;                    // cublasComputeType_t
  GemmApi api;
  uint32_t lda, ldb, ldc;
};

enum class NcclOp : uint16_t {
  AllReduce = 1,
  Broadcast,
  Reduce,
  AllGather,
  ReduceScatter,
  Send,
  Recv,
  AllToAll,
  Gather,
  Scatter,
  GroupStart,
  GroupEnd
};
struct Nccl {
  RecordHead head;
  uint64_t start_ns, end_ns;
  uint64_t count, communicator;  // communicator: pointer value in that process
  NcclOp op;
  uint16_t data_type, reduction, reserved0;
  int32_t rank, ranks, peer;  // -1 unknown / none
  uint32_t stream_low;        // low 32 bits of the CUstream handle: equality only
};

struct ClockSync {
  RecordHead head;
  uint64_t realtime_ns, monotonic_ns, tsc;
  uint64_t cupti_ns;        // cuptiGetTimestamp between the two reads
  uint64_t uncertainty_ns;  // width of the bracket of reads
  uint64_t reserved[2];
};

enum class NoteId : uint16_t {  // sentences in schemas/notes.h
  None = 0,
  SlotTaken,
  CuptiMissing,
  CuptiTooOld,
  CuptiCallFailed,
  KnownBadVersion,
  OtherProfilerInside,
  KindUnavailable,
  GemmHooksAbsent,
  NcclHooksAbsent,
  DrainStopped,
  GraphLevelTracing,
  ForkedChild,
  RecorderStopped,
  CountersUnavailable,
  CounterMetricsLeftOut,
  CounterIntervalRaised,
  CounterSamplesLost,
  CounterCost,
  CountersBusy,
  CountersNoPermission,
  ReplayCost,
  ReplayStopped,
  kCount
};
struct Note {
  RecordHead head;
  uint64_t time_ns;
  NoteId id;
  uint16_t reserved0;
  uint32_t text_id;  // detail, 0 = none
  int64_t value;     // e.g. the CUPTI error code
  uint64_t reserved[4];
};

enum class WindowReason : uint32_t { Start = 1, Delay, Duration, StepWindow, NvtxCapture, ProfilerApi, Exit };
struct Window {
  RecordHead head;  // flags bit 0: collection is on from here (else off)
  uint64_t time_ns;
  WindowReason reason;
  uint32_t step;
  uint64_t reserved[5];
};

struct ThreadName {
  RecordHead head;
  uint32_t name_id, reserved0;
  uint64_t reserved[6];
};

struct CounterSet {
  RecordHead head;
  uint64_t time_ns, interval_ns;
  uint32_t set_id, chip_name_id;  // set ids are unique in this process, from 1
  uint16_t device, metric_count;
  uint32_t reserved0;
  uint64_t reserved[3];
};

struct CounterMetric {
  RecordHead head;
  uint32_t set_id, metric_name_id;
  uint16_t position, role;  // role: perfscope::CounterRole
  uint32_t reserved0;
  uint64_t reserved[5];
};

inline constexpr size_t kCounterValues = 4;
struct CounterSample {
  RecordHead head;  // thread: set id; flags: position of values[0]
  uint64_t start_ns;
  uint32_t duration_ns, value_count;  // values used in this record
  double values[kCounterValues];
  uint64_t reserved;
};

struct Replay {
  RecordHead head;
  uint64_t start_ns, duration_ns;  // of the catch, not of the kernel
  uint32_t replay_id, correlation;
  uint16_t device, passes;
  uint32_t reserved0;
  uint64_t reserved[3];
};

struct ReplayValue {
  RecordHead head;
  uint32_t replay_id, metric_name_id;
  uint16_t role, reserved0;
  uint32_t reserved1;
  double value;
  uint64_t reserved[4];
};

// A raw slot; `as<T>()` is the one place where bytes become a record.
struct alignas(8) Record {
  unsigned char bytes[kRecordBytes];
};

enum class SegmentState : uint32_t { Open = 1, Closed = 2 };
struct SegmentHeader {
  uint64_t magic;
  uint32_t version, record_bytes;
  uint64_t process_start_ns;
  uint32_t pid, sequence;           // sequence from 1, without holes
  std::atomic<uint32_t> published;  // records that may be read
  std::atomic<SegmentState> state;
};

enum class ProcessState : uint32_t { Running = 1, Closed = 2, Execed = 3 };
inline constexpr size_t kControlTextBytes = 4096;
// One per process; the hot path counts losses here directly, so they survive SIGKILL.
struct ControlBlock {
  uint64_t magic;
  uint32_t version, control_bytes;
  uint32_t pid, parent_pid;
  uint64_t start_ns;                     // CLOCK_REALTIME when the session began in this process
  int32_t rank, world_size, local_rank;  // -1 unknown
  uint32_t cupti_version, driver_version, runtime_version;  // 0 unknown
  std::atomic<ProcessState> state;
  std::atomic<uint32_t> last_segment;   // highest sequence begun
  std::atomic<uint64_t> heartbeat_ns;   // written by the drain thread at each round
  std::atomic<uint64_t> end_ns;         // when the session closed
  std::atomic<uint64_t> records;        // records published
  std::atomic<uint64_t> loss[32];       // by perfscope::Loss
  std::atomic<uint64_t> cupti_buffers;  // buffers handed to CUPTI
  char command[kControlTextBytes];      // argv joined with 0x1f, cut at the end; empty with --no-args
  char executable[1024];
  char host[256];
  char cupti_path[1024];
  char environment[kControlTextBytes];  // the allow-list only: NAME=value, joined with 0x1f
  // The one word that the recorder writes: not 0 = it cannot store any more (disk full), stop recording.
  std::atomic<uint32_t> stop_requested;
};

template <class... Records>
inline constexpr bool kOneSlotEach = ((sizeof(Records) == kRecordBytes) && ...);
static_assert(kOneSlotEach<StringChunk, LaunchShape, Kernel, Memcpy, Memset, Synchronization, Api, Memory,
                           Overhead, Module, Jit, DeviceIdentity, DeviceLimits, Context, Stream, GraphNode,
                           GraphLaunch, NvtxRange, Gemm, Nccl, ClockSync, Note, Window, ThreadName,
                           CounterSet, CounterMetric, CounterSample, Replay, ReplayValue, Record>,
              "every record must fill one slot");
static_assert(sizeof(SegmentHeader) <= kSegmentHeaderBytes);
static_assert(sizeof(ControlBlock) <= kControlBytes);
static_assert(offsetof(Kernel, start_ns) == 8 && offsetof(Kernel, graph_node_id) == 40);
static_assert(std::atomic<uint64_t>::is_always_lock_free && kLossCount <= 32);

}  // namespace perfscope::spool
