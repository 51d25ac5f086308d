// The recorder: turns the spools of a session into the profile while the target runs, and for `recover`
// afterwards. Owner: one thread. A failing database stops the recording, never the target.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "injector/launch_plan.h"
#include "schemas/result.h"

namespace perfscope {

struct RecorderOptions {
  std::string output;       // must not exist, unless `resume`
  std::string session_dir;  // where process folders appear
  int64_t time_base_ns = 0;
  bool store_arguments = true;
  bool live = true;     // false: recover, nobody writes any more
  bool resume = false;  // go on with the unclosed profile `output` from its checkpoint in session_dir
  bool windows_configured = false;  // --delay, --duration, --steps or --capture
  double nvml_hz = 0;
  int commit_every_ms = 1000;
  std::map<std::string, std::string> meta;
  std::vector<PlanNote> notes;  // ledger lines of the whole run
};

struct RecorderTotals {
  int64_t spool_records = 0;
  int64_t gpu_records = 0;
  int processes = 0;
  int64_t losses = 0;     // of grade data_loss or error
  int64_t no_room = 0;    // of these: records that found no room in the spool (disk full)
  int64_t committed = 0;  // of gpu_records: those that a reader of the profile finds even now
  int outlived = 0;       // processes that still ran when the recording ended
};

struct EndOfTarget {
  uint32_t pid = 0;
  int status = 0;  // exit code or 128 + signal
  int64_t wall_ns = 0;
};

class Recorder {
 public:
  static Result<std::unique_ptr<Recorder>> create(const RecorderOptions& options);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // One round over all processes; true = there is more to read right now. An error is final: do not call
  // again.
  Result<bool> poll();
  // After an error: tells all processes to record no more. To be repeated while the target runs: new ones may
  // begin.
  void stopCollectors();
  // Reads what is left, waits a moment for processes that are just ending, says how each ended, completes the
  // file.
  Status finish(const std::optional<EndOfTarget>& target);

  [[nodiscard]] const RecorderTotals& totals() const;
  // Sentences for the user: refused spool files, processes that outlived the target ...
  [[nodiscard]] const std::vector<std::string>& warnings() const;
  // Ledger lines of grade error that processes wrote (slot taken, CUPTI missing ...), each once.
  [[nodiscard]] const std::vector<std::string>& collectorErrors() const;

 private:
  struct Impl;
  explicit Recorder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> m_impl;
};

}  // namespace perfscope
