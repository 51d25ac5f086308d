// Readable lines -> rows.
#include "tests/support/trace_builder.h"

#include <stdexcept>

namespace perfscope::test {

void TraceBuilder::check(const Status& status) {
  if (!status) throw std::runtime_error(status.error().sentence());
}

TraceBuilder::TraceBuilder() : m_path(m_dir.file("test.perfscope")) {
  auto writer = TraceWriter::create(m_path, 1'700'000'000'000'000'000);
  if (!writer) throw std::runtime_error(writer.error().sentence());
  m_writer.emplace(std::move(*writer));
  HostRow host;
  host.id = 1;
  host.name = "testhost";
  row(host);
  process(1);
  device(1);
}

DeviceRow TraceBuilder::h200(int64_t id, const std::string& name) {
  DeviceRow d;
  d.id = id;
  d.host_id = 1;
  d.ordinal = id - 1;
  d.uuid = "GPU-" + std::to_string(id);
  d.name = name;
  d.cc_major = 9;
  d.cc_minor = 0;
  d.sm_count = 132;
  d.max_warps_per_sm = 64;
  d.max_blocks_per_sm = 32;
  d.shared_bytes_per_sm = 233472;
  d.registers_per_sm = 65536;
  d.warp_size = 32;
  return d;
}

TraceBuilder& TraceBuilder::device(int64_t id, const std::string& name) {
  return row(h200(id, name));
}

TraceBuilder& TraceBuilder::deviceRow(const DeviceRow& device_row) {
  return row(device_row);
}

TraceBuilder& TraceBuilder::process(int64_t id, std::optional<int64_t> rank, const std::string& state) {
  ProcessRow p;
  p.id = id;
  p.host_id = 1;
  p.pid = 999 + id;
  p.rank = rank;
  p.state = state;
  return row(p);
}

int64_t TraceBuilder::nameId(const std::string& name) {
  auto [found, fresh] = m_names.try_emplace(name, 0);
  if (fresh) {
    found->second = next("name");
    row(KernelNameRow{found->second, name, name, name});
  }
  return found->second;
}

int64_t TraceBuilder::textId(const std::string& text) {
  auto [found, fresh] = m_texts.try_emplace(text, 0);
  if (fresh) {
    found->second = next("text");
    row(StringRow{found->second, text});
  }
  return found->second;
}

int64_t TraceBuilder::apiId(const std::string& function) {
  auto [found, fresh] = m_apis.try_emplace(function, 0);
  if (fresh) {
    found->second = next("api_name");
    row(ApiNameRow{found->second, function});
  }
  return found->second;
}

int64_t TraceBuilder::shapeId(const KernelSpec& spec) {
  const std::string key = std::to_string(spec.grid) + " " + std::to_string(spec.block) + " " +
                          std::to_string(spec.registers) + " " + std::to_string(spec.shared_bytes);
  auto [found, fresh] = m_shapes.try_emplace(key, 0);
  if (fresh) {
    LaunchShapeRow s;
    s.id = found->second = next("shape");
    s.grid_x = spec.grid, s.grid_y = 1, s.grid_z = 1;
    s.block_x = spec.block, s.block_y = 1, s.block_z = 1;
    s.registers_per_thread = spec.registers;
    s.static_shared_bytes = spec.shared_bytes;
    row(s);
  }
  return found->second;
}

TraceBuilder& TraceBuilder::kernel(const KernelSpec& spec) {
  KernelRow k;
  k.id = next("kernel");
  k.process_id = spec.process;
  k.device_id = spec.device;
  k.context = 1;
  k.stream = spec.stream;
  k.name_id = nameId(spec.name);
  k.shape_id = shapeId(spec);
  k.start_ns = spec.start_ns;
  k.duration_ns = spec.duration_ns;
  k.correlation_id = spec.correlation != 0 ? spec.correlation : 1'000'000 + next("correlation");
  if (spec.launch_ns) {
    k.launch_start_ns = spec.launch_ns;
    k.launch_duration_ns = spec.launch_duration_ns;
    k.launch_thread_id = spec.thread;
  }
  k.graph_id = spec.graph_id;
  k.graph_node_id = spec.graph_node;
  return row(k);
}

TraceBuilder& TraceBuilder::copy(const CopySpec& spec) {
  MemcpyRow c;
  c.id = next("memcpy");
  c.process_id = spec.process;
  c.device_id = spec.device;
  c.context = 1;
  c.stream = spec.stream;
  c.kind = spec.kind;
  c.src_kind = spec.src_kind;
  c.dst_kind = spec.dst_kind;
  c.bytes = spec.bytes;
  c.asynchronous = spec.asynchronous ? 1 : 0;
  c.start_ns = spec.start_ns;
  c.duration_ns = spec.duration_ns;
  c.correlation_id = 1'000'000 + next("correlation");
  if (spec.launch_ns) {
    c.launch_start_ns = spec.launch_ns;
    c.launch_duration_ns = spec.launch_duration_ns;
    c.launch_thread_id = spec.thread;
  }
  return row(c);
}

TraceBuilder& TraceBuilder::fill(int64_t start_ns, int64_t duration_ns, std::optional<int64_t> launch_ns) {
  MemsetRow f;
  f.id = next("memset");
  f.process_id = 1, f.device_id = 1, f.context = 1, f.stream = 7, f.memory_kind = 3;
  f.bytes = 4;
  f.start_ns = start_ns;
  f.duration_ns = duration_ns;
  f.correlation_id = 1'000'000 + next("correlation");
  if (launch_ns) f.launch_start_ns = launch_ns, f.launch_duration_ns = 1000, f.launch_thread_id = 1;
  return row(f);
}

TraceBuilder& TraceBuilder::api(const std::string& function, int64_t start_ns, int64_t duration_ns,
                                int64_t correlation) {
  return row(ApiCallRow{next("api"), 1, 1, apiId(function), start_ns, duration_ns,
                        correlation != 0 ? correlation : 1'000'000 + next("correlation"), 0});
}

TraceBuilder& TraceBuilder::wait(int64_t type, int64_t start_ns, int64_t duration_ns, int64_t stream) {
  SynchronizationRow s;
  s.id = next("wait");
  s.process_id = 1;
  s.type = type;
  s.context = 1;
  s.stream = stream;
  s.start_ns = start_ns;
  s.duration_ns = duration_ns;
  return row(s);
}

TraceBuilder& TraceBuilder::range(const std::string& text, int64_t start_ns,
                                  std::optional<int64_t> duration_ns, int64_t process, int64_t thread) {
  NvtxRangeRow r;
  r.id = next("range");
  r.process_id = process;
  r.thread_id = thread;
  r.kind = "push_pop";
  r.text_id = textId(text);
  r.start_ns = start_ns;
  r.duration_ns = duration_ns;
  return row(r);
}

TraceBuilder& TraceBuilder::gemm(const GemmSpec& spec) {
  GemmCallRow g;
  g.id = next("gemm");
  g.process_id = spec.process;
  g.thread_id = spec.thread;
  g.api = "gemm_ex";
  g.m = spec.m, g.n = spec.n, g.k = spec.k, g.batch = spec.batch;
  g.a_type = g.b_type = g.c_type = g.d_type = spec.type;
  g.compute_type = spec.compute_type;
  g.reads_c = spec.reads_c;
  g.start_ns = spec.start_ns;
  g.duration_ns = spec.duration_ns;
  return row(g);
}

TraceBuilder& TraceBuilder::graphNode(int64_t graph_id, int64_t node_id, int64_t time_ns,
                                      std::optional<int64_t> original) {
  return row(GraphNodeRow{next("graph_node"), 1, graph_id, node_id, original, 1, time_ns});
}

TraceBuilder& TraceBuilder::overhead(int64_t kind, int64_t start_ns, int64_t duration_ns) {
  return row(OverheadRow{next("overhead"), 1, kind, {}, start_ns, duration_ns, {}});
}

TraceBuilder& TraceBuilder::memoryEvent(int64_t operation, int64_t time_ns, int64_t bytes, int64_t address) {
  MemoryEventRow m;
  m.id = next("memory");
  m.process_id = 1;
  m.device_id = 1;
  m.time_ns = time_ns;
  m.operation = operation;
  m.memory_kind = 3;
  m.bytes = bytes;
  m.address = address;
  return row(m);
}

TraceBuilder& TraceBuilder::smClock(int64_t time_ns, int64_t mhz, int64_t device) {
  MachineSampleRow s;
  s.id = next("sample");
  s.device_id = device;
  s.time_ns = time_ns;
  s.sm_clock_mhz = mhz;
  return row(s);
}

TraceBuilder& TraceBuilder::loss(const std::string& name, int64_t count) {
  return row(LossRow{1, name, count});
}

TraceBuilder& TraceBuilder::meta(const std::string& key, const std::string& value) {
  check(m_writer->setMeta(key, value));
  return *this;
}

const std::string& TraceBuilder::write() {
  check(m_writer->close());
  m_writer.reset();
  return m_path;
}

const std::string& TraceBuilder::writeUnclosed() {
  m_writer.reset();
  return m_path;
}

}  // namespace perfscope::test
