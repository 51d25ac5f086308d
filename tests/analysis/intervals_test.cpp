// Interval arithmetic: half-open unions, coverage, cursors.
#include "analysis/timeline/intervals.h"

#include <gtest/gtest.h>

#include "analysis/timeline/interval_cursor.h"

namespace perfscope {
namespace {

TEST(UnionLength, TouchingIntervalsAddUpWithoutGapOrOverlap) {
  UnionLength u;
  u.add(0, 10);
  u.add(10, 20);
  EXPECT_EQ(u.length(), 20);
}

TEST(UnionLength, OverlapsCountOnceAndNestedOnesNothing) {
  UnionLength u;
  u.add(0, 100);
  u.add(10, 20);
  u.add(50, 150);
  u.add(200, 210);
  EXPECT_EQ(u.length(), 160);
}

TEST(UnionLength, EmptyAndInvertedIntervalsCountForNothing) {
  UnionLength u;
  EXPECT_EQ(u.length(), 0);
  u.add(5, 5);
  u.add(6, 3);
  EXPECT_EQ(u.length(), 0);
  u.add(-20, -10);  // times before the base are times too
  EXPECT_EQ(u.length(), 10);
}

TEST(IntervalSet, MergesInAnyOrderAndMeasures) {
  const IntervalSet set({{30, 40}, {0, 10}, {5, 20}, {7, 7}});
  ASSERT_EQ(set.intervals().size(), 2U);
  EXPECT_EQ(set.intervals()[0], (Interval{0, 20}));
  EXPECT_EQ(set.length(), 30);
}

TEST(IntervalSet, CoverageIsTheSharedLength) {
  const IntervalSet set({{0, 10}, {20, 30}});
  EXPECT_EQ(set.covered({5, 25}), 10);
  EXPECT_EQ(set.covered({10, 20}), 0);  // half open on both sides
  EXPECT_EQ(set.covered({-5, 100}), 20);
  EXPECT_EQ(set.overlapping({9, 21}).size(), 2U);
  EXPECT_TRUE(set.overlapping({10, 20}).empty());
}

TEST(IntervalSet, AtIncludesBothEnds) {
  const IntervalSet set({{10, 20}});
  EXPECT_FALSE(set.at(9));
  EXPECT_TRUE(set.at(10));
  EXPECT_TRUE(set.at(20));
  EXPECT_FALSE(set.at(21));
}

TEST(IntervalCursor, AnswersLikeTheSetForwardsAndBackwards) {
  const IntervalSet set({{0, 10}, {20, 30}, {40, 50}});
  IntervalCursor cursor(set);
  for (const int64_t time : {5, 15, 25, 45, 60, 25, 0, 41}) {
    EXPECT_EQ(cursor.at(time).has_value(), set.at(time).has_value()) << time;
    EXPECT_EQ(cursor.covered({time, time + 12}), set.covered({time, time + 12})) << time;
  }
}

TEST(InstantCursor, FindsInstantsInClosedRanges) {
  InstantCursor cursor;
  for (const int64_t time : {30, 10, 20}) cursor.add(time);
  cursor.sort();
  EXPECT_TRUE(cursor.any({10, 10}));
  EXPECT_FALSE(cursor.any({11, 19}));
  EXPECT_TRUE(cursor.any({11, 20}));
  EXPECT_FALSE(cursor.any({31, 100}));
  EXPECT_TRUE(cursor.any({0, 100}));
}

}  // namespace
}  // namespace perfscope
