// GPU records and API calls: their checks, the join of the two, and the rows.
#include <array>
#include <cstddef>

#include "injector/recorder/api_names.h"
#include "injector/recorder/record_mapper.h"
#include "injector/recorder/spool_bytes.h"
#include "schemas/tables.h"

namespace perfscope {
namespace {

std::optional<int64_t> positive(uint64_t value) {
  return value == 0 ? std::nullopt : std::optional<int64_t>(static_cast<int64_t>(value));
}

std::string_view tableOf(spool::Kind kind) {
  if (kind == spool::Kind::Memcpy) return TableOf<MemcpyRow>::kName;
  return kind == spool::Kind::Memset ? TableOf<MemsetRow>::kName : TableOf<KernelRow>::kName;
}

template <class Row, class T>
void setGraph(Row& row, const T& record) {
  row.graph_id = positive(record.graph_id);
  row.graph_node_id = positive(record.graph_node_id);
}

template <class Row, class T>
void setPlace(Row& row, const T& record) {
  row.context = record.context;
  row.stream = record.stream;
  row.duration_ns = static_cast<int64_t>(record.end_ns - record.start_ns);
  row.correlation_id = record.correlation;
}

}  // namespace

template <class Row>
void RecordMapper::setLaunch(MappedProcess& process, Row& row, const std::optional<Launch>& launch) {
  if (!launch) return;
  row.launch_start_ns = relative(launch->start_ns);
  row.launch_duration_ns = static_cast<int64_t>(launch->end_ns - launch->start_ns);
  row.launch_thread_id = threadId(process, launch->thread);
}

JoinSink RecordMapper::sinkFor(MappedProcess& process) {
  MappedProcess* const p = &process;
  JoinSink sink;
  sink.write_gpu = [this, p](const spool::Record& record, const std::optional<Launch>& launch) {
    return writeGpu(*p, record, launch);
  };
  sink.write_api = [this, p](const spool::Api& api) {
    const int64_t row = m_batch->nextId<ApiCallRow>();
    writeApi(*p, row, api);
    return row;
  };
  sink.patch_gpu = [this, p](spool::Kind kind, int64_t row, const std::optional<Launch>& launch) {
    KernelRow values;  // only its launch_* fields are used; they are the same in all three tables
    setLaunch(*p, values, launch);
    m_batch->patchLaunch(tableOf(kind), row, values.launch_start_ns, values.launch_duration_ns,
                         values.launch_thread_id);
  };
  sink.replace_api = [this, p](int64_t row, const spool::Api& api) { writeApi(*p, row, api); };
  sink.remove_api = [this](int64_t row) { m_batch->removeApiCall(row); };
  return sink;
}

// Counted and left out: such a time would poison every sum.
bool RecordMapper::implausible(MappedProcess& process, uint64_t start_ns, uint64_t end_ns) {
  constexpr uint64_t kLongest = uint64_t{1} << 62;
  auto& loss = process.registered->own_loss;
  if (start_ns == 0 || end_ns == 0) {
    ++loss[static_cast<size_t>(Loss::ZeroTimestamp)];
  } else if (end_ns < start_ns) {
    ++loss[static_cast<size_t>(Loss::InvertedTimestamp)];
  } else if (start_ns > kLongest || end_ns > kLongest) {
    torn(process);
  } else {
    return false;
  }
  return true;
}

bool RecordMapper::lacksGpuParts(MappedProcess& process, const spool::Record& record) {
  if (kindOf(record) == spool::Kind::Kernel) {
    const auto kernel = as<spool::Kernel>(record);
    if (lacksText(process, kernel.name_id, record)) return true;
    if (process.shapes.find(kernel.shape_id) == process.shapes.end() &&
        lacks(process, Missing::Shape, kernel.shape_id, record))
      return true;
  }
  const uint32_t device = kindOf(record) == spool::Kind::Kernel   ? as<spool::Kernel>(record).device
                          : kindOf(record) == spool::Kind::Memcpy ? as<spool::Memcpy>(record).device
                                                                  : as<spool::Memset>(record).device;
  return process.devices.find(device) == process.devices.end() &&
         lacks(process, Missing::Device, device, record);
}

void RecordMapper::gpu(MappedProcess& process, const spool::Record& record) {
  // All three kinds begin head, start_ns, end_ns.
  static_assert(offsetof(spool::Memcpy, start_ns) == offsetof(spool::Kernel, start_ns) &&
                offsetof(spool::Memset, end_ns) == offsetof(spool::Kernel, end_ns));
  const auto common = as<spool::Kernel>(record);
  if (lacksGpuParts(process, record)) return;
  if (kindOf(record) == spool::Kind::Kernel && (common.head.flags & spool::kFlagReplayed) != 0)
    return replayedKernel(process, common);
  if (implausible(process, common.start_ns, common.end_ns)) return;
  ++m_gpu_records;
  const bool alone = (common.head.flags & (spool::kFlagGraphNode | spool::kFlagDeviceLaunched)) != 0;
  if (alone) {
    writeGpu(process, record, std::nullopt);
  } else {
    process.joiner->onGpu(record);
  }
}

int64_t RecordMapper::writeGpu(MappedProcess& process, const spool::Record& record,
                               const std::optional<Launch>& launch) {
  const auto kind = kindOf(record);
  if (kind == spool::Kind::Kernel) return writeKernel(process, as<spool::Kernel>(record), launch);
  if (kind == spool::Kind::Memcpy) return writeMemcpy(process, as<spool::Memcpy>(record), launch);
  return writeMemset(process, as<spool::Memset>(record), launch);
}

int64_t RecordMapper::writeKernel(MappedProcess& process, const spool::Kernel& kernel,
                                  const std::optional<Launch>& launch) {
  KernelRow row;
  row.id = m_batch->nextId<KernelRow>();
  row.process_id = process.registered->row.id;
  row.device_id = deviceId(process, kernel.device);
  row.name_id = kernelNameId(process, kernel.name_id);
  row.shape_id = shapeId(process, kernel.shape_id);
  row.start_ns = relative(kernel.start_ns);
  setPlace(row, kernel);
  setGraph(row, kernel);
  setLaunch(process, row, launch);
  m_batch->put(row);
  return row.id;
}

int64_t RecordMapper::writeMemcpy(MappedProcess& process, const spool::Memcpy& copy,
                                  const std::optional<Launch>& launch) {
  constexpr uint16_t kNoPeer = 0xffff;
  MemcpyRow row;
  row.id = m_batch->nextId<MemcpyRow>();
  row.process_id = process.registered->row.id;
  row.device_id = deviceId(process, copy.device);
  row.kind = copy.copy_kind;
  row.src_kind = copy.src_kind;
  row.dst_kind = copy.dst_kind;
  row.bytes = static_cast<int64_t>(copy.bytes);
  row.asynchronous = (copy.head.flags & spool::kFlagAsync) != 0 ? 1 : 0;
  if (copy.peer_device != kNoPeer) row.peer_device_id = deviceId(process, copy.peer_device);
  row.start_ns = relative(copy.start_ns);
  setPlace(row, copy);
  setGraph(row, copy);
  setLaunch(process, row, launch);
  m_batch->put(row);
  return row.id;
}

int64_t RecordMapper::writeMemset(MappedProcess& process, const spool::Memset& fill,
                                  const std::optional<Launch>& launch) {
  MemsetRow row;
  row.id = m_batch->nextId<MemsetRow>();
  row.process_id = process.registered->row.id;
  row.device_id = deviceId(process, fill.device);
  row.memory_kind = fill.memory_kind;
  row.bytes = static_cast<int64_t>(fill.bytes);
  row.value = fill.value;
  row.start_ns = relative(fill.start_ns);
  setPlace(row, fill);
  setGraph(row, fill);
  setLaunch(process, row, launch);
  m_batch->put(row);
  return row.id;
}

void RecordMapper::graphLaunch(MappedProcess& process, const spool::Record& record) {
  const auto launch = as<spool::GraphLaunch>(record);
  const bool known = process.devices.find(launch.device) != process.devices.end();
  if (!known && lacks(process, Missing::Device, launch.device, record)) return;
  if (implausible(process, launch.start_ns, launch.end_ns)) return;
  ++m_gpu_records;
  GraphLaunchRow row;
  row.id = m_batch->nextId<GraphLaunchRow>();
  row.process_id = process.registered->row.id;
  row.device_id = deviceId(process, launch.device);
  row.graph_id = launch.graph_id;
  row.start_ns = relative(launch.start_ns);
  setPlace(row, launch);
  m_batch->put(row);
}

void RecordMapper::api(MappedProcess& process, const spool::Api& api) {
  if (implausible(process, api.start_ns, api.end_ns)) return;
  const auto kind = apiClass((api.head.flags & spool::kFlagDriverApi) != 0, api.callback_id);
  process.joiner->onApi(api, kind != ApiClass::GraphLaunch && kind != ApiClass::Other);
}

void RecordMapper::writeApi(MappedProcess& process, int64_t row_id, const spool::Api& api) {
  const bool driver = (api.head.flags & spool::kFlagDriverApi) != 0;
  const int64_t name_id = apiNameId(driver, api.callback_id);
  if (m_api_names.insert(name_id).second) m_batch->put(ApiNameRow{name_id, apiName(driver, api.callback_id)});
  ApiCallRow row;
  row.id = row_id;
  row.process_id = process.registered->row.id;
  row.thread_id = threadId(process, api.head.thread);
  row.api_id = name_id;
  row.start_ns = relative(api.start_ns);
  row.duration_ns = static_cast<int64_t>(api.end_ns - api.start_ns);
  row.correlation_id = api.correlation;
  row.return_code = static_cast<int32_t>(api.return_value);
  m_batch->put(row);
}

}  // namespace perfscope
