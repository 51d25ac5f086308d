// Hardware counters: choice of metrics against what chips offer, the sampling interval, the way into the
// spool, who samples a GPU.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "collector/counters/counter_inbox.h"
#include "collector/counters/gpu_election.h"
#include "collector/counters/metric_choice.h"
#include "collector/counters/replay_choice.h"
#include "collector/counters/sampling_plan.h"
#include "tests/support/temp_dir.h"

namespace perfscope::collector {
namespace {

// A chip: metrics with the hardware slots each takes; a pass has so many slots.
PassCounter chip(const std::map<std::string, size_t>& offered, size_t slots) {
  return [=](const std::vector<std::string>& metrics) -> size_t {
    size_t used = 0;
    for (const auto& metric : metrics) {
      const auto found = offered.find(metric);
      if (found == offered.end()) return 0;
      used += found->second;
    }
    return (used + slots - 1) / slots;
  };
}

std::string names(const MetricChoice& choice) {
  std::string text;
  for (const auto& metric : choice.metrics)
    text += std::string(infoOf(metric.role).name) + "=" + metric.name + " ";
  return text;
}

// Blackwell consumer chips (GB202) name DRAM reads differently; both lists from CUPTI 13.0's host library.
TEST(MetricChoice, TakesTheNameThatTheChipOffers) {
  const auto gb202 = chip({{"dram__bytes_op_read.sum", 1}, {"dram__bytes_op_write.sum", 1}}, 8);
  const auto choice = chooseMetrics("dram_read_bytes,dram_write_bytes", gb202);
  EXPECT_EQ(names(choice),
            "dram_read_bytes=dram__bytes_op_read.sum dram_write_bytes=dram__bytes_op_write.sum ");
  EXPECT_TRUE(choice.left_out.empty());
}

TEST(MetricChoice, WhatNeedsASecondPassIsLeftOutAndLaterOnesStillFit) {
  const auto small = chip({{"dram__bytes_read.sum", 1},
                           {"dram__bytes_write.sum", 1},
                           {"lts__t_bytes.sum", 9},
                           {"pcie__read_bytes.sum", 1}},
                          4);
  const auto choice = chooseMetrics("", small);
  EXPECT_EQ(names(choice),
            "dram_read_bytes=dram__bytes_read.sum dram_write_bytes=dram__bytes_write.sum "
            "pcie_read_bytes=pcie__read_bytes.sum ");
  EXPECT_NE(std::find(choice.left_out.begin(), choice.left_out.end(), "l2_bytes"), choice.left_out.end());
}

TEST(MetricChoice, NamesOfCuptiAndEmptyEntries) {
  const auto any = chip({{"a.sum", 1}, {"dram__bytes_read.sum", 1}}, 8);
  const auto choice = chooseMetrics(",a.sum,,dram_read_bytes,b.sum,", any);
  EXPECT_EQ(names(choice), "=a.sum dram_read_bytes=dram__bytes_read.sum ");
  EXPECT_EQ(choice.left_out, std::vector<std::string>{"b.sum"});
}

TEST(MetricChoice, ADeadHostLibraryLeavesNothing) {
  const auto dead = [](const std::vector<std::string>&) -> size_t { return 0; };
  EXPECT_TRUE(chooseMetrics("", dead).metrics.empty());
}

// Costs as measured on an H200: 10.7 us a sample with two DRAM metrics, 63 us with nine.
TEST(SamplingPlan, RaisesToWhatKeepsUpAndNeverLowers) {
  SamplingPlan plan(0);
  EXPECT_EQ(plan.intervalNs(), 20'000U);
  EXPECT_FALSE(plan.adapt(500, 500 * 63'000, false)) << "too few to judge";
  EXPECT_TRUE(plan.adapt(600, 600 * 63'000, false));
  EXPECT_EQ(plan.intervalNs(), 100'000U);
  EXPECT_FALSE(plan.adapt(5000, 5000 * 10'700, false));
  EXPECT_EQ(plan.intervalNs(), 100'000U);
}

TEST(SamplingPlan, KeepsWhatFits) {
  SamplingPlan plan(0);
  EXPECT_FALSE(plan.adapt(2000, 2000 * 10'700, false));
  EXPECT_EQ(plan.intervalNs(), 20'000U);
  plan.beginWith(true);
  EXPECT_EQ(plan.intervalNs(), 100'000U);
}

TEST(SamplingPlan, AFixedIntervalGivesWayToOverflowOnly) {
  SamplingPlan plan(50'000);
  plan.beginWith(true);
  EXPECT_EQ(plan.intervalNs(), 50'000U);
  EXPECT_FALSE(plan.adapt(5000, 5000 * 90'000, false));
  EXPECT_TRUE(plan.adapt(5000, 5000 * 40'000, true));
  EXPECT_EQ(plan.intervalNs(), 100'000U);
}

TEST(SamplingPlan, BeyondTheLastIntervalNothingChanges) {
  SamplingPlan plan(5'000'000);
  EXPECT_FALSE(plan.adapt(5000, 5000 * uint64_t{40'000'000}, true));
  EXPECT_EQ(plan.intervalNs(), 5'000'000U);
}

TEST(CounterInbox, DefinitionsGoBeforeSamplesAndEverythingOnce) {
  std::vector<spool::Record> written;
  const RecordSink sink{&written, [](void* self, const spool::Record& record) {
                          static_cast<std::vector<spool::Record>*>(self)->push_back(record);
                        }};
  LossTally losses;
  NameTable table(sink, losses);
  CounterInbox inbox;
  std::vector<spool::CounterSample> samples(3);
  for (auto& sample : samples) sample.head = {spool::Kind::CounterSample, 0, 1};
  inbox.put(samples);
  EXPECT_TRUE(samples.empty());
  PendingSet set{};
  set.set.head.kind = spool::Kind::CounterSet;
  set.set.set_id = 1;
  set.chip = "GH100";
  set.metrics = {{CounterRole::L2Bytes, "lts__t_bytes.sum"}};
  inbox.announce(std::move(set));
  inbox.drain(sink, table);
  std::vector<spool::Kind> kinds;
  for (const auto& record : written) {
    spool::RecordHead head;
    std::memcpy(&head, &record, sizeof head);
    if (head.kind != spool::Kind::StringChunk) kinds.push_back(head.kind);
  }
  using K = spool::Kind;
  EXPECT_EQ(kinds, (std::vector<K>{K::CounterSet, K::CounterMetric, K::CounterSample, K::CounterSample,
                                   K::CounterSample}));
  written.clear();
  inbox.drain(sink, table);
  EXPECT_TRUE(written.empty());
}

TEST(MetricChoice, ReplayTakesEveryOfferedMetricHoweverManyPasses) {
  const auto gh100 = chip({{"sm__ops_path_tensor_src_bf16_dst_fp32.sum", 9},
                           {"sm__ops_path_tensor_src_fp16.sum", 9},
                           {"dram__bytes_read.sum", 1}},
                          4);
  EXPECT_EQ(
      names(chooseReplayMetrics(gh100)),
      "tensor_ops=sm__ops_path_tensor_src_bf16_dst_fp32.sum tensor_ops=sm__ops_path_tensor_src_fp16.sum "
      "dram_read_bytes=dram__bytes_read.sum ");
}

TEST(ReplayChoice, AFewLaunchesOfEachNotTheFirstEverFurtherApart) {
  ReplayChoice choice(3);
  std::vector<int> chosen;
  for (int launch = 0; launch < 200; ++launch) {
    if (!choice.due(77)) continue;
    choice.replayed(77);
    chosen.push_back(launch);
  }
  ASSERT_EQ(chosen.size(), 3U);
  EXPECT_EQ(chosen[0], 1);
  EXPECT_LE(chosen[2], 10) << "short programs must see them too";
  EXPECT_TRUE(choice.due(78) == false && choice.due(78)) << "each signature counts for itself";
}

TEST(ReplayChoice, ZeroMeansAllAndWhatFailedIsTriedAgain) {
  ReplayChoice all(0);
  EXPECT_TRUE(all.due(1) && all.due(1) && all.due(1));
  ReplayChoice one(1);
  EXPECT_FALSE(one.due(5));
  EXPECT_TRUE(one.due(5));
  EXPECT_TRUE(one.due(5)) << "not marked as replayed";
  one.replayed(5);
  EXPECT_FALSE(one.due(5));
}

// The lock is of a process, so a second one is needed to be refused.
TEST(GpuElection, OneProcessWinsAGpuAndItsEndFreesIt) {
  const test::TempDir folder;
  int to_child[2];
  int to_parent[2];
  ASSERT_EQ(::pipe(to_child), 0);
  ASSERT_EQ(::pipe(to_parent), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    GpuElection election;
    const char won = election.win(folder.path(), "0000:00:06.0") ? 1 : 0;
    char wait = 0;
    if (::write(to_parent[1], &won, 1) != 1 || ::read(to_child[0], &wait, 1) < 0) ::_exit(1);
    ::_exit(0);
  }
  char won = 0;
  ASSERT_EQ(::read(to_parent[0], &won, 1), 1);
  EXPECT_EQ(won, 1);
  GpuElection same;
  GpuElection other;
  EXPECT_FALSE(same.win(folder.path(), "0000:00:06.0"));
  EXPECT_TRUE(other.win(folder.path(), "0000:00:07.0"));
  ASSERT_EQ(::write(to_child[1], "x", 1), 1);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(same.win(folder.path(), "0000:00:06.0"));
  for (const int end : {to_child[0], to_child[1], to_parent[0], to_parent[1]}) ::close(end);
}

}  // namespace
}  // namespace perfscope::collector
