// From the sampling thread to the drain thread: definitions and samples, under one lock. Application threads
// take it only where a launch of theirs was replayed, which has made them wait far longer.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "collector/counters/metric_choice.h"
#include "collector/spool/name_table.h"
#include "collector/spool/record_sink.h"
#include "schemas/spool_format.h"

namespace perfscope::collector {

struct PendingSet {
  spool::CounterSet set;  // but for its name id
  std::string chip;
  std::vector<ChosenMetric> metrics;
};

struct PendingReplay {
  spool::Replay replay{};
  const std::vector<ChosenMetric>* metrics = nullptr;  // never changes once a replay was made
  std::vector<double> values;
};

class CounterInbox {
 public:
  // A batch of sample records, all of sets that were announced. Sampling thread.
  void put(std::vector<spool::CounterSample>& records) {
    const std::lock_guard<std::mutex> guard(m_lock);
    m_samples.insert(m_samples.end(), records.begin(), records.end());
    records.clear();
  }
  // On the thread whose launch was replayed.
  void put(PendingReplay replay) {
    const std::lock_guard<std::mutex> guard(m_lock);
    m_replays.push_back(std::move(replay));
  }
  void announce(PendingSet set) {
    const std::lock_guard<std::mutex> guard(m_lock);
    m_sets.push_back(std::move(set));
  }
  // Everything so far into the spool: texts, sets, metrics, then samples. Drain thread.
  void drain(RecordSink sink, NameTable& names);

 private:
  std::mutex m_lock;
  std::vector<PendingSet> m_sets;
  std::vector<PendingReplay> m_replays;
  std::vector<spool::CounterSample> m_samples;
  std::vector<spool::CounterSample> m_taken;  // keeps its memory between rounds
};

}  // namespace perfscope::collector
