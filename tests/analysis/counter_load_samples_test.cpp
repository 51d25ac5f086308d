// Samples of a profile in memory: order, the first sample, impossible values, damaged blocks.
#include "analysis/counters/load_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "schemas/sample_block.h"
#include "schemas/tables_counters.h"
#include "tests/support/trace_builder.h"

namespace perfscope {
namespace {

using test::TraceBuilder;
using testing::ElementsAre;
using testing::HasSubstr;

class CounterLoadSamples : public testing::Test {
 protected:
  void set(int64_t id, int64_t device = 1) {
    CounterSetRow row;
    row.id = id, row.process_id = 1, row.device_id = device, row.chip = "GH100", row.interval_ns = 10;
    m_trace.row(row);
    m_trace.row(CounterMetricRow{id * 10, id, 0, "dram_read_bytes", "dram__bytes_read.sum"});
    m_trace.row(CounterMetricRow{id * 10 + 1, id, 1, "", "something.else"});
  }
  // Samples of 10 ns from `start`; the second metric is 1 everywhere. Times inside count from 5000 later.
  CounterBlockRow block(int64_t set, int64_t start, const std::vector<double>& reads) {
    SampleBlock samples;
    for (size_t i = 0; i < reads.size(); ++i) {
      samples.start_ns.push_back(5000 + start + static_cast<int64_t>(i) * 10);
      samples.duration_ns.push_back(10);
    }
    samples.values = {reads, std::vector<double>(reads.size(), 1.0)};
    CounterBlockRow row;
    row.id = ++m_blocks;
    row.set_id = set, row.start_ns = start, row.end_ns = start + 10 * static_cast<int64_t>(reads.size());
    row.sample_count = static_cast<int64_t>(reads.size());
    row.data.bytes = packSamples(samples);
    return row;
  }
  LoadedSamples load(const RoleLimit& limit = {}) {
    auto reader = TraceReader::open(m_trace.write());
    if (!reader) throw std::runtime_error(reader.error().sentence());
    auto loaded = loadSamples(*reader, limit);
    if (!loaded) throw std::runtime_error(loaded.error().sentence());
    return std::move(*loaded);
  }
  TraceBuilder m_trace;
  int64_t m_blocks = 0;
};

TEST_F(CounterLoadSamples, JoinsBlocksInOrderOfTimeWithoutTheFirstSample) {
  set(1);
  m_trace.row(block(1, 130, {4, 5}));
  m_trace.row(block(1, 100, {1e9, 2, 3}));
  const LoadedSamples loaded = load();
  ASSERT_EQ(loaded.by_device.at(1).size(), 1U);
  const SampleSet& samples = loaded.by_device.at(1)[0];
  EXPECT_THAT(samples.start_ns, ElementsAre(110, 120, 130, 140));
  EXPECT_THAT(samples.duration_ns, ElementsAre(10, 10, 10, 10));
  EXPECT_THAT(samples.find(CounterRole::DramReadBytes)->values, ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(samples.find(CounterRole::L2Bytes), nullptr);
  EXPECT_EQ(samples.interval_ns, 10);
  EXPECT_EQ(samples.chip, "GH100");
  EXPECT_TRUE(loaded.problems.empty());
}

TEST_F(CounterLoadSamples, ImpossibleValuesAreMarkedAndCounted) {
  set(1);
  const double nan = std::nan(""), infinite = INFINITY;
  m_trace.row(block(1, 0, {0, 0, nan, 7, infinite, -3, 8, 1e15, 9}));
  const LoadedSamples loaded = load();
  const SampleMetric& reads = *loaded.by_device.at(1)[0].find(CounterRole::DramReadBytes);
  EXPECT_EQ(reads.dropped, 4) << "NaN, infinite, negative, a million times the median";
  double sum = 0;
  for (const float v : reads.values) sum += std::isnan(v) ? 0 : static_cast<double>(v);
  EXPECT_EQ(sum, 7 + 8 + 9);
  EXPECT_EQ(loaded.by_device.at(1)[0].metrics[1].dropped, 0) << "each metric on its own";
}

TEST_F(CounterLoadSamples, MoreThanTheDataSheetAllowsTwentyTimesIsImpossible) {
  set(1);
  m_trace.row(block(1, 0, {1, 100, 190, 210}));
  const LoadedSamples loaded = load([](int64_t, CounterRole role) {
    return role == CounterRole::DramReadBytes ? std::optional<double>(1.0) : std::nullopt;  // byte per ns
  });
  const SampleMetric& reads = *loaded.by_device.at(1)[0].find(CounterRole::DramReadBytes);
  EXPECT_EQ(reads.dropped, 1);
  EXPECT_TRUE(std::isnan(reads.values[2])) << "210 bytes in 10 ns";
  EXPECT_EQ(reads.values[1], 190);
}

TEST_F(CounterLoadSamples, DamagedBlocksAreProblemsAndTheRestGoesOn) {
  set(1);
  m_trace.row(block(1, 0, {1, 2}));
  CounterBlockRow cut = block(1, 20, {3, 4});
  cut.data.bytes.resize(cut.data.bytes.size() - 1);
  m_trace.row(cut);
  m_trace.row(block(9, 20, {3, 4}));  // no such set
  m_trace.row(block(1, 40, {5}));
  const LoadedSamples loaded = load();
  EXPECT_THAT(loaded.by_device.at(1)[0].start_ns, ElementsAre(10, 40));
  ASSERT_EQ(loaded.problems.size(), 2U);
  EXPECT_THAT(loaded.problems[0], HasSubstr("counter_block 2"));
  EXPECT_THAT(loaded.problems[1], HasSubstr("counter_set is missing"));
}

TEST_F(CounterLoadSamples, BlocksOfAnotherWidthAreRefused) {
  set(1);
  m_trace.row(CounterMetricRow{99, 1, 2, "l2_bytes", "lts__t_bytes.sum"});
  m_trace.row(block(1, 0, {1, 2}));
  const LoadedSamples loaded = load();
  EXPECT_TRUE(loaded.by_device.empty());
  ASSERT_EQ(loaded.problems.size(), 1U);
  EXPECT_THAT(loaded.problems[0], HasSubstr("2 metrics where its set has 3"));
}

TEST_F(CounterLoadSamples, EveryDeviceHasItsOwnSetsInOrder) {
  m_trace.device(2);
  set(1, 2), set(2, 1), set(3, 2);
  m_trace.row(block(1, 900, {1, 2}));
  m_trace.row(block(2, 0, {1, 3}));
  m_trace.row(block(3, 100, {1, 4}));
  const LoadedSamples loaded = load();
  EXPECT_EQ(loaded.by_device.at(1).size(), 1U);
  ASSERT_EQ(loaded.by_device.at(2).size(), 2U);
  EXPECT_THAT(loaded.by_device.at(2)[0].start_ns, ElementsAre(110));
  EXPECT_THAT(loaded.by_device.at(2)[1].start_ns, ElementsAre(910));
}

TEST_F(CounterLoadSamples, AProfileWithoutCountersHasNone) {
  const LoadedSamples loaded = load();
  EXPECT_TRUE(loaded.by_device.empty());
  EXPECT_TRUE(loaded.problems.empty());
}

}  // namespace
}  // namespace perfscope
