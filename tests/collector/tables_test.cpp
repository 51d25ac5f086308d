// Name and shape tables: ids, long texts, a full table.
#include <gtest/gtest.h>

#include "collector/spool/name_table.h"
#include "collector/spool/shape_table.h"
#include "tests/collector/spool_reading.h"

namespace perfscope::collector {
namespace {

using spool::Kind;

TEST(NameTable, SameTextSameId) {
  test::Records records;
  LossTally losses;
  NameTable names(records.sink(), losses);
  const uint32_t a = names.intern("alpha");
  EXPECT_EQ(a, 1U);
  EXPECT_EQ(names.intern("beta"), 2U);
  EXPECT_EQ(names.intern("alpha"), a);
  EXPECT_EQ(names.intern(""), 3U);
  EXPECT_EQ(records.text(a), "alpha");
  EXPECT_EQ(records.text(3), "");
  EXPECT_EQ(records.count(Kind::StringChunk), 3U);
}

TEST(NameTable, LongTextsComeInConsecutiveChunks) {
  test::Records records;
  LossTally losses;
  NameTable names(records.sink(), losses);
  std::string text;
  for (int i = 0; text.size() < 5000; ++i) text += "std::tuple<" + std::to_string(i) + ">";
  for (const size_t length : {size_t{47}, size_t{48}, size_t{49}, size_t{96}, text.size()}) {
    records.all.clear();
    const uint32_t id = names.intern(std::string_view(text).substr(0, length));
    EXPECT_EQ(records.text(id), text.substr(0, length));
    const auto chunks = records.of<spool::StringChunk>(Kind::StringChunk);
    ASSERT_EQ(chunks.size(), (length + 47) / 48);
    for (size_t i = 0; i < chunks.size(); ++i) {
      EXPECT_EQ(chunks[i].offset_chunks, i);
      EXPECT_EQ(chunks[i].head.flags, i + 1 == chunks.size() ? 1 : 0);
    }
  }
}

TEST(NameTable, FullTableWritesAgainAndCounts) {
  test::Records records;
  LossTally losses;
  NameTable names(records.sink(), losses, 16);  // holds 14
  for (int i = 0; i < 20; ++i) names.intern("name " + std::to_string(i));
  EXPECT_EQ(losses.value(Loss::StringTableFull), 6U);
  const uint32_t again = names.intern("name 19");
  EXPECT_EQ(again, 21U);  // a new id, with its text
  EXPECT_EQ(records.text(again), "name 19");
  EXPECT_EQ(names.intern("name 0"), 1U);  // what is in stays in
}

TEST(HashBytes, DependsOnEveryByteAndTheLength) {
  const std::string zeros(64, '\0');
  std::map<uint64_t, size_t> seen;
  for (size_t length = 0; length <= zeros.size(); ++length)
    EXPECT_TRUE(seen.emplace(hashBytes(zeros.data(), length), length).second) << length;
  for (size_t i = 0; i < zeros.size(); ++i) {
    std::string changed = zeros;
    changed[i] = 1;
    EXPECT_TRUE(seen.emplace(hashBytes(changed.data(), changed.size()), i).second) << i;
  }
}

spool::LaunchShape shape(uint32_t grid_x) {
  spool::LaunchShape s{};
  s.head.kind = Kind::LaunchShape;
  s.grid_x = grid_x;
  return s;
}

TEST(ShapeTable, EqualShapesShareAnId) {
  test::Records records;
  LossTally losses;
  ShapeTable shapes(records.sink(), losses);
  EXPECT_EQ(shapes.intern(shape(1)), 1U);
  EXPECT_EQ(shapes.intern(shape(2)), 2U);
  EXPECT_EQ(shapes.intern(shape(1)), 1U);
  const auto written = records.of<spool::LaunchShape>(Kind::LaunchShape);
  ASSERT_EQ(written.size(), 2U);
  EXPECT_EQ(written[1].shape_id, 2U);
  EXPECT_EQ(written[1].grid_x, 2U);
}

TEST(ShapeTable, FullTableWritesAgainAndCounts) {
  test::Records records;
  LossTally losses;
  ShapeTable shapes(records.sink(), losses, 8);  // holds 7
  for (uint32_t i = 0; i < 10; ++i) shapes.intern(shape(i + 1));
  EXPECT_EQ(losses.value(Loss::ShapeTableFull), 3U);
  EXPECT_EQ(shapes.intern(shape(10)), 11U);
  EXPECT_EQ(shapes.intern(shape(1)), 1U);
}

}  // namespace
}  // namespace perfscope::collector
