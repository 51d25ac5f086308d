// The join of launch calls and what they launched, in every order they may come.
#include "injector/recorder/launch_joiner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "injector/recorder/spool_bytes.h"
#include "tests/support/spool_builder.h"

namespace perfscope {
namespace {

using test::blank;

spool::Api call(uint32_t correlation, uint64_t start = 100, uint64_t end = 200, bool driver = false) {
  auto api = blank<spool::Api>(spool::Kind::Api, 7, driver ? spool::kFlagDriverApi : 0);
  api.correlation = correlation;
  api.start_ns = start;
  api.end_ns = end;
  return api;
}

spool::Record gpu(uint32_t correlation, spool::Kind kind = spool::Kind::Kernel) {
  spool::Record record{};
  if (kind == spool::Kind::Kernel) {
    auto kernel = blank<spool::Kernel>(kind);
    kernel.correlation = correlation;
    std::memcpy(record.bytes, &kernel, sizeof kernel);
  } else {
    auto copy = blank<spool::Memcpy>(kind);
    copy.correlation = correlation;
    std::memcpy(record.bytes, &copy, sizeof copy);
  }
  return record;
}

// Keeps what a database would hold in the end.
struct Tables {
  struct Row {
    uint32_t correlation = 0;
    std::optional<Launch> launch;
  };
  std::map<int64_t, Row> gpu_rows;
  std::map<int64_t, spool::Api> api_rows;
  int64_t next = 1;

  JoinSink sink() {
    JoinSink s;
    s.write_gpu = [this](const spool::Record& record, const std::optional<Launch>& launch) {
      gpu_rows[next] = {correlationOf(record), launch};
      return next++;
    };
    s.write_api = [this](const spool::Api& api) {
      api_rows[next] = api;
      return next++;
    };
    s.patch_gpu = [this](spool::Kind, int64_t row, const std::optional<Launch>& launch) {
      gpu_rows.at(row).launch = launch;
    };
    s.replace_api = [this](int64_t row, const spool::Api& api) { api_rows.at(row) = api; };
    s.remove_api = [this](int64_t row) { api_rows.erase(row); };
    return s;
  }
  [[nodiscard]] size_t folded() const {
    return static_cast<size_t>(std::count_if(gpu_rows.begin(), gpu_rows.end(),
                                             [](const auto& r) { return r.second.launch.has_value(); }));
  }
};

struct Joined : testing::Test {
  Tables tables;
  LaunchJoiner joiner{tables.sink()};
};

TEST_F(Joined, CallFirst) {
  joiner.onApi(call(1), true);
  EXPECT_TRUE(tables.gpu_rows.empty());
  joiner.onGpu(gpu(1));
  ASSERT_EQ(tables.folded(), 1u);
  EXPECT_EQ(tables.gpu_rows.begin()->second.launch->thread, 7u);
  EXPECT_TRUE(tables.api_rows.empty());
  EXPECT_EQ(joiner.waiting(), 0u);
}

TEST_F(Joined, KernelFirst) {
  joiner.onGpu(gpu(1, spool::Kind::Memcpy));
  joiner.onApi(call(1), true);
  EXPECT_EQ(tables.folded(), 1u);
  EXPECT_TRUE(tables.api_rows.empty());
}

TEST_F(Joined, UnmatchedAreWrittenPlainlyAndCounted) {
  joiner.onGpu(gpu(1));
  joiner.onGpu(gpu(2, spool::Kind::Memcpy));
  joiner.onApi(call(3), true);
  joiner.flush();
  EXPECT_EQ(tables.gpu_rows.size(), 2u);
  EXPECT_EQ(tables.folded(), 0u);
  EXPECT_EQ(tables.api_rows.size(), 1u);
  EXPECT_EQ(joiner.unmatchedKernels(), 1u);  // kernels only
}

TEST_F(Joined, CorrelationZeroNeverJoins) {
  joiner.onGpu(gpu(0));
  joiner.onApi(call(0), true);
  joiner.onGpu(gpu(0));
  joiner.flush();
  EXPECT_EQ(tables.folded(), 0u);
  EXPECT_EQ(tables.gpu_rows.size(), 2u);
  EXPECT_EQ(tables.api_rows.size(), 1u);
}

TEST_F(Joined, AFailedCallLaunchedNothing) {
  auto failed = call(1);
  failed.return_value = 2;
  joiner.onApi(failed, true);
  EXPECT_EQ(tables.api_rows.size(), 1u);
  EXPECT_EQ(joiner.waiting(), 0u);
}

TEST_F(Joined, CallsThatNeverFoldAreWrittenAtOnce) {
  joiner.onApi(call(1), false);
  EXPECT_EQ(tables.api_rows.size(), 1u);
  joiner.onGpu(gpu(1));
  EXPECT_EQ(tables.folded(), 0u);
  joiner.flush();
  EXPECT_EQ(joiner.unmatchedKernels(), 0u);  // its call is in the table, by correlation
}

class OneCallTwoRecords : public Joined, public testing::WithParamInterface<std::vector<int>> {};

TEST_P(OneCallTwoRecords, NeitherCarriesTheCall) {
  for (const int what : GetParam()) {
    if (what == 0) {
      joiner.onApi(call(5), true);
    } else {
      joiner.onGpu(gpu(5, what == 1 ? spool::Kind::Kernel : spool::Kind::Memcpy));
    }
  }
  joiner.flush();
  EXPECT_EQ(tables.gpu_rows.size(), 2u);
  EXPECT_EQ(tables.folded(), 0u);
  EXPECT_EQ(tables.api_rows.size(), 1u);
  EXPECT_EQ(joiner.unmatchedKernels(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Orders, OneCallTwoRecords,
                         testing::Values(std::vector{0, 1, 2}, std::vector{1, 0, 2}, std::vector{1, 2, 0},
                                         std::vector{0, 2, 1}));

class NestedCalls : public Joined, public testing::WithParamInterface<std::vector<int>> {};

TEST_P(NestedCalls, OuterCallWins) {
  for (const int what : GetParam()) {
    if (what == 0) joiner.onApi(call(5, 100, 200), true);
    if (what == 1) joiner.onApi(call(5, 120, 180, true), true);
    if (what == 2) joiner.onGpu(gpu(5));
  }
  joiner.flush();
  ASSERT_EQ(tables.gpu_rows.size(), 1u);
  ASSERT_EQ(tables.folded(), 1u);
  EXPECT_EQ(tables.gpu_rows.begin()->second.launch->start_ns, 100u);
  EXPECT_TRUE(tables.api_rows.empty());
}

INSTANTIATE_TEST_SUITE_P(Orders, NestedCalls,
                         testing::Values(std::vector{0, 1, 2}, std::vector{0, 2, 1}, std::vector{1, 0, 2},
                                         std::vector{1, 2, 0}, std::vector{2, 0, 1}, std::vector{2, 1, 0}));

TEST_F(Joined, NestedDoubleOfACallThatNeverFolds) {
  joiner.onApi(call(5, 120, 180, true), false);
  joiner.onApi(call(5, 100, 200), false);
  joiner.onApi(call(6, 300, 400), false);
  joiner.onApi(call(6, 320, 380, true), false);
  ASSERT_EQ(tables.api_rows.size(), 2u);
  for (const auto& [row, api] : tables.api_rows) EXPECT_EQ(api.head.flags & spool::kFlagDriverApi, 0);
}

TEST(LaunchJoinerWindow, LatePartnerStillFindsItsCall) {
  Tables tables;
  LaunchJoiner joiner(tables.sink(), {1000, 1000, 3});
  joiner.onApi(call(1), true);
  for (int i = 0; i < 10; ++i) joiner.tick();
  EXPECT_EQ(tables.api_rows.size(), 1u);  // given up
  joiner.onGpu(gpu(1));
  EXPECT_EQ(tables.folded(), 1u);
  EXPECT_TRUE(tables.api_rows.empty());  // taken back
}

TEST(LaunchJoinerWindow, MemoryIsBounded) {
  Tables tables;
  LaunchJoiner joiner(tables.sink(), {100, 1'000'000, 1'000'000});
  for (uint32_t i = 1; i <= 1000; ++i) joiner.onGpu(gpu(i));
  EXPECT_LE(joiner.waiting(), 101u);
  // Many records of one call are bounded too.
  for (uint32_t i = 1; i <= 1000; ++i) joiner.onGpu(gpu(5000));
  EXPECT_LE(joiner.waiting(), 201u);
  joiner.flush();
  EXPECT_EQ(tables.gpu_rows.size(), 2000u);
}

TEST(LaunchJoinerWindow, AnyOrderGivesTheSameRows) {
  // 300 calls: of each three, one kernel, one copy, one call with two kernels.
  std::vector<std::pair<bool, uint32_t>> events;
  for (uint32_t i = 1; i <= 300; ++i) {
    events.emplace_back(true, i);
    events.emplace_back(false, i);
    if (i % 3 == 0) events.emplace_back(false, i);
  }
  for (uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    std::shuffle(events.begin(), events.end(), random);
    Tables tables;
    LaunchJoiner joiner(tables.sink());
    for (const auto& [is_api, correlation] : events) {
      if (is_api) {
        joiner.onApi(call(correlation), true);
      } else {
        joiner.onGpu(gpu(correlation));
      }
    }
    joiner.flush();
    EXPECT_EQ(tables.gpu_rows.size(), 400u);
    EXPECT_EQ(tables.folded(), 200u);
    EXPECT_EQ(tables.api_rows.size(), 100u);
    EXPECT_EQ(joiner.unmatchedKernels(), 0u);
    EXPECT_EQ(joiner.waiting(), 0u);
  }
}

}  // namespace
}  // namespace perfscope
