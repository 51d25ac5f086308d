// Dispatch of spool records, and what they refer to: texts, shapes, devices, threads.
#include "injector/recorder/record_mapper.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

#include "injector/recorder/kernel_name.h"
#include "injector/recorder/spool_bytes.h"
#include "schemas/tables.h"

namespace perfscope {
namespace {

constexpr std::string_view kNoText = "(name not received)";

std::optional<int64_t> positive(uint64_t value) {
  return value == 0 ? std::nullopt : std::optional<int64_t>(static_cast<int64_t>(value));
}

// The same shape of another process is the same row.
std::string shapeKey(LaunchShapeRow row) {
  row.id = 0;
  std::string key;
  const auto append = [&](const auto& value) {
    if constexpr (IsOptional<std::decay_t<decltype(value)>>::value) {
      key += value ? std::to_string(*value) : "-";
    } else {
      key += std::to_string(value);
    }
    key += ',';
  };
  std::apply([&](const auto&... c) { (append(row.*(c.member)), ...); }, TableOf<LaunchShapeRow>::kColumns);
  return key;
}

}  // namespace

RecordMapper::RecordMapper(RowBatch& batch, DeviceRegistry& devices, int64_t time_base_ns)
    : m_batch(&batch), m_devices(&devices), m_time_base_ns(time_base_ns) {}

std::unique_ptr<MappedProcess> RecordMapper::addProcess(RegisteredProcess& process) {
  auto mapped = std::make_unique<MappedProcess>(process, m_texts);
  mapped->joiner = std::make_unique<LaunchJoiner>(sinkFor(*mapped));
  mapped->counters = std::make_unique<CounterBlocks>(*m_batch, process.row.id, m_time_base_ns);
  return mapped;
}

// clang-format off
void RecordMapper::map(MappedProcess& p, const spool::Record& r) {
  switch (kindOf(r)) {
    case spool::Kind::StringChunk: return stringChunk(p, r);
    case spool::Kind::LaunchShape: return launchShape(p, as<spool::LaunchShape>(r));
    case spool::Kind::Kernel:
    case spool::Kind::Memcpy:
    case spool::Kind::Memset: return gpu(p, r);
    case spool::Kind::Synchronization: return synchronization(p, as<spool::Synchronization>(r));
    case spool::Kind::Api: return api(p, as<spool::Api>(r));
    case spool::Kind::Memory: return memory(p, r);
    case spool::Kind::Overhead: return overhead(p, as<spool::Overhead>(r));
    case spool::Kind::Module: return module(p, as<spool::Module>(r));
    case spool::Kind::DeviceIdentity: return deviceIdentity(p, r);
    case spool::Kind::DeviceLimits: return deviceLimits(p, r);
    case spool::Kind::Context: return context(p, r);
    case spool::Kind::Stream: return stream(p, as<spool::Stream>(r));
    case spool::Kind::GraphNode: return graphNode(p, as<spool::GraphNode>(r));
    case spool::Kind::GraphLaunch: return graphLaunch(p, r);
    case spool::Kind::NvtxRange: return nvtx(p, r, false);
    case spool::Kind::NvtxMark: return nvtx(p, r, true);
    case spool::Kind::Gemm: return gemm(p, as<spool::Gemm>(r));
    case spool::Kind::Nccl: return nccl(p, as<spool::Nccl>(r));
    case spool::Kind::ClockSync: return clockSync(p, as<spool::ClockSync>(r));
    case spool::Kind::Note: return note(p, r);
    case spool::Kind::Window: return window(p, as<spool::Window>(r));
    case spool::Kind::ThreadName: return threadName(p, r);
    case spool::Kind::CounterSet: return counterSet(p, r);
    case spool::Kind::CounterMetric: return counterMetric(p, r);
    case spool::Kind::CounterSample: if (!p.counters->addSample(as<spool::CounterSample>(r))) torn(p); return;
    case spool::Kind::Replay: return replay(p, as<spool::Replay>(r));
    case spool::Kind::ReplayValue: return replayValue(p, r);
    case spool::Kind::Jit: return jit(p, as<spool::Jit>(r));
    case spool::Kind::Invalid:
    case spool::Kind::kCount: return torn(p);
  }
}
// clang-format on

void RecordMapper::finish(MappedProcess& process) {
  process.joiner->flush();
  process.counters->flush();
  // No replay claimed them: their times were lost.
  process.registered->own_loss[static_cast<size_t>(Loss::ZeroTimestamp)] += process.timeless.size();
  process.timeless.clear();
  process.do_without = true;
  for (const auto& record : process.deferred.takeAll()) map(process, record);
  process.joiner->flush();
  for (const auto& range : process.open_ranges.takeAll()) writeNvtx(process, range, false);
}

Status RecordMapper::load(const TraceReader& profile) {
  const std::array<Status, 4> results = {
      profile.forEach<StringRow>({},
                                 [&](const StringRow& row) { m_texts.intern(row.text).string_id = row.id; }),
      profile.forEach<KernelNameRow>(
          {}, [&](const KernelNameRow& row) { m_texts.intern(row.mangled).kernel_name_id = row.id; }),
      profile.forEach<LaunchShapeRow>({},
                                      [&](const LaunchShapeRow& row) { m_shapes[shapeKey(row)] = row.id; }),
      profile.forEach<ApiNameRow>({}, [&](const ApiNameRow& row) { m_api_names.insert(row.id); })};
  for (const auto& result : results) {
    if (!result) return result;
  }
  m_gpu_records = m_batch->lastId<KernelRow>() + m_batch->lastId<MemcpyRow>() + m_batch->lastId<MemsetRow>() +
                  m_batch->lastId<GraphLaunchRow>();
  return {};
}

std::vector<spool::Record> RecordMapper::waiting(const MappedProcess& process) {
  std::vector<spool::Record> records;
  process.deferred.collect(records);
  process.joiner->collectWaiting(records);
  process.counters->collectWaiting(records);
  process.open_ranges.collect(records);
  return records;
}

void RecordMapper::torn(MappedProcess& process) {
  ++process.registered->own_loss[static_cast<size_t>(Loss::TornRecord)];
}

int64_t RecordMapper::relative(uint64_t time_ns) const {
  return static_cast<int64_t>(time_ns - static_cast<uint64_t>(m_time_base_ns));  // wraps, never overflows
}

// --- what is referred to but not there yet

bool RecordMapper::lacks(MappedProcess& process, Missing what, uint32_t id, const spool::Record& record) {
  return !process.do_without && process.deferred.keep(what, id, record);
}

bool RecordMapper::lacksText(MappedProcess& process, uint32_t id, const spool::Record& record) {
  return id != 0 && process.strings.find(id) == nullptr && lacks(process, Missing::Text, id, record);
}

void RecordMapper::replay(MappedProcess& process, Missing what, uint32_t id) {
  for (const auto& record : process.deferred.take(what, id)) map(process, record);
}

void RecordMapper::stringChunk(MappedProcess& process, const spool::Record& record) {
  const auto chunk = as<spool::StringChunk>(record);
  const size_t length = std::min<size_t>(chunk.length, spool::kChunkTextBytes);
  const TextPiece piece{
      chunk.string_id, chunk.offset_chunks, (chunk.head.flags & 1) != 0, {chunk.text, length}};
  const auto outcome =
      chunk.length > spool::kChunkTextBytes ? StringResolver::Outcome::Torn : process.strings.add(piece);
  if (outcome == StringResolver::Outcome::Torn) torn(process);
  if (outcome == StringResolver::Outcome::Complete) replay(process, Missing::Text, chunk.string_id);
}

PooledText& RecordMapper::textOf(MappedProcess& process, uint32_t string_id) {
  if (string_id == 0) return m_texts.intern("");
  if (PooledText* const text = process.strings.find(string_id)) return *text;
  if (PooledText* const text = process.strings.finishPartial(string_id)) return *text;
  return m_texts.intern(kNoText);
}

int64_t RecordMapper::stringId(MappedProcess& process, uint32_t string_id) {
  PooledText& text = textOf(process, string_id);
  if (text.string_id == 0) {
    text.string_id = m_batch->nextId<StringRow>();
    m_batch->put(StringRow{text.string_id, text.text});
  }
  return text.string_id;
}

int64_t RecordMapper::kernelNameId(MappedProcess& process, uint32_t string_id) {
  PooledText& text = string_id == 0 ? m_texts.intern(kNoText) : textOf(process, string_id);
  if (text.kernel_name_id == 0) {
    text.kernel_name_id = m_batch->nextId<KernelNameRow>();
    const std::string readable = cleanText(demangle(text.text));
    m_batch->put(KernelNameRow{text.kernel_name_id, text.text, readable, shortName(readable)});
  }
  return text.kernel_name_id;
}

void RecordMapper::launchShape(MappedProcess& process, const spool::LaunchShape& shape) {
  LaunchShapeRow row;
  row.grid_x = shape.grid_x, row.grid_y = shape.grid_y, row.grid_z = shape.grid_z;
  row.block_x = shape.block_x, row.block_y = shape.block_y, row.block_z = shape.block_z;
  row.registers_per_thread = shape.registers_per_thread;
  row.static_shared_bytes = shape.static_shared_bytes;
  row.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  row.shared_executed_bytes = positive(shape.shared_executed_bytes);
  row.local_bytes_per_thread = shape.local_bytes_per_thread;
  row.cluster_x = shape.cluster_x, row.cluster_y = shape.cluster_y, row.cluster_z = shape.cluster_z;
  row.cache_config = shape.cache_config;
  row.launch_type = shape.launch_type;
  if (shape.carveout_requested != 255) row.carveout_percent = shape.carveout_requested;
  const auto [entry, fresh] = m_shapes.try_emplace(shapeKey(row), 0);
  if (fresh) {
    row.id = entry->second = m_batch->nextId<LaunchShapeRow>();
    m_batch->put(row);
  }
  process.shapes[shape.shape_id] = entry->second;
  replay(process, Missing::Shape, shape.shape_id);
}

int64_t RecordMapper::shapeId(MappedProcess& process, uint32_t shape_id) {
  if (process.shapes.find(shape_id) == process.shapes.end()) {
    torn(process);  // its launch configuration is lost; an all-zero shape stands for it
    spool::LaunchShape none{};
    none.shape_id = shape_id;
    none.carveout_requested = 255;
    launchShape(process, none);
  }
  return process.shapes[shape_id];
}

int64_t RecordMapper::threadId(MappedProcess& process, uint32_t tid) {
  if (process.last_thread != 0 && process.last_tid == tid) return process.last_thread;
  auto& id = process.threads[tid];
  if (id == 0) {
    id = m_batch->nextId<ThreadRow>();
    m_batch->put(ThreadRow{id, process.registered->row.id, tid, std::nullopt});
  }
  process.last_tid = tid;
  process.last_thread = id;
  return id;
}

int64_t RecordMapper::deviceId(MappedProcess& process, uint32_t ordinal) {
  const auto found = process.devices.find(ordinal);
  if (found != process.devices.end()) return found->second;
  const std::string name = "GPU " + std::to_string(ordinal) + " (not described)";
  const DeviceRow& row = m_devices->identify(process.registered->row.host_id, "", ordinal, name);
  m_devices->save(row);
  process.devices[ordinal] = row.id;
  return row.id;
}

void RecordMapper::deviceIdentity(MappedProcess& process, const spool::Record& record) {
  const auto identity = as<spool::DeviceIdentity>(record);
  if (lacksText(process, identity.name_id, record)) return;
  const std::string uuid = uuidText(identity.uuid, identity.mig != 0);
  const std::string name = textOf(process, identity.name_id).text;
  DeviceRow& row = m_devices->identify(process.registered->row.host_id, uuid, identity.device, name);
  row.name = name;
  row.cc_major = identity.cc_major;
  row.cc_minor = identity.cc_minor;
  row.memory_bytes = positive(identity.memory_bytes);
  row.memory_bandwidth_bytes_per_s = positive(identity.memory_bandwidth_bytes_per_s);
  row.ecc = identity.ecc;
  row.mig = identity.mig;
  m_devices->save(row);
  process.devices[identity.device] = row.id;
  replay(process, Missing::Device, identity.device);
}

void RecordMapper::deviceLimits(MappedProcess& process, const spool::Record& record) {
  const auto limits = as<spool::DeviceLimits>(record);
  const bool known = process.devices.find(limits.device) != process.devices.end();
  if (!known && lacks(process, Missing::Device, limits.device, record)) return;
  DeviceRow* const row = m_devices->find(deviceId(process, limits.device));
  if (row == nullptr) return;
  row->sm_count = positive(limits.sm_count);
  row->core_clock_khz = positive(limits.core_clock_khz);
  row->l2_bytes = positive(limits.l2_bytes);
  row->warp_size = positive(limits.warp_size);
  row->max_warps_per_sm = positive(limits.max_warps_per_sm);
  row->max_blocks_per_sm = positive(limits.max_blocks_per_sm);
  row->shared_bytes_per_sm = positive(limits.shared_bytes_per_sm);
  row->registers_per_sm = positive(limits.registers_per_sm);
  row->shared_bytes_per_block = positive(limits.shared_bytes_per_block);
  row->max_threads_per_block = positive(limits.max_threads_per_block);
  row->memcpy_engines = positive(limits.memcpy_engines);
  m_devices->save(*row);
}

}  // namespace perfscope
