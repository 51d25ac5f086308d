// Attribution on the schedules of real programs (tests/data/h200, recorded on an H200): the kernels ran as
// recorded, their traffic and the samples of it are made up, so that the truth is known.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "analysis/counters/attribution.h"
#include "analysis/counters/columns.h"
#include "analysis/facts/kernel_facts.h"
#include "analysis/trace/load_trace.h"
#include "tests/support/synthetic_counters.h"

namespace perfscope {
namespace {

using test::Sampling;
using test::SyntheticKernel;

struct Score {
  int wanted = 0, known = 0, close = 0, covered = 0;
};

class CounterSchedule : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto trace = loadTrace(std::string(PERFSCOPE_TEST_DATA) + "/h200/" + GetParam() + ".perfscope", {});
    ASSERT_TRUE(trace) << trace.error().sentence();
    m_columns = counterColumns(*trace, kernelClasses(*trace), 0);
    std::mt19937_64 random(5);
    std::uniform_real_distribution<> rate(1e5, 2.5e6);
    for (size_t c = 0; c < m_columns.input.columns; ++c)
      m_kinds.push_back({rate(random), 0.4 * rate(random), 0.3});
    for (const Subject& subject : m_columns.input.subjects)
      for (const SubjectPart& part : subject.parts) m_all_ns += part.ns;
  }

  // Subjects with at least 2 % of the GPU time; `exact`: tolerance of a value.
  Score score(const RoleAttribution& result, double exact, bool writes) const {
    Score score;
    for (size_t i = 0; i < m_columns.input.subjects.size(); ++i) {
      double ns = 0, truth = 0;
      for (const SubjectPart& part : m_columns.input.subjects[i].parts) {
        const SyntheticKernel& kind = m_kinds[part.column];
        ns += part.ns;
        truth += part.ns / 1e3 * (writes ? kind.write_per_us : kind.read_per_us);
      }
      if (ns < 0.02 * m_all_ns) continue;
      ++score.wanted;
      const Estimate& estimate = result.subjects[i];
      if (!estimate.has()) continue;
      ++score.known;
      score.close += std::abs(estimate.total / truth - 1) <= exact ? 1 : 0;
      score.covered += estimate.low <= truth && truth <= estimate.high ? 1 : 0;
    }
    return score;
  }

  CounterColumns m_columns;
  std::vector<SyntheticKernel> m_kinds;
  double m_all_ns = 0;
};

TEST_P(CounterSchedule, ReadsWithinFivePerCentWritesWithinTen) {
  Sampling sampling;
  sampling.skew_us = -2;
  sampling.noise = 0.02;
  sampling.late_us = 20;
  constexpr double kBursts = 0.1;  // reads are not even within a launch, as the model has it
  test::addSamples(m_kinds, sampling, kBursts, 3, m_columns.input);
  const Attribution result = attribute(m_columns.input, {});
  const Score reads = score(result.roles[0], 0.05, false), writes = score(result.roles[1], 0.1, true);
  EXPECT_GT(reads.wanted, 3);
  EXPECT_GE(reads.known, reads.wanted * 8 / 10);
  EXPECT_GE(reads.close, reads.known * 9 / 10);
  EXPECT_GE(reads.covered, reads.known * 9 / 10);
  EXPECT_GE(writes.close, writes.known * 9 / 10);
  EXPECT_GE(writes.covered, writes.known * 9 / 10);
}

INSTANTIATE_TEST_SUITE_P(H200, CounterSchedule, testing::Values("decode", "decode_graph", "train"),
                         [](const auto& program) { return std::string(program.param); });

}  // namespace
}  // namespace perfscope
