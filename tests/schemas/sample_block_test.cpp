// Packed counter samples: round trips, size of what is idle, damaged input.
#include "schemas/sample_block.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace perfscope {
namespace {

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

void expectRoundTrip(const SampleBlock& block) {
  const auto back = unpackSamples(packSamples(block), "block");
  ASSERT_TRUE(back) << back.error().reason;
  EXPECT_EQ(back->start_ns, block.start_ns);
  EXPECT_EQ(back->duration_ns, block.duration_ns);
  ASSERT_EQ(back->values.size(), block.values.size());
  for (size_t m = 0; m < block.values.size(); ++m)
    for (size_t i = 0; i < block.count(); ++i)
      EXPECT_TRUE(same(back->values[m][i], block.values[m][i])) << m << ' ' << i;
}

TEST(SampleBlock, EmptyAndOdd) {
  expectRoundTrip({});
  expectRoundTrip({{5}, {-1}, {}});
  const double infinity = std::numeric_limits<double>::infinity();
  expectRoundTrip(
      {{0, 1, 2, 3}, {1, 1, 1, 1}, {{std::nan(""), infinity, -infinity, -0.0}, {1e300, 0.5, -3, 0}}});
  expectRoundTrip({{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), 0},
                   {0, 1, -1},
                   {{4503599627370496.0, -4503599627370496.0, 9007199254740994.0}}});
}

TEST(SampleBlock, RandomBlocks) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    SampleBlock block;
    const size_t count = random() % 300;
    block.values.resize(random() % 5);
    for (size_t i = 0; i < count; ++i) {
      block.start_ns.push_back(static_cast<int64_t>(i * 50'000 + random() % 64));
      block.duration_ns.push_back(50'000 + static_cast<int64_t>(random() % 64) - 32);
      for (auto& values : block.values)
        values.push_back(random() % 3 != 0 ? 0.0 : static_cast<double>(random() % 250'000'000));
    }
    expectRoundTrip(block);
  }
}

TEST(SampleBlock, IdleCostsNothing) {
  SampleBlock block;
  block.values.resize(10);
  for (int64_t i = 0; i < 4096; ++i) {
    block.start_ns.push_back(i * 50'000);
    block.duration_ns.push_back(50'000);
    for (auto& values : block.values) values.push_back(0);
  }
  EXPECT_LT(packSamples(block).size(), 2U * 4096 + 100);  // times only
}

TEST(SampleBlock, EveryCutAndEveryFlippedByteIsRefusedOrReadButNeverBreaks) {
  const SampleBlock block{{10, 20, 30, 40}, {10, 10, 10, 10}, {{0, 0, 0, 7}, {0.5, 1, 2, 3}}};
  const std::string good = packSamples(block);
  for (size_t cut = 0; cut < good.size(); ++cut)
    EXPECT_FALSE(unpackSamples(good.substr(0, cut), "block")) << cut;
  EXPECT_FALSE(unpackSamples(good + "x", "block"));
  for (size_t at = 0; at < good.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
      const auto back = unpackSamples(bad, "block");
      if (back) {
        EXPECT_EQ(back->values.size(), 2U);
      }
    }
  }
}

TEST(SampleBlock, HugeCountsAreRefusedWithoutMemory) {
  const std::string lies{1, char(0xff), char(0xff), char(0xff), char(0xff), 0x7f, 1};
  const auto back = unpackSamples(lies, "profile, counter_block 3");
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().kind, ErrorKind::InputRefused);
  EXPECT_EQ(back.error().where, "profile, counter_block 3");
}

}  // namespace
}  // namespace perfscope
