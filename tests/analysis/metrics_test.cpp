// The metric catalogue and the thresholds: complete and unique.
#include "analysis/metrics/metrics.h"

#include <gtest/gtest.h>

#include <set>

#include "analysis/metrics/thresholds.h"

namespace perfscope {
namespace {

TEST(Metrics, EveryOneIsCompleteAndItsIdUnique) {
  std::set<std::string_view> ids;
  for (const Metric& metric : metrics()) {
    EXPECT_TRUE(ids.insert(metric.id).second) << metric.id;
    for (const auto text : {metric.title, metric.question, metric.unit, metric.inputs, metric.formula}) {
      EXPECT_FALSE(text.empty()) << metric.id;
    }
    EXPECT_EQ(metric.question.back(), '?') << metric.id;
  }
  EXPECT_GT(ids.size(), 20U);
}

TEST(Metrics, AreFoundById) {
  ASSERT_NE(findMetric("devices.busy_ns"), nullptr);
  EXPECT_EQ(findMetric("devices.busy_ns")->unit, "ns");
  EXPECT_EQ(findMetric("nothing"), nullptr);
}

TEST(Thresholds, HaveSourcesAndUniqueIds) {
  std::set<std::string_view> ids;
  for (const Threshold* t : kThresholds) {
    EXPECT_TRUE(ids.insert(t->id).second) << t->id;
    EXPECT_FALSE(t->source.empty()) << t->id;
    EXPECT_FALSE(t->unit.empty()) << t->id;
    EXPECT_GT(t->value, 0) << t->id;
  }
}

}  // namespace
}  // namespace perfscope
