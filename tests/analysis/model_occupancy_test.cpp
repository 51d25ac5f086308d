// Occupancy, waves, warps and alignment: worked by hand from the published rules, and bad inputs.
#include "analysis/model/occupancy.h"

#include <gtest/gtest.h>

#include "analysis/hardware/catalogue.h"
#include "analysis/model/launch_shape.h"

namespace perfscope::model {
namespace {

struct OccupancyCase {
  int major, minor, registers, threads;
  std::int64_t shared;
  int blocks;
  OccupancyLimiter limiter;
};

// By hand. Registers: per warp rounded to 256, 16384 per sub-partition. Shared: + 1 KiB from 8.0 on, rounded
// to 128 (256 before 8.0).
constexpr OccupancyCase kCases[] = {
    {9, 0, 32, 256, 0, 8, OccupancyLimiter::Warps},       // 64 / 8 warps
    {9, 0, 32, 32, 0, 32, OccupancyLimiter::Blocks},      // 64 warps would allow 64 blocks
    {9, 0, 128, 256, 0, 2, OccupancyLimiter::Registers},  // 4096 per warp: 4 per partition = 16 warps
    {9, 0, 168, 384, 0, 1, OccupancyLimiter::Registers},  // 5376 per warp: 3 per partition = 12 warps
    {9, 0, 255, 256, 0, 1, OccupancyLimiter::Registers},  // 8192 per warp (8160 rounded up): 8 warps
    {9, 0, 33, 1024, 0, 1, OccupancyLimiter::Registers},  // 1280 per warp: 12 per partition = 48 warps
    {9, 0, 32, 128, 98304, 2,
     OccupancyLimiter::SharedMemory},  // N36: tile set of 96 KiB fits twice into 228 KiB
    {9, 0, 32, 128, 232448, 1, OccupancyLimiter::SharedMemory},  // 227 KiB is the largest block
    {9, 0, 32, 128, 232449, 0, OccupancyLimiter::SharedMemory},  // one byte more
    {8, 6, 32, 256, 0, 6, OccupancyLimiter::Warps},              // 48 / 8 warps
    {8, 6, 16, 32, 0, 16, OccupancyLimiter::Blocks},
    {8, 9, 16, 32, 0, 24, OccupancyLimiter::Blocks},
    {7, 5, 32, 256, 0, 4, OccupancyLimiter::Warps},             // 32 / 8 warps
    {7, 0, 32, 256, 49152, 2, OccupancyLimiter::SharedMemory},  // 96 KiB, nothing reserved
    {8, 0, 32, 256, 49152, 3, OccupancyLimiter::SharedMemory},  // 164 KiB / 49 KiB
    {6, 0, 64, 1024, 0, 1, OccupancyLimiter::Registers},        // 2048 per warp: 16 per half = 32 warps
    {6, 0, 32, 128, 50000, 0, OccupancyLimiter::SharedMemory},  // the SM has 64 KiB, a block at most 48
    {9, 0, 32, 1025, 0, 0, OccupancyLimiter::Warps},            // larger than a block may be
    {9, 0, 33, 33, 0, 24, OccupancyLimiter::Registers},         // 2 warps each, 48 warps fit
};

TEST(Occupancy, HandWorkedCases) {
  for (const OccupancyCase& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.major << '.' << c.minor << " registers " << c.registers
                                    << " threads " << c.threads << " shared " << c.shared);
    const auto result = occupancy(*occupancyLimits(c.major, c.minor), c.registers, c.threads, c.shared);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->resident_blocks, c.blocks);
    EXPECT_EQ(text(result->limiter), text(c.limiter));
    EXPECT_EQ(result->resident_warps, c.blocks * ((c.threads + 31) / 32));
    EXPECT_DOUBLE_EQ(result->share, static_cast<double>(result->resident_warps) / result->max_warps);
  }
}

TEST(Occupancy, AllocationsAreRoundedUp) {
  const auto result = occupancy(*occupancyLimits(9, 0), 33, 256, 1000);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->allocated_registers_per_block, 1280 * 8);
  EXPECT_EQ(result->allocated_shared_bytes_per_block, 2048);  // 1000 + 1024 rounded to 128
}

TEST(Occupancy, CarveoutOfTheLaunchLimits) {
  auto limits = *occupancyLimits(9, 0);
  limits.shared_bytes_per_sm = 100 * 1024;  // the driver left the rest to L1
  const auto result = occupancy(limits, 32, 256, 32768);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->resident_blocks, 3);  // 33 KiB each
  EXPECT_EQ(result->limiter, OccupancyLimiter::SharedMemory);
}

TEST(Occupancy, BadInputsAreErrors) {
  const auto limits = *occupancyLimits(9, 0);
  EXPECT_FALSE(occupancy(limits, 32, 0, 0));
  EXPECT_FALSE(occupancy(limits, -1, 32, 0));
  EXPECT_FALSE(occupancy(limits, 32, 32, -1));
  EXPECT_FALSE(occupancy(OccupancyLimits{}, 32, 32, 0));
  const auto unknown = occupancyLimits(5, 9);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::Unavailable);
}

// The two tables of the project must not drift apart: limits by compute capability against the catalogue's
// rows.
TEST(Occupancy, LimitsAgreeWithTheCatalogue) {
  ASSERT_TRUE(hardware::catalogue());
  for (const hardware::HardwareSpec& spec : *hardware::catalogue()) {
    const auto capability = spec.cudaCapability();
    if (!capability) continue;
    SCOPED_TRACE(spec.id);
    const auto limits = occupancyLimits(capability->major, capability->minor);
    ASSERT_TRUE(limits) << limits.error().sentence();
    EXPECT_EQ(limits->max_warps_per_sm, *spec.max_warps_per_sm);
    EXPECT_EQ(limits->max_blocks_per_sm, *spec.max_blocks_per_sm);
    EXPECT_EQ(limits->shared_bytes_per_sm, *spec.shared_bytes_per_sm);
    EXPECT_EQ(limits->shared_bytes_per_block, *spec.shared_bytes_per_block_optin);
    EXPECT_EQ(limits->registers_per_sm * 4, *spec.register_bytes_per_sm);
  }
}

TEST(Waves, N103_AndExactFit) {
  const auto barely = waves(101, 100, 1);
  ASSERT_TRUE(barely);
  EXPECT_DOUBLE_EQ(barely->waves, 1.01);
  EXPECT_DOUBLE_EQ(barely->efficiency, 0.505);
  EXPECT_NEAR(barely->tail_unused, 0.99, 1e-12);
  const auto exact = waves(132 * 8, 132, 8);
  ASSERT_TRUE(exact);
  EXPECT_DOUBLE_EQ(exact->waves, 1);
  EXPECT_DOUBLE_EQ(exact->tail_unused, 0);
  EXPECT_DOUBLE_EQ(waves(1, 132, 8)->whole_waves, 1);
  EXPECT_GT(waves(std::int64_t{2147483647} * 65535, 132, 1)->waves, 1e12);
}

TEST(Waves, BadInputsAreErrors) {
  EXPECT_FALSE(waves(0, 132, 1));
  EXPECT_FALSE(waves(10, 0, 1));
  EXPECT_FALSE(waves(10, 132, -1));
  EXPECT_EQ(waves(10, 132, 0).error().kind, ErrorKind::Unavailable);
  EXPECT_FALSE(warpPacking(0, 32));
  EXPECT_FALSE(warpPacking(32, 0));
}

// fp16 4095^3 against 4096^3: the case measured on an H200 in the metric definitions.
TEST(Alignment, OddGemmIsMisaligned) {
  const auto odd = gemmAlignment(4095, 4095, 4095, 16);
  ASSERT_TRUE(odd);
  EXPECT_FALSE(odd->aligned());
  EXPECT_EQ(odd->m.aligned_to_bytes, 2);
  EXPECT_EQ(odd->m.padded_elements, 4096);
  EXPECT_NEAR(odd->padding_overhead, 4096.0 * 4096 * 4096 / (4095.0 * 4095 * 4095) - 1, 1e-12);
  const auto even = gemmAlignment(4096, 4096, 4096, 16);
  ASSERT_TRUE(even);
  EXPECT_TRUE(even->aligned());
  EXPECT_EQ(even->k.aligned_to_bytes, 256);
  EXPECT_DOUBLE_EQ(even->padding_overhead, 0);
}

// E11: multiples of 8 for 16-bit, of 16 for 8-bit, of 4 for 32-bit and of 32 for 4-bit elements.
TEST(Alignment, MultiplesByElementSize) {
  EXPECT_TRUE(gemmAlignment(8, 8, 8, 16)->aligned());
  EXPECT_FALSE(gemmAlignment(8, 8, 8, 8)->aligned());
  EXPECT_TRUE(gemmAlignment(16, 16, 16, 8)->aligned());
  EXPECT_TRUE(gemmAlignment(4, 4, 4, 32)->aligned());
  EXPECT_FALSE(gemmAlignment(16, 16, 16, 4)->aligned());
  EXPECT_TRUE(gemmAlignment(32, 32, 32, 4)->aligned());
  EXPECT_EQ(gemmAlignment(3, 1, 1, 4)->m.aligned_to_bytes, 0);  // 1.5 bytes: no whole byte divides it
  EXPECT_EQ(gemmAlignment(65, 1, 1, 6)->m.padded_elements,
            128);  // 128 bits hold no whole number of 6-bit elements
  const auto one = gemmAlignment(4096, 4096, 4095, 16);
  EXPECT_TRUE(one->m.aligned);
  EXPECT_FALSE(one->k.aligned);
}

TEST(Alignment, BadInputsAreErrors) {
  EXPECT_FALSE(gemmAlignment(0, 1, 1, 16));
  EXPECT_FALSE(gemmAlignment(1, 1, 1, 0));
  EXPECT_FALSE(gemmAlignment(1, 1, 1, 16, 0));
  EXPECT_FALSE(gemmAlignment(std::int64_t{1} << 62, 1, 1, 16));
}

}  // namespace
}  // namespace perfscope::model
