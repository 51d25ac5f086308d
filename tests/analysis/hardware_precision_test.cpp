// Names of the arithmetic paths and of compute capabilities: print -> parse gives the same back.
#include "analysis/hardware/precision.h"

#include <gtest/gtest.h>

#include "analysis/hardware/hardware_spec.h"

namespace perfscope::hardware {
namespace {

TEST(Precision, NamesRoundTrip) {
  for (const Precision precision : allPrecisions()) {
    const auto parsed = parsePrecision(name(precision));
    ASSERT_TRUE(parsed) << name(precision);
    EXPECT_EQ(*parsed, precision);
  }
}

TEST(Precision, ShortFormsAndCase) {
  EXPECT_EQ(*parsePrecision("FP8"), Precision::Fp8Tensor);
  EXPECT_EQ(*parsePrecision("tf32"), Precision::Tf32Tensor);
  EXPECT_EQ(*parsePrecision("fp16"), Precision::Fp16);  // the vector pipe, not the tensor pipe
}

TEST(Precision, UnknownListsTheNames) {
  const auto parsed = parsePrecision("fp12");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().kind, ErrorKind::Usage);
  EXPECT_NE(parsed.error().remedy.find("bf16_tensor"), std::string::npos);
  EXPECT_FALSE(parsePrecision(""));
}

TEST(Precision, IntegerWorkIsNoFlop) {
  EXPECT_EQ(rateUnit(Precision::Int8Tensor), "op/s");
  EXPECT_EQ(rateUnit(Precision::Fp8Tensor), "FLOP/s");
  EXPECT_EQ(storageBits(Precision::Fp4Tensor), 4);
  EXPECT_TRUE(isTensor(Precision::Fp64Tensor));
  EXPECT_FALSE(isTensor(Precision::Fp16));
}

TEST(ComputeCapability, ParsesOnlyMajorDotMinor) {
  EXPECT_EQ(parseComputeCapability("12.1"), (ComputeCapability{12, 1}));
  EXPECT_EQ(text(ComputeCapability{9, 0}), "9.0");
  for (const char* bad : {"", "9", "9.", ".0", "9.0a", "gfx942", "-9.0", "9.-1", "9 .0", "99999999999.0"}) {
    EXPECT_FALSE(parseComputeCapability(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace perfscope::hardware
