// Attribution against traffic that is known because it was made up (tests/support/synthetic_counters.h).
#include "analysis/counters/attribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/synthetic_counters.h"

namespace perfscope {
namespace {

using test::Sampling;
using test::SyntheticKernel;
using test::SyntheticTrace;

const RoleAttribution& of(const Attribution& result, CounterRole role) {
  for (const RoleAttribution& entry : result.roles)
    if (entry.role == role) return entry;
  throw std::runtime_error("role is missing");
}
const RoleAttribution& reads(const Attribution& result) {
  return of(result, CounterRole::DramReadBytes);
}
const RoleAttribution& writes(const Attribution& result) {
  return of(result, CounterRole::DramWriteBytes);
}

double error(const Estimate& estimate, double truth) {
  return std::abs(estimate.total / truth - 1);
}

// 10 kernels of 3 to 500 us in random order on one stream, idle gaps between; launches of one kernel differ.
SyntheticTrace mixedTrace(uint64_t seed, double seconds = 1.0) {
  SyntheticTrace trace(seed);
  const double lengths[] = {3, 5, 8, 12, 20, 35, 60, 120, 250, 500};
  for (size_t k = 0; k < 10; ++k) {
    const double rate = 2e5 * (1 + static_cast<double>((k * 7) % 10));  // bytes per us, to 2.0 TB/s
    trace.kernel({rate, 0.3 * rate, 0});
  }
  double at = 50;
  while (at < seconds * 1e6) {
    const auto k = static_cast<uint32_t>(trace.uniform(0, 10));
    const double us = lengths[k] * trace.uniform(0.95, 1.05);
    trace.launch(k, at, us, trace.uniform(0.97, 1.03));
    at += us + (trace.uniform(0, 1) < 0.3 ? trace.uniform(2, 60) : 1.0);
  }
  return trace;
}

TEST(CounterAttribution, FindsKnownRatesAndItsIntervalsCoverThem) {
  int values = 0, covered = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SyntheticTrace trace = mixedTrace(seed);
    Sampling sampling;
    sampling.interval_us = seed % 2 == 0 ? 20 : 50;
    sampling.noise = 0.02;
    const Attribution result = attribute(trace.sampled(sampling), {});
    for (uint32_t k = 0; k < 10; ++k) {
      const Estimate& estimate = reads(result).subjects[k];
      ASSERT_TRUE(estimate.has()) << "seed " << seed << " kernel " << k << " withheld "
                                  << static_cast<int>(estimate.withheld);
      // Kernel 0 has 0.3 % of the time: its interval must tell, no more.
      EXPECT_LT(error(estimate, trace.read(k)), k > 0 ? 0.05 : 0.15) << "seed " << seed << " kernel " << k;
      ++values;
      covered += estimate.low <= trace.read(k) && trace.read(k) <= estimate.high ? 1 : 0;
    }
  }
  EXPECT_GE(covered, values * 9 / 10);
}

TEST(CounterAttribution, FindsTheSkewOfTheClocks) {
  for (const double skew : {-2.0, 0.0, 5.5}) {
    SyntheticTrace trace = mixedTrace(7);
    Sampling sampling;
    sampling.skew_us = skew;
    const Attribution result = attribute(trace.sampled(sampling), {});
    EXPECT_TRUE(result.skew_found);
    EXPECT_NEAR(static_cast<double>(result.skew_ns), skew * 1000, 250) << skew;
  }
}

TEST(CounterAttribution, SaysWhenNoSkewFits) {
  SyntheticTrace trace = mixedTrace(7, 0.3);
  Sampling sampling;
  sampling.skew_us = 40;
  EXPECT_FALSE(attribute(trace.sampled(sampling), {}).skew_found);
}

TEST(CounterAttribution, ConservesWhatWasSampled) {
  SyntheticTrace trace = mixedTrace(3);
  Sampling sampling;
  sampling.background = 1e4;
  const AttributionInput input = trace.sampled(sampling);
  double sampled = 0;
  for (const float value : input.sets[0].metrics[0].values) sampled += static_cast<double>(value);
  const RoleAttribution result = reads(attribute(input, {}));
  EXPECT_NEAR(result.sampled, sampled, 1e-6 * sampled);
  EXPECT_NEAR(result.attributed + result.idle + result.unexplained, result.sampled, 1e-6 * sampled);
  EXPECT_NEAR(result.attributed + result.idle, sampled, 0.01 * sampled);
}

TEST(CounterAttribution, GivesLateWritesToTheKernelThatMadeThem) {
  SyntheticTrace trace(11);
  const uint32_t writer = trace.kernel({1e6, 1e6, 0.5});
  const uint32_t reader = trace.kernel({1e6, 0, 0});
  const uint32_t both = trace.kernel({5e5, 5e5, 0.2});
  double at = 50;
  for (int i = 0; i < 6000; ++i) {
    const auto k = static_cast<uint32_t>(trace.uniform(0, 3));
    const double us = trace.uniform(20, 60);
    trace.launch(k, at, us);
    at += us + (trace.uniform(0, 1) < 0.5 ? trace.uniform(2, 80) : 1);
  }
  const RoleAttribution result = writes(attribute(trace.sampled({}), {}));
  EXPECT_EQ(result.lag_ns, 20'000);
  EXPECT_LT(error(result.subjects[writer], trace.written(writer)), 0.1);
  EXPECT_LT(error(result.subjects[both], trace.written(both)), 0.1);
  EXPECT_LT(result.subjects[reader].total, 0.02 * trace.written(writer));
}

TEST(CounterAttribution, ModelsNoLagWhereThereIsNone) {
  SyntheticTrace trace = mixedTrace(5);
  EXPECT_EQ(writes(attribute(trace.sampled({}), {})).lag_ns, 0);
}

TEST(CounterAttribution, SeparatesConcurrentKernelsThatOverlapInManyWays) {
  SyntheticTrace trace(13);
  const uint32_t a = trace.kernel({1e6, 0, 0}), b = trace.kernel({3e5, 0, 0}), c = trace.kernel({0, 0, 0});
  for (double at = 50; at < 1e6; at += trace.uniform(30, 90)) trace.launch(a, at, 25);
  for (double at = 60; at < 1e6;) {
    const uint32_t k = trace.uniform(0, 1) < 0.5 ? b : c;
    const double us = trace.uniform(20, 200);
    trace.launch(k, at, us);
    at += us + trace.uniform(1, 50);
  }
  const RoleAttribution result = reads(attribute(trace.sampled({}), {}));
  EXPECT_LT(error(result.subjects[a], trace.read(a)), 0.05);
  EXPECT_LT(error(result.subjects[b], trace.read(b)), 0.05);
  EXPECT_TRUE(result.subjects[c].has()) << "nearly nothing is an answer";
  EXPECT_LT(result.subjects[c].total, 0.01 * trace.read(b));
}

TEST(CounterAttribution, NamesThoseThatAlwaysRunTogether) {
  SyntheticTrace trace(17);
  const uint32_t a = trace.kernel({8e5, 0, 0}), b = trace.kernel({4e5, 0, 0}), c = trace.kernel({1e6, 0, 0});
  double at = 50;
  for (int i = 0; i < 5000; ++i) {  // two streams, same start, same end; then c alone
    const double us = trace.uniform(20, 40);
    trace.launch(a, at, us);
    trace.launch(b, at, us);
    at += us + trace.uniform(2, 40);
    trace.launch(c, at, 30);
    at += 30 + trace.uniform(2, 40);
  }
  const RoleAttribution result = reads(attribute(trace.sampled({}), {}));
  ASSERT_EQ(result.groups.size(), 1U);
  EXPECT_THAT(result.groups[0].members, testing::ElementsAre(a, b));
  EXPECT_EQ(result.subjects[a].withheld, Withheld::NotSeparable);
  EXPECT_EQ(result.subjects[b].withheld, Withheld::NotSeparable);
  const double truth = trace.read(a) + trace.read(b);
  EXPECT_NEAR(result.groups[0].total, truth, 0.05 * truth);
  EXPECT_LE(result.groups[0].low, truth);
  EXPECT_GE(result.groups[0].high, truth);
  EXPECT_TRUE(result.subjects[c].has());
  EXPECT_LT(error(result.subjects[c], trace.read(c)), 0.05);
}

TEST(CounterAttribution, OutliersHardlyMoveIt) {
  SyntheticTrace trace = mixedTrace(19);
  Sampling sampling;
  sampling.outlier_share = 0.005;
  sampling.outlier_bytes = 4e8;  // ten times the busiest honest sample
  const RoleAttribution result = reads(attribute(trace.sampled(sampling), {}));
  EXPECT_GT(result.outliers, 0);
  for (uint32_t k = 0; k < 10; ++k)
    EXPECT_LT(error(result.subjects[k], trace.read(k)), k == 0 ? 0.15 : 0.06) << k;
}

TEST(CounterAttribution, ShowsARateThatDrifts) {
  SyntheticTrace trace(23);
  const uint32_t steady = trace.kernel({1e6, 0, 0}), drifting = trace.kernel({1e6, 0, 0});
  for (double at = 50; at < 1e6;) {
    trace.launch(steady, at, 40);
    at += 40 + trace.uniform(1, 30);
    trace.launch(drifting, at, 40, at < 5e5 ? 0.7 : 1.3);
    at += 40 + trace.uniform(1, 30);
  }
  const RoleAttribution result = reads(attribute(trace.sampled({}), {}));
  EXPECT_FALSE(result.subjects[steady].drifts);
  EXPECT_TRUE(result.subjects[drifting].drifts);
  EXPECT_NEAR(result.subjects[drifting].second_half / result.subjects[drifting].first_half, 1.3 / 0.7, 0.1);
  EXPECT_LT(error(result.subjects[drifting], trace.read(drifting)), 0.05);
}

// A graph of 95 kernels of 2 to 5 us, always in the same order, thousands of times: only the jitter of the
// sampling phase tells neighbours apart.
TEST(CounterAttribution, TellsTheKernelsOfAGraphApartOrSaysThatItCannot) {
  SyntheticTrace trace(29);
  std::vector<double> lengths;
  for (int k = 0; k < 95; ++k) {
    lengths.push_back(trace.uniform(2, 5));
    trace.kernel({trace.uniform(1e5, 2e6), 0, 0});
  }
  double at = 50;
  for (int replay = 0; replay < 4000; ++replay) {
    for (uint32_t k = 0; k < 95; ++k) {
      const double us = lengths[k] * trace.uniform(0.97, 1.03);
      trace.launch(k, at, us);
      at += us + 0.8;
    }
    at += trace.uniform(5, 40);
  }
  Sampling sampling;
  sampling.noise = 0.03;
  const RoleAttribution result = reads(attribute(trace.sampled(sampling), {}));
  int known = 0, covered = 0, close = 0;
  for (uint32_t k = 0; k < 95; ++k) {
    const Estimate& estimate = result.subjects[k];
    if (!estimate.has()) continue;
    ++known;
    covered += estimate.low <= trace.read(k) && trace.read(k) <= estimate.high ? 1 : 0;
    close += error(estimate, trace.read(k)) < 0.05 ? 1 : 0;
  }
  EXPECT_GE(known, 60);
  EXPECT_GE(covered, known * 9 / 10);
  EXPECT_GE(close, known * 8 / 10);
  for (const SubjectGroup& group : result.groups) {
    double truth = 0;
    for (const uint32_t k : group.members) truth += trace.read(k);
    if (group.with_idle) continue;
    EXPECT_NEAR(group.total, truth, 0.25 * truth);
  }
}

TEST(CounterAttribution, WithholdsWhatHardlyRan) {
  SyntheticTrace trace(31);
  const uint32_t rare = trace.kernel({1e6, 0, 0}), tiny = trace.kernel({1e6, 0, 0});
  const uint32_t usual = trace.kernel({1e6, 0, 0}), never = trace.kernel({1e6, 0, 0});
  double at = 50;
  for (int i = 0; i < 4000; ++i) {
    trace.launch(usual, at, 50);
    at += 50 + trace.uniform(1, 30);
    trace.launch(tiny, at, 0.5);
    at += 0.5 + trace.uniform(1, 30);
    if (i < 10) trace.launch(rare, at, 40), at += 45;
  }
  const RoleAttribution result = reads(attribute(trace.sampled({}), {}));
  EXPECT_EQ(result.subjects[rare].withheld, Withheld::TooFewSamples);
  EXPECT_EQ(result.subjects[tiny].withheld, Withheld::TooLittleWeight);
  EXPECT_EQ(result.subjects[never].withheld, Withheld::NotSampled);
  EXPECT_EQ(result.subjects[usual].withheld, Withheld::No);
}

TEST(CounterAttribution, LeavesOutMissingValuesAndTimesThatWereNotRecorded) {
  SyntheticTrace trace = mixedTrace(37);
  AttributionInput input = trace.sampled({});
  auto& values = input.sets[0].metrics[0].values;
  for (size_t i = 0; i < values.size(); i += 7) values[i] = kNoSample;
  for (size_t i = 1000; i < 2000; ++i) values[i] = 1e12F;  // what ran then was not recorded
  input.excluded = IntervalSet({{input.sets[0].start_ns[995], input.sets[0].start_ns[2005]}});
  const RoleAttribution result = reads(attribute(input, {}));
  EXPECT_TRUE(std::isfinite(result.sampled));
  EXPECT_LT(result.samples, static_cast<int64_t>(values.size()) * 6 / 7);
  for (uint32_t k = 1; k < 10; ++k) EXPECT_LT(error(result.subjects[k], trace.read(k)), 0.05) << k;
}

TEST(CounterAttribution, NothingInNothingOut) {
  EXPECT_TRUE(attribute({}, {}).roles.empty());
  SyntheticTrace idle(1);
  idle.kernel({1e6, 0, 0});
  const Attribution result = attribute(idle.sampled({}), {});  // samples, but nothing ran
  EXPECT_EQ(reads(result).subjects[0].withheld, Withheld::NotSampled);
  EXPECT_FALSE(result.skew_found);
}

TEST(CounterAttribution, IsTheSameEveryTime) {
  SyntheticTrace trace = mixedTrace(41, 0.2);
  const AttributionInput input = trace.sampled({});
  const Attribution one = attribute(input, {200, 1, {}}), other = attribute(input, {200, 2, {}});
  for (uint32_t k = 0; k < 10; ++k) {
    EXPECT_EQ(reads(one).subjects[k].total, reads(other).subjects[k].total);
    EXPECT_EQ(reads(one).subjects[k].low, reads(other).subjects[k].low);
  }
}

}  // namespace
}  // namespace perfscope
