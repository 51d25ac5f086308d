// The samples of a real decode on an H200: 133 M parameters in bf16, 200 tokens, 50 us.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "analysis/counters/attribution.h"

namespace perfscope {
namespace {

// Without any activity: everything sampled must come out as idle or unexplained, to the byte. Golden total:
// sum of the column dram__bytes_read.sum of the file without its first row, as
// `zcat FILE | awk -F, 'NR > 2 {s += $3} END {print s}'` prints it.
TEST(CounterRecordedSamples, AreConserved) {
  const std::string path = std::string(PERFSCOPE_SHARED_DATA) + "/h200/pm_decode.csv.gz";
  if (std::string(PERFSCOPE_SHARED_DATA).empty() || !std::filesystem::exists(path))
    GTEST_SKIP() << "the shared recordings are not here";
  FILE* rows = popen(("zcat '" + path + "'").c_str(), "r");
  ASSERT_NE(rows, nullptr);
  AttributionInput input;
  input.columns = 1;
  input.subjects.resize(1);
  SampleSet& set = input.sets.emplace_back();
  SampleMetric read{CounterRole::DramReadBytes, "dram__bytes_read.sum", {}, 0};
  char line[512];
  int row = 0;
  while (std::fgets(line, sizeof line, rows) != nullptr) {
    long long start = 0, end = 0;
    double bytes = 0, written = 0;
    if (row++ < 2 || std::sscanf(line, "%lld,%lld,%lf,%lf", &start, &end, &bytes, &written) != 4) continue;
    set.start_ns.push_back(start);
    set.duration_ns.push_back(end - start);
    read.values.push_back(static_cast<float>(bytes));
  }
  ASSERT_EQ(pclose(rows), 0);
  ASSERT_EQ(set.size(), 23701U);
  set.metrics.push_back(std::move(read));
  const Attribution result = attribute(input, {});
  ASSERT_EQ(result.roles.size(), 1U);
  const RoleAttribution& role = result.roles[0];
  EXPECT_EQ(role.samples, 23701);
  EXPECT_NEAR(role.sampled, 5.495181e10, 1e-5 * 5.495181e10);
  EXPECT_EQ(role.attributed, 0);
  EXPECT_NEAR(role.idle + role.unexplained, role.sampled, 1e-6 * role.sampled);
}

}  // namespace
}  // namespace perfscope
