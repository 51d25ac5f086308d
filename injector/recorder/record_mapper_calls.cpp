// Rows of waits, memory, contexts, graphs, annotations and library calls: one short function a record kind.
#include <algorithm>
#include <array>

#include "injector/recorder/record_mapper.h"
#include "injector/recorder/spool_bytes.h"
#include "schemas/notes.h"

namespace perfscope {
namespace {

constexpr uint32_t kNotApplicable = 0xffffffff;

std::optional<int64_t> unless(uint64_t value, uint64_t absent) {
  return value == absent ? std::nullopt : std::optional<int64_t>(static_cast<int64_t>(value));
}

template <size_t N, class Index>
std::string nameIn(const std::array<std::string_view, N>& names, Index index, std::string_view what) {
  const auto i = static_cast<size_t>(index);
  return i < N ? std::string(names[i]) : std::string(what) + " " + std::to_string(i);
}

constexpr std::array<std::string_view, 8> kGemmApis = {"unknown", "GemmEx", "LtMatmul",       "Sgemm",
                                                       "Dgemm",   "Hgemm",  "StridedBatched", "Batched"};
constexpr std::array<std::string_view, 13> kNcclOps = {
    "unknown", "AllReduce", "Broadcast", "Reduce",  "AllGather",  "ReduceScatter", "Send",
    "Recv",    "AllToAll",  "Gather",    "Scatter", "GroupStart", "GroupEnd"};
constexpr std::array<std::string_view, 8> kWindowReasons = {
    "unknown", "start", "delay", "duration", "step_window", "nvtx_capture", "profiler_api", "exit"};
constexpr std::array<std::string_view, 4> kJitOperations = {"unknown", "cache_load", "cache_store",
                                                            "compile"};
constexpr std::array<std::string_view, 3> kJitEntries = {"unknown", "ptx_to_cubin", "nvvm_to_ptx"};
constexpr std::array<std::string_view, 4> kSeverities = {"info", "notice", "data_loss", "error"};

static_assert(kGemmApis.size() == static_cast<size_t>(spool::GemmApi::Batched) + 1);
static_assert(kNcclOps.size() == static_cast<size_t>(spool::NcclOp::GroupEnd) + 1);
static_assert(kWindowReasons.size() == static_cast<size_t>(spool::WindowReason::Exit) + 1);

int64_t span(uint64_t start_ns, uint64_t end_ns) {
  return end_ns >= start_ns ? static_cast<int64_t>(end_ns - start_ns) : 0;
}

}  // namespace

void RecordMapper::synchronization(MappedProcess& process, const spool::Synchronization& record) {
  constexpr uint32_t kEvent = 1;
  constexpr uint32_t kStreamWaitEvent = 2;
  if (implausible(process, record.start_ns, record.end_ns)) return;
  SynchronizationRow row;
  row.id = m_batch->nextId<SynchronizationRow>();
  row.process_id = process.registered->row.id;
  row.type = record.type;
  row.context = record.context;
  row.stream = unless(record.stream, kNotApplicable);
  if (record.type == kEvent || record.type == kStreamWaitEvent)
    row.event_id = unless(record.event_id, kNotApplicable);
  row.start_ns = relative(record.start_ns);
  row.duration_ns = span(record.start_ns, record.end_ns);
  row.correlation_id = record.correlation;
  m_batch->put(row);
}

void RecordMapper::memory(MappedProcess& process, const spool::Record& raw) {
  // CUPTI memory kinds that live on a device: device, array, managed, device static, managed static.
  constexpr uint8_t kFirstDeviceKind = 3;
  constexpr uint8_t kLastDeviceKind = 7;
  const auto record = as<spool::Memory>(raw);
  const bool on_device = record.memory_kind >= kFirstDeviceKind && record.memory_kind <= kLastDeviceKind;
  const bool known = process.devices.find(record.device) != process.devices.end();
  if (on_device && !known && lacks(process, Missing::Device, record.device, raw)) return;
  MemoryEventRow row;
  row.id = m_batch->nextId<MemoryEventRow>();
  row.process_id = process.registered->row.id;
  if (on_device) row.device_id = deviceId(process, record.device);
  row.time_ns = relative(record.time_ns);
  row.operation = record.operation;
  row.memory_kind = record.memory_kind;
  row.bytes = static_cast<int64_t>(record.bytes);
  row.address = static_cast<int64_t>(record.address);
  row.correlation_id = record.correlation;
  row.pool_address = unless(record.pool_address, 0);
  if (row.pool_address) row.pool_utilized_bytes = static_cast<int64_t>(record.pool_utilized_bytes);
  m_batch->put(row);
}

void RecordMapper::overhead(MappedProcess& process, const spool::Overhead& record) {
  constexpr uint32_t kThreadObject = 2;  // CUPTI_ACTIVITY_OBJECT_THREAD
  if (implausible(process, record.start_ns, record.end_ns)) return;
  OverheadRow row;
  row.id = m_batch->nextId<OverheadRow>();
  row.process_id = process.registered->row.id;
  row.kind = record.overhead_kind;
  row.thread = unless(record.head.thread, 0);
  if (!row.thread && record.object_kind == kThreadObject) row.thread = unless(record.object_id, 0);
  row.start_ns = relative(record.start_ns);
  row.duration_ns = span(record.start_ns, record.end_ns);
  row.correlation_id = unless(record.correlation, 0);
  m_batch->put(row);
}

void RecordMapper::module(MappedProcess& process, const spool::Module& record) {
  ModuleEventRow row;
  row.id = m_batch->nextId<ModuleEventRow>();
  row.process_id = process.registered->row.id;
  row.context = record.context;
  row.module = record.module_id;
  row.time_ns = relative(record.time_ns);
  row.unload = (record.head.flags & 1) != 0 ? 1 : 0;
  row.cubin_bytes = unless(record.cubin_bytes, 0);
  m_batch->put(row);
}

void RecordMapper::jit(MappedProcess& process, const spool::Jit& record) {
  if (implausible(process, record.start_ns, record.end_ns)) return;
  JitEventRow row;
  row.id = m_batch->nextId<JitEventRow>();
  row.process_id = process.registered->row.id;
  row.device = record.device;
  row.thread = unless(record.head.thread, 0);
  row.operation = nameIn(kJitOperations, record.operation, "operation");
  row.entry = nameIn(kJitEntries, record.entry, "entry");
  row.start_ns = relative(record.start_ns);
  row.duration_ns = span(record.start_ns, record.end_ns);
  row.correlation_id = unless(record.correlation, 0);
  row.jit_id = static_cast<int64_t>(record.jit_id);
  row.cache_bytes = unless(record.cache_bytes, 0);
  m_batch->put(row);
}

void RecordMapper::context(MappedProcess& process, const spool::Record& raw) {
  const auto record = as<spool::Context>(raw);
  const bool known = process.devices.find(record.device) != process.devices.end();
  if (!known && lacks(process, Missing::Device, record.device, raw)) return;
  ContextRow row;
  row.id = m_batch->nextId<ContextRow>();
  row.process_id = process.registered->row.id;
  row.context = record.context;
  row.device_id = deviceId(process, record.device);
  row.null_stream = record.null_stream;
  m_batch->put(row);
}

void RecordMapper::stream(MappedProcess& process, const spool::Stream& record) {
  StreamRow row;
  row.id = m_batch->nextId<StreamRow>();
  row.process_id = process.registered->row.id;
  row.context = record.context;
  row.stream = record.stream;
  row.priority = record.priority;
  row.flag = record.stream_flag;
  m_batch->put(row);
}

void RecordMapper::graphNode(MappedProcess& process, const spool::GraphNode& record) {
  GraphNodeRow row;
  row.id = m_batch->nextId<GraphNodeRow>();
  row.process_id = process.registered->row.id;
  row.graph_id = record.graph_id;
  row.node_id = static_cast<int64_t>(record.node_id);
  row.original_node_id = unless(record.original_node_id, 0);
  row.thread_id = threadId(process, record.head.thread);
  row.time_ns = relative(record.time_ns);
  m_batch->put(row);
}

void RecordMapper::nvtx(MappedProcess& process, const spool::Record& raw, bool mark) {
  const auto record = as<spool::NvtxRange>(raw);
  if (lacksText(process, record.text_id, raw) || lacksText(process, record.domain_id, raw)) return;
  const bool still_open = (record.head.flags & spool::kFlagOpenRange) != 0 && record.end_ns == 0;
  if (!mark && still_open) return process.open_ranges.keep(record);
  if (!mark) process.open_ranges.forget(record);
  if (!mark && (record.head.flags & spool::kFlagForgotten) != 0) return;
  writeNvtx(process, record, mark);
}

void RecordMapper::writeNvtx(MappedProcess& process, const spool::NvtxRange& record, bool mark) {
  const bool open = !mark && (record.head.flags & spool::kFlagOpenRange) != 0;
  if (!open && implausible(process, record.start_ns, record.end_ns)) return;
  NvtxRangeRow row;
  row.id = m_batch->nextId<NvtxRangeRow>();
  row.process_id = process.registered->row.id;
  row.thread_id = threadId(process, record.head.thread);
  row.kind = mark ? "mark" : (record.head.flags & spool::kFlagStartEnd) != 0 ? "start_end" : "push_pop";
  row.text_id = stringId(process, record.text_id);
  if (record.domain_id != 0) row.domain_id = stringId(process, record.domain_id);
  row.category = record.category;
  row.depth = record.depth;
  row.start_ns = relative(record.start_ns);
  if (!open) row.duration_ns = span(record.start_ns, record.end_ns);
  if (record.payload_type != 0) {
    row.payload_type = record.payload_type;
    row.payload = static_cast<int64_t>(record.payload);
  }
  m_batch->put(row);
}

void RecordMapper::gemm(MappedProcess& process, const spool::Gemm& record) {
  const auto flag = [&](unsigned bit) { return (record.head.flags & (1U << bit)) != 0 ? 1 : 0; };
  if (implausible(process, record.start_ns, record.end_ns)) return;
  GemmCallRow row;
  row.id = m_batch->nextId<GemmCallRow>();
  row.process_id = process.registered->row.id;
  row.thread_id = threadId(process, record.head.thread);
  row.api = nameIn(kGemmApis, record.api, "api");
  row.m = record.m, row.n = record.n, row.k = record.k, row.batch = record.batch;
  row.a_type = record.a_type, row.b_type = record.b_type, row.c_type = record.c_type,
  row.d_type = record.d_type;
  row.compute_type = record.compute_type;
  row.transpose_a = flag(0);
  row.transpose_b = flag(1);
  if (flag(4) == 0) row.reads_c = flag(2);
  row.epilogue = flag(3);
  row.lda = record.lda, row.ldb = record.ldb, row.ldc = record.ldc;
  row.start_ns = relative(record.start_ns);
  row.duration_ns = span(record.start_ns, record.end_ns);
  m_batch->put(row);
}

void RecordMapper::nccl(MappedProcess& process, const spool::Nccl& record) {
  const auto known = [](int32_t value) { return value < 0 ? std::nullopt : std::optional<int64_t>(value); };
  if (implausible(process, record.start_ns, record.end_ns)) return;
  NcclCallRow row;
  row.id = m_batch->nextId<NcclCallRow>();
  row.process_id = process.registered->row.id;
  row.thread_id = threadId(process, record.head.thread);
  row.op = nameIn(kNcclOps, record.op, "op");
  row.count = static_cast<int64_t>(record.count);
  row.data_type = record.data_type;
  row.reduction = record.reduction;
  row.communicator = static_cast<int64_t>(record.communicator);
  row.rank = known(record.rank);
  row.ranks = known(record.ranks);
  row.peer = known(record.peer);
  row.stream_handle = record.stream_low;
  row.start_ns = relative(record.start_ns);
  row.duration_ns = span(record.start_ns, record.end_ns);
  m_batch->put(row);
}

void RecordMapper::clockSync(MappedProcess& process, const spool::ClockSync& record) {
  ClockSyncRow row;
  row.id = m_batch->nextId<ClockSyncRow>();
  row.process_id = process.registered->row.id;
  row.realtime_ns = static_cast<int64_t>(record.realtime_ns);
  row.monotonic_ns = static_cast<int64_t>(record.monotonic_ns);
  row.tsc = static_cast<int64_t>(record.tsc);
  row.cupti_ns = static_cast<int64_t>(record.cupti_ns);
  row.uncertainty_ns = static_cast<int64_t>(record.uncertainty_ns);
  m_batch->put(row);
}

void RecordMapper::note(MappedProcess& process, const spool::Record& raw) {
  const auto record = as<spool::Note>(raw);
  if (lacksText(process, record.text_id, raw)) return;
  LedgerRow row;
  row.id = m_batch->nextId<LedgerRow>();
  row.process_id = process.registered->row.id;
  const auto index = static_cast<size_t>(record.id);
  if (index < kNotes.size()) {
    row.severity = kSeverities[static_cast<size_t>(kNotes[index].severity)];
    row.name = kNotes[index].name;
    row.text = kNotes[index].sentence;
  } else {
    row.severity = "notice";
    row.name = "note_" + std::to_string(index);
    row.text = "a note of a newer collector";
  }
  if (record.text_id != 0) row.detail = textOf(process, record.text_id).text;
  row.value = record.value;
  m_batch->put(row);
  if (row.severity != kSeverities[static_cast<size_t>(Severity::Error)]) return;
  const std::string sentence = row.text + (row.detail ? " (" + *row.detail + ")" : "");
  auto& known = m_collector_errors;
  if (std::find(known.begin(), known.end(), sentence) == known.end()) known.push_back(sentence);
}

void RecordMapper::window(MappedProcess& process, const spool::Window& record) {
  WindowRow row;
  row.id = m_batch->nextId<WindowRow>();
  row.process_id = process.registered->row.id;
  row.time_ns = relative(record.time_ns);
  row.collecting = (record.head.flags & 1) != 0 ? 1 : 0;
  row.reason = nameIn(kWindowReasons, record.reason, "reason");
  if (record.reason == spool::WindowReason::StepWindow) row.step = record.step;
  m_batch->put(row);
}

void RecordMapper::threadName(MappedProcess& process, const spool::Record& raw) {
  const auto record = as<spool::ThreadName>(raw);
  if (lacksText(process, record.name_id, raw)) return;
  const int64_t id = threadId(process, record.head.thread);
  m_batch->put(
      ThreadRow{id, process.registered->row.id, record.head.thread, textOf(process, record.name_id).text});
}

}  // namespace perfscope
