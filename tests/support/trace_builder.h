// A small profile from a few readable lines, written through TraceWriter like a real one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "schemas/tables.h"
#include "schemas/trace_writer.h"
#include "tests/support/temp_dir.h"

namespace perfscope::test {

// Times are ns since the profile's time base. launch_ns empty = the launch call was not seen.
struct KernelSpec {
  std::string name = "kernel";
  int64_t start_ns = 0, duration_ns = 0;
  std::optional<int64_t> launch_ns = std::nullopt;
  int64_t launch_duration_ns = 1000;
  int64_t device = 1, process = 1, stream = 7, thread = 1;
  int64_t correlation = 0;  // 0 = a fresh one
  std::optional<int64_t> graph_id = std::nullopt, graph_node = std::nullopt;
  int64_t grid = 1, block = 128, registers = 32, shared_bytes = 0;
};

struct CopySpec {
  int64_t start_ns = 0, duration_ns = 0, bytes = 0;
  int64_t kind = 1;                    // 1 HtoD, 2 DtoH, 8 DtoD
  int64_t src_kind = 2, dst_kind = 3;  // pinned -> device
  bool asynchronous = true;
  std::optional<int64_t> launch_ns = std::nullopt;
  int64_t launch_duration_ns = 1000;
  int64_t device = 1, process = 1, stream = 7, thread = 1;
};

struct GemmSpec {
  int64_t start_ns = 0, duration_ns = 0;
  int64_t m = 0, n = 0, k = 0, batch = 1;
  int64_t type = 14;          // cudaDataType of all operands: 14 bf16, 2 fp16, 0 fp32
  int64_t compute_type = 68;  // cublasComputeType_t: 68 = 32F
  std::optional<int64_t> reads_c = 0;
  int64_t process = 1, thread = 1;
};

// Every error of the writer ends the test program with its sentence (std::runtime_error). One host, one
// process (id 1, pid 1000) and one device (id 1, an H200) are there from the start.
class TraceBuilder {
 public:
  TraceBuilder();

  // Adds a device of that id (1 exists). Attributes as an H200 unless changed in the row.
  TraceBuilder& device(int64_t id, const std::string& name = "NVIDIA H200");
  TraceBuilder& deviceRow(const DeviceRow& row);  // replaces one of the same id
  TraceBuilder& process(int64_t id, std::optional<int64_t> rank = {}, const std::string& state = "closed");
  TraceBuilder& kernel(const KernelSpec& spec);
  TraceBuilder& copy(const CopySpec& spec);
  TraceBuilder& fill(int64_t start_ns, int64_t duration_ns, std::optional<int64_t> launch_ns = {});
  TraceBuilder& api(const std::string& function, int64_t start_ns, int64_t duration_ns,
                    int64_t correlation = 0);
  TraceBuilder& wait(int64_t type, int64_t start_ns, int64_t duration_ns, int64_t stream = 7);
  TraceBuilder& range(const std::string& text, int64_t start_ns, std::optional<int64_t> duration_ns,
                      int64_t process = 1, int64_t thread = 1);
  TraceBuilder& gemm(const GemmSpec& spec);
  TraceBuilder& graphNode(int64_t graph_id, int64_t node_id, int64_t time_ns,
                          std::optional<int64_t> original = {});
  TraceBuilder& overhead(int64_t kind, int64_t start_ns, int64_t duration_ns);
  TraceBuilder& memoryEvent(int64_t operation, int64_t time_ns, int64_t bytes, int64_t address);
  TraceBuilder& smClock(int64_t time_ns, int64_t mhz, int64_t device = 1);
  TraceBuilder& loss(const std::string& name, int64_t count);
  TraceBuilder& meta(const std::string& key, const std::string& value);
  template <class Row>
  TraceBuilder& row(const Row& any) {
    check(m_writer->write(any));
    return *this;
  }

  // One transaction around very many rows.
  void begin() { check(m_writer->begin()); }
  void commit() { check(m_writer->commit()); }

  // Closes the profile and returns its path, which lives as long as the builder. unclosed(): without closing.
  const std::string& write();
  const std::string& writeUnclosed();
  static DeviceRow h200(int64_t id, const std::string& name = "NVIDIA H200");

 private:
  static void check(const Status& status);
  int64_t nameId(const std::string& name);
  int64_t textId(const std::string& text);
  int64_t apiId(const std::string& function);
  int64_t shapeId(const KernelSpec& spec);
  int64_t next(const std::string& table) { return ++m_next[table]; }

  TempDir m_dir;
  std::string m_path;
  std::optional<TraceWriter> m_writer;
  std::map<std::string, int64_t> m_next, m_names, m_texts, m_apis, m_shapes;
};

}  // namespace perfscope::test
