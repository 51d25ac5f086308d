// Spool records -> rows of the database, with process and device: the only switch over spool kinds and the
// only room that knows both layouts.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "injector/recorder/counter_blocks.h"
#include "injector/recorder/deferred_records.h"
#include "injector/recorder/device_registry.h"
#include "injector/recorder/launch_joiner.h"
#include "injector/recorder/open_ranges.h"
#include "injector/recorder/process_registry.h"
#include "injector/recorder/row_batch.h"
#include "injector/recorder/string_resolver.h"
#include "schemas/spool_format.h"
#include "schemas/trace_reader.h"

namespace perfscope {

// What the mapper keeps of one process between records. Made by RecordMapper::addProcess; stays where it is.
struct MappedProcess {
  MappedProcess(RegisteredProcess& row, TextPool& pool) : registered(&row), strings(pool) {}
  RegisteredProcess* registered;
  StringResolver strings;
  std::unordered_map<uint32_t, int64_t> shapes;   // shape id -> launch_shape
  std::unordered_map<uint32_t, int64_t> threads;  // system thread id -> thread
  std::unordered_map<uint32_t, int64_t> devices;  // ordinal -> device
  DeferredRecords deferred;
  OpenRanges open_ranges;
  std::unique_ptr<LaunchJoiner> joiner;
  std::unique_ptr<CounterBlocks> counters;
  std::unordered_map<uint32_t, ReplayRow> replays;       // by correlation, until the kernel's record comes
  std::unordered_map<uint32_t, spool::Kernel> timeless;  // and kernels without times that wait for theirs
  bool do_without = false;  // what is missing now will not come: unnamed rows fill in
  uint32_t last_tid = 0;    // cache of `threads`: records come in runs of one thread
  int64_t last_thread = 0;
};

class RecordMapper {
 public:
  // Times become relative to `time_base_ns` (Unix ns). The references must outlive the mapper.
  RecordMapper(RowBatch& batch, DeviceRegistry& devices, int64_t time_base_ns);

  std::unique_ptr<MappedProcess> addProcess(RegisteredProcess& process);
  void map(MappedProcess& process, const spool::Record& record);
  // For a profile that is gone on with: what its tables hold already.
  Status load(const TraceReader& profile);
  // Records of the process that were taken but are in no row yet.
  static std::vector<spool::Record> waiting(const MappedProcess& process);
  // No more records of this process: partners are no longer waited for, what is missing gets an unnamed row.
  void finish(MappedProcess& process);
  [[nodiscard]] int64_t gpuRecords() const { return m_gpu_records; }
  void forgetGpuRecords(int64_t count) { m_gpu_records -= count; }  // rows that were taken out again
  // Sentences of grade error that collectors noted (slot taken, CUPTI missing ...), each once.
  [[nodiscard]] const std::vector<std::string>& collectorErrors() const { return m_collector_errors; }

 private:
  void counterSet(MappedProcess& process, const spool::Record& record);
  void counterMetric(MappedProcess& process, const spool::Record& record);
  void replay(MappedProcess& process, const spool::Replay& record);
  void replayedKernel(MappedProcess& process, const spool::Kernel& kernel);
  void replayValue(MappedProcess& process, const spool::Record& record);
  JoinSink sinkFor(MappedProcess& process);
  void torn(MappedProcess& process);
  void replay(MappedProcess& process, Missing what, uint32_t id);
  bool lacks(MappedProcess& process, Missing what, uint32_t id, const spool::Record& record);
  bool lacksText(MappedProcess& process, uint32_t id, const spool::Record& record);
  bool lacksGpuParts(MappedProcess& process, const spool::Record& record);
  bool implausible(MappedProcess& process, uint64_t start_ns, uint64_t end_ns);

  void stringChunk(MappedProcess& process, const spool::Record& record);
  void launchShape(MappedProcess& process, const spool::LaunchShape& shape);
  void deviceIdentity(MappedProcess& process, const spool::Record& record);
  void deviceLimits(MappedProcess& process, const spool::Record& record);
  void gpu(MappedProcess& process, const spool::Record& record);
  void api(MappedProcess& process, const spool::Api& api);
  void graphLaunch(MappedProcess& process, const spool::Record& record);
  void synchronization(MappedProcess& process, const spool::Synchronization& record);
  void memory(MappedProcess& process, const spool::Record& record);
  void overhead(MappedProcess& process, const spool::Overhead& record);
  void module(MappedProcess& process, const spool::Module& record);
  void jit(MappedProcess& process, const spool::Jit& record);
  void context(MappedProcess& process, const spool::Record& record);
  void stream(MappedProcess& process, const spool::Stream& record);
  void graphNode(MappedProcess& process, const spool::GraphNode& record);
  void nvtx(MappedProcess& process, const spool::Record& record, bool mark);
  void writeNvtx(MappedProcess& process, const spool::NvtxRange& record, bool mark);
  void gemm(MappedProcess& process, const spool::Gemm& record);
  void nccl(MappedProcess& process, const spool::Nccl& record);
  void clockSync(MappedProcess& process, const spool::ClockSync& record);
  void note(MappedProcess& process, const spool::Record& record);
  void window(MappedProcess& process, const spool::Window& record);
  void threadName(MappedProcess& process, const spool::Record& record);

  int64_t writeGpu(MappedProcess& process, const spool::Record& record, const std::optional<Launch>& launch);
  int64_t writeKernel(MappedProcess& process, const spool::Kernel& kernel,
                      const std::optional<Launch>& launch);
  int64_t writeMemcpy(MappedProcess& process, const spool::Memcpy& copy, const std::optional<Launch>& launch);
  int64_t writeMemset(MappedProcess& process, const spool::Memset& fill, const std::optional<Launch>& launch);
  void writeApi(MappedProcess& process, int64_t row, const spool::Api& api);

  int64_t kernelNameId(MappedProcess& process, uint32_t string_id);
  int64_t stringId(MappedProcess& process, uint32_t string_id);
  PooledText& textOf(MappedProcess& process, uint32_t string_id);
  int64_t shapeId(MappedProcess& process, uint32_t shape_id);
  int64_t threadId(MappedProcess& process, uint32_t tid);
  int64_t deviceId(MappedProcess& process, uint32_t ordinal);
  [[nodiscard]] int64_t relative(uint64_t time_ns) const;
  template <class Row>
  void setLaunch(MappedProcess& process, Row& row, const std::optional<Launch>& launch);

  RowBatch* m_batch;
  DeviceRegistry* m_devices;
  int64_t m_time_base_ns;
  TextPool m_texts;
  std::unordered_map<std::string, int64_t> m_shapes;  // key of a shape -> row
  std::unordered_set<int64_t> m_api_names;            // ids written to api_name
  int64_t m_gpu_records = 0;
  std::vector<std::string> m_collector_errors;
};

}  // namespace perfscope
