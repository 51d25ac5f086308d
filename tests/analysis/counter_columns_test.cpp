// Which columns and subjects a profile gives.
#include "analysis/counters/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/facts/kernel_facts.h"
#include "analysis/trace/load_trace.h"
#include "tests/support/trace_builder.h"

namespace perfscope {
namespace {

using test::TraceBuilder;

CounterColumns columnsOf(TraceBuilder& trace) {
  const auto loaded = loadTrace(trace.write(), {});
  if (!loaded) throw std::runtime_error(loaded.error().sentence());
  return counterColumns(*loaded, kernelClasses(*loaded), 0);
}

size_t subjectNamed(const CounterColumns& columns, const std::string& label) {
  return static_cast<size_t>(std::find(columns.labels.begin(), columns.labels.end(), label) -
                             columns.labels.begin());
}

TEST(CounterColumns, AColumnForEachShapeASubjectForEachName) {
  TraceBuilder trace;
  trace.kernel({.name = "a", .start_ns = 0, .duration_ns = 10, .grid = 1});
  trace.kernel({.name = "a", .start_ns = 20, .duration_ns = 30, .grid = 2});
  trace.kernel({.name = "b", .start_ns = 60, .duration_ns = 5});
  trace.copy({.start_ns = 50, .duration_ns = 7, .bytes = 1});
  trace.fill(70, 3);
  const CounterColumns columns = columnsOf(trace);
  EXPECT_EQ(columns.input.columns, 5U);
  const Subject& a = columns.input.subjects[subjectNamed(columns, "a")];
  ASSERT_EQ(a.parts.size(), 2U);
  EXPECT_EQ(a.parts[0].ns + a.parts[1].ns, 40);
  EXPECT_EQ(columns.input.subjects[subjectNamed(columns, "copies HtoD")].parts[0].ns, 7);
  EXPECT_EQ(columns.input.subjects[subjectNamed(columns, "fills")].parts[0].launches, 1);
  EXPECT_TRUE(std::is_sorted(columns.input.activities.begin(), columns.input.activities.end(),
                             [](const Activity& x, const Activity& y) { return x.start_ns < y.start_ns; }));
  EXPECT_EQ(columns.input.activities.size(), 5U);
}

TEST(CounterColumns, ManySmallKernelsArePooledByClassAndNothingIsLost) {
  TraceBuilder trace;
  int64_t at = 0;
  double all = 0;
  for (int i = 0; i < 400; ++i) {  // the first have most time
    const int64_t ns = 10'000 - 20 * i;
    trace.kernel(
        {.name = (i % 2 == 0 ? "gemm_" : "softmax_") + std::to_string(i), .start_ns = at, .duration_ns = ns});
    at += ns + 5;
    all += static_cast<double>(ns);
  }
  for (int shape = 1; shape <= 300; ++shape) {  // one name, many shapes: its rest has a column of its own
    trace.kernel({.name = "many_shapes", .start_ns = at, .duration_ns = 500, .grid = shape});
    at += 505;
    all += 500;
  }
  const CounterColumns columns = columnsOf(trace);
  EXPECT_LE(columns.input.columns, 200U);
  const auto pooled = std::count(columns.is_pooled.begin(), columns.is_pooled.end(), uint8_t{1});
  EXPECT_GT(pooled, 150);
  EXPECT_LT(subjectNamed(columns, "small gemm kernels"), columns.labels.size());
  EXPECT_LT(subjectNamed(columns, "small softmax kernels"), columns.labels.size());
  const Subject& many = columns.input.subjects[subjectNamed(columns, "many_shapes")];
  ASSERT_EQ(many.parts.size(), 1U);
  EXPECT_EQ(many.parts[0].launches, 300);
  double sum = 0;
  for (const Subject& subject : columns.input.subjects)
    for (const SubjectPart& part : subject.parts) sum += part.ns;
  EXPECT_EQ(sum, all);
}

TEST(CounterColumns, ADeviceWithoutWorkHasNone) {
  TraceBuilder trace;
  const CounterColumns columns = columnsOf(trace);
  EXPECT_EQ(columns.input.columns, 0U);
  EXPECT_TRUE(columns.input.activities.empty());
}

}  // namespace
}  // namespace perfscope
