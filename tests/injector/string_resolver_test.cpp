// Texts from chunks, whole and damaged.
#include "injector/recorder/string_resolver.h"

#include <gtest/gtest.h>

namespace perfscope {
namespace {

using Outcome = StringResolver::Outcome;

struct Resolver : testing::Test {
  TextPool pool;
  StringResolver strings{pool};
  const std::string full = std::string(48, 'x');
};

TEST_F(Resolver, OnePiece) {
  EXPECT_EQ(strings.find(1), nullptr);
  EXPECT_EQ(strings.add({1, 0, true, "name"}), Outcome::Complete);
  EXPECT_EQ(strings.find(1)->text, "name");
}

TEST_F(Resolver, ManyPieces) {
  for (uint16_t i = 0; i < 100; ++i) EXPECT_EQ(strings.add({1, i, false, full}), Outcome::Incomplete);
  EXPECT_EQ(strings.find(1), nullptr);
  EXPECT_EQ(strings.add({1, 100, true, "end"}), Outcome::Complete);
  EXPECT_EQ(strings.find(1)->text.size(), 100 * 48 + 3u);
}

TEST_F(Resolver, SameTextIsOneEntryAcrossIdsAndProcesses) {
  StringResolver other(pool);
  strings.add({1, 0, true, "name"});
  strings.add({2, 0, true, "name"});
  other.add({1, 0, true, "name"});
  EXPECT_EQ(strings.find(1), strings.find(2));
  EXPECT_EQ(strings.find(1), other.find(1));
  EXPECT_EQ(pool.size(), 1u);
}

TEST_F(Resolver, GapsAndStrayPiecesAreTorn) {
  EXPECT_EQ(strings.add({1, 3, true, "tail"}), Outcome::Torn);
  EXPECT_EQ(strings.add({0, 0, true, "zero"}), Outcome::Torn);
  strings.add({2, 0, false, full});
  EXPECT_EQ(strings.add({2, 2, true, "gap"}), Outcome::Torn);
  EXPECT_EQ(strings.find(2), nullptr);
  // Begun again, it is whole.
  strings.add({2, 0, false, full});
  EXPECT_EQ(strings.add({2, 1, true, "!"}), Outcome::Complete);
}

TEST_F(Resolver, ALaterTextOfTheSameIdCounts) {
  strings.add({1, 0, true, "first"});
  strings.add({1, 0, true, "second"});
  EXPECT_EQ(strings.find(1)->text, "second");
}

TEST_F(Resolver, PartialTextIsMarked) {
  strings.add({1, 0, false, full});
  ASSERT_NE(strings.finishPartial(1), nullptr);
  EXPECT_EQ(strings.find(1)->text, full + " [cut]");
  EXPECT_EQ(strings.finishPartial(2), nullptr);
}

TEST_F(Resolver, GarbageDoesNotGrowMemory) {
  for (uint32_t id = 1; id < 100000; ++id) strings.add({id, 0, false, full});
  int open = 0;
  for (uint32_t id = 1; id < 100000; ++id) open += strings.finishPartial(id) != nullptr ? 1 : 0;
  EXPECT_LE(open, 1024);
}

}  // namespace
}  // namespace perfscope
