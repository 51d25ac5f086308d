// Folds each launch call into the kernel, copy or fill it launched: CUPTI gives both the same correlation id
// but delivers them out of order, seconds apart at worst. Bounded: memory does not grow with the run.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "schemas/spool_format.h"

namespace perfscope {

// The call that launched one GPU record.
struct Launch {
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  uint32_t thread = 0;  // system thread id
};

// Where the joiner's results go. Row ids are the sink's; the joiner only gives them back.
struct JoinSink {
  std::function<int64_t(const spool::Record&, const std::optional<Launch>&)> write_gpu;
  std::function<int64_t(const spool::Api&)> write_api;
  // A row written before turns out to have another launch call, or none of its own.
  std::function<void(spool::Kind, int64_t row, const std::optional<Launch>&)> patch_gpu;
  std::function<void(int64_t row, const spool::Api&)> replace_api;
  std::function<void(int64_t row)> remove_api;
};

// Kernel, Memcpy or Memset record's correlation id.
uint32_t correlationOf(const spool::Record& gpu);

// The launches of one process. Used by one thread.
// Rules: one call, one GPU record: folded, the call gets no row. One call, several records: the call keeps
// its row and none of the records carries it. Of a driver call nested in a runtime call with the same
// correlation the outer one counts. What finds no partner within the window is written plainly.
class LaunchJoiner {
 public:
  struct Limits {
    size_t waiting_records = size_t{1} << 19;  // about 60 MB
    uint64_t window_records = 2'000'000;       // records of this process that may come in between
    uint32_t window_ticks = 200;               // calls of tick(): 10 s at 20 polls a second
  };
  LaunchJoiner(JoinSink sink, Limits limits);
  explicit LaunchJoiner(JoinSink sink) : LaunchJoiner(std::move(sink), Limits{}) {}

  // `may_launch`: false for calls that never launch exactly one record (synchronise, graph launch ...); they
  // are written at once.
  void onApi(const spool::Api& api, bool may_launch);
  // A kernel, copy or fill that is not part of a graph launch.
  void onGpu(const spool::Record& gpu);
  void tick();
  void flush();  // no more records will come

  [[nodiscard]] uint64_t unmatchedKernels() const { return m_unmatched_kernels; }
  [[nodiscard]] size_t waiting() const { return m_waiting_records; }
  // Copies of all records that wait, oldest first.
  void collectWaiting(std::vector<spool::Record>& records) const;

 private:
  struct Waiting {
    spool::Record first{};
    std::unique_ptr<std::vector<spool::Record>> more;  // further GPU records of the same call
    uint64_t serial = 0;
    bool is_api = false;
  };
  struct Queued {
    uint64_t serial = 0;
    uint32_t correlation = 0;
    uint32_t tick = 0;
  };
  // What became of a call lately: a direct-mapped table over the last correlation ids.
  struct Settled {
    spool::Api api{};
    int64_t row = 0;  // of the GPU record when folded, else of the call
    spool::Kind kind = spool::Kind::Invalid;
    bool used = false, folded = false, foldable = false;
  };
  Settled& slot(uint32_t correlation);
  Settled* settled(uint32_t correlation);
  void settlePlain(const spool::Api& api, bool foldable);
  void settleFolded(const spool::Api& api, const spool::Record& gpu);
  bool meetSettled(const spool::Api& api);
  void meetWaiting(Waiting& waiting, const spool::Api& api);
  void dropOrWriteWaiting(Waiting& waiting, const spool::Api& api);
  void writeUnmatched(const spool::Record& gpu);
  void wait(uint32_t correlation, const spool::Record& record, bool is_api);
  void release(uint32_t correlation, Waiting& waiting);
  void erase(uint32_t correlation);
  void expire();

  JoinSink m_sink;
  Limits m_limits;
  std::unordered_map<uint32_t, Waiting> m_waiting;
  std::deque<Queued> m_queue;  // oldest first; entries that found their partner are skipped
  std::vector<Settled> m_settled;
  size_t m_waiting_records = 0;
  uint64_t m_serial = 0;
  uint32_t m_tick = 0;
  uint64_t m_unmatched_kernels = 0;
};

}  // namespace perfscope
