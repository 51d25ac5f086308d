// Definitions go before the samples that need them.
#include "collector/counters/counter_inbox.h"

namespace perfscope::collector {

void CounterInbox::drain(RecordSink sink, NameTable& names) {
  std::vector<PendingSet> sets;
  std::vector<PendingReplay> replays;
  m_taken.clear();
  {
    const std::lock_guard<std::mutex> guard(m_lock);
    sets.swap(m_sets);
    replays.swap(m_replays);
    m_taken.swap(m_samples);
  }
  for (PendingSet& pending : sets) {
    pending.set.chip_name_id = names.intern(pending.chip);
    sink.put(pending.set);
    uint16_t position = 0;
    for (const ChosenMetric& metric : pending.metrics) {
      spool::CounterMetric record{};
      record.head.kind = spool::Kind::CounterMetric;
      record.set_id = pending.set.set_id;
      record.metric_name_id = names.intern(metric.name);
      record.position = position++;
      record.role = static_cast<uint16_t>(metric.role);
      sink.put(record);
    }
  }
  for (const auto& sample : m_taken) sink.put(sample);
  for (const PendingReplay& pending : replays) {
    sink.put(pending.replay);
    for (size_t i = 0; i < pending.values.size(); ++i) {
      const ChosenMetric& metric = (*pending.metrics)[i];
      spool::ReplayValue record{};
      record.head.kind = spool::Kind::ReplayValue;
      record.replay_id = pending.replay.replay_id;
      record.metric_name_id = names.intern(metric.name);
      record.role = static_cast<uint16_t>(metric.role);
      record.value = pending.values[i];
      sink.put(record);
    }
  }
}

}  // namespace perfscope::collector
