// Counter samples of one process: spool records -> packed blocks of the database.
//
// Row ids are made of the process's row and the ids that the collector gave, so that a profile that is gone
// on with after a killed recorder writes the same rows again instead of others.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "injector/recorder/row_batch.h"
#include "schemas/sample_block.h"
#include "schemas/spool_format.h"

namespace perfscope {

// Owner: the recorder's thread.
class CounterBlocks {
 public:
  CounterBlocks(RowBatch& batch, int64_t process_id, int64_t time_base_ns)
      : m_batch(&batch), m_process_id(process_id), m_time_base_ns(time_base_ns) {}

  // From here samples of the set are understood; may be told again.
  void define(const spool::CounterSet& set);
  void addSet(const spool::CounterSet& set, int64_t device_id, const std::string& chip);
  void addMetric(const spool::CounterMetric& metric, const std::string& name);
  // False: the record fits no set or sample (torn).
  bool addSample(const spool::CounterSample& record);
  // Complete samples become rows: before each commit, so that a commit holds everything read before it.
  void flush();
  // What a resumed recorder must see again, besides the definitions: records of samples that are not
  // complete.
  void collectWaiting(std::vector<spool::Record>& records) const;

 private:
  struct Set {
    size_t metrics = 0;
    std::vector<spool::CounterSample> partial;
    size_t partial_values = 0;
    SampleBlock block;
  };
  [[nodiscard]] int64_t rowOf(uint32_t set_id) const { return m_process_id * 65536 + set_id; }
  void flush(uint32_t set_id, Set& set);
  void complete(uint32_t set_id, Set& set);

  RowBatch* m_batch;
  int64_t m_process_id;
  int64_t m_time_base_ns;
  std::map<uint32_t, Set> m_sets;
};

}  // namespace perfscope
