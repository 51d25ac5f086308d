// The recorder's working parts, shared by its rooms: rounds (recorder_rounds.cpp), checkpoints and their
// reading back (recorder_resume.cpp), beginning and end (recorder.cpp). Owner: the recorder's thread.
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "injector/recorder/checkpoint.h"
#include "injector/recorder/device_registry.h"
#include "injector/recorder/nvml_sampler.h"
#include "injector/recorder/process_registry.h"
#include "injector/recorder/record_mapper.h"
#include "injector/recorder/recorder.h"
#include "injector/recorder/row_batch.h"
#include "injector/recorder/spool_reader.h"

namespace perfscope {

struct Recorder::Impl {
  using Clock = std::chrono::steady_clock;

  struct Process {
    ProcessSpool* spool = nullptr;
    RegisteredProcess* registered = nullptr;
    std::unique_ptr<MappedProcess> mapped;
    size_t refusals_told = 0;
    uint64_t torn_told = 0;
    uint64_t unmatched_before = 0;           // counted before the recorder that we continue was killed
    std::vector<spool::Record> definitions;  // since the last commit; for the definitions file
    bool ended = false;
  };

  Impl(const RecorderOptions& given, TraceWriter writer)
      : options(given),
        batch(std::move(writer)),
        devices(batch),
        registry(batch, given.time_base_ns, given.store_arguments),
        mapper(batch, devices, given.time_base_ns),
        reader(given.session_dir) {}

  // --- recorder.cpp
  void begin();
  void setExitStatus(const EndOfTarget& target);
  void updateTotals();
  void endSurvivors();
  void ledger(Severity severity, const std::string& name, const std::string& text, const std::string& detail);

  // --- recorder_rounds.cpp
  bool round(bool final);  // true = there is more to read right now
  void endThoseGone(bool now);
  [[nodiscard]] bool allEnded() const;
  Status commitIfDue(bool now);

  // --- recorder_resume.cpp
  Status resume();
  Status checkpoint();

  // --- parts of a round
  void adopt();
  bool readProcess(Process& process, bool final);
  bool readToEnd(Process& process);
  bool registerProcess(Process& process, bool final);
  void tellRefusals(Process& process);
  void endProcess(Process& process, const std::string& state);
  void cutWindows(Process& process);
  [[nodiscard]] bool wasReplaced(const Process& process) const;
  static void refreshLosses(Process& process);
  void watchWithNvml();
  void nvmlUnavailable(const std::string& why);
  void nvmlRows();
  void awaitFirstSample();
  void takeUp(Process& process, const ProcessCheckpoint& from,
              const std::unordered_map<uint32_t, int64_t>& threads);

  RecorderOptions options;
  RowBatch batch;
  DeviceRegistry devices;
  ProcessRegistry registry;
  RecordMapper mapper;
  SpoolReader reader;
  std::unique_ptr<NvmlSampler> nvml;
  bool nvml_tried = false;
  std::vector<NvmlSample> early_samples;  // of GPUs that may turn out to be ours
  std::vector<Process> processes;
  std::vector<std::string> warnings;
  std::set<std::string> warned;
  RecorderTotals totals;
  Clock::time_point last_commit = Clock::now();
  Clock::time_point last_alive = Clock::now();
  uint64_t rows_committed = 0;
  int64_t records_committed = 0;
  uint64_t checkpoint_number = 0;
};

}  // namespace perfscope
