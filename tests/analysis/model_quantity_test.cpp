// Numbers as people type them, and what is refused.
#include "analysis/model/quantity.h"

#include <gtest/gtest.h>

namespace perfscope::model {
namespace {

double parse(std::string_view text, std::string_view unit) {
  const auto value = parseQuantity(text, unit);
  EXPECT_TRUE(value) << text << ": " << (value ? "" : value.error().sentence());
  return value.value_or(-1);
}

TEST(Quantity, PlainNumbersAndPrefixes) {
  EXPECT_DOUBLE_EQ(parse("1.5e12", ""), 1.5e12);
  EXPECT_DOUBLE_EQ(parse("989T", "FLOP/s"), 989e12);
  EXPECT_DOUBLE_EQ(parse("3.35T", "byte/s"), 3.35e12);
  EXPECT_DOUBLE_EQ(parse("4K", ""), 4000);
  EXPECT_DOUBLE_EQ(parse("4k", ""), 4000);
  EXPECT_DOUBLE_EQ(parse("4Ki", ""), 4096);
  EXPECT_DOUBLE_EQ(parse("2Mi", "byte"), 2097152);
  EXPECT_DOUBLE_EQ(parse("14.9P", "FLOP/s"), 14.9e15);
  EXPECT_DOUBLE_EQ(parse(" 7 M ", ""), 7e6);
}

TEST(Quantity, BillionOrByteByUnit) {
  EXPECT_DOUBLE_EQ(parse("70B", ""), 70e9);
  EXPECT_DOUBLE_EQ(parse("70b", ""), 70e9);
  EXPECT_DOUBLE_EQ(parse("70B", "byte"), 70);
  EXPECT_DOUBLE_EQ(parse("70GB", "byte"), 70e9);
  EXPECT_DOUBLE_EQ(parse("80GiB", "byte"), 85899345920.0);
}

TEST(Quantity, UnitsAreTakenOff) {
  EXPECT_DOUBLE_EQ(parse("989TFLOP/s", "FLOP/s"), 989e12);
  EXPECT_DOUBLE_EQ(parse("989 TFLOPS", "FLOP/s"), 989e12);
  EXPECT_DOUBLE_EQ(parse("3.35TB/s", "byte/s"), 3.35e12);
  EXPECT_DOUBLE_EQ(parse("100Gbit/s", "byte/s"), 12.5e9);
  EXPECT_DOUBLE_EQ(parse("5us", "s"), 5e-6);
  EXPECT_DOUBLE_EQ(parse("1.5min", "s"), 90);
  EXPECT_DOUBLE_EQ(parse("2h", "s"), 7200);
  EXPECT_DOUBLE_EQ(parse("40%", ""), 0.4);
  EXPECT_DOUBLE_EQ(parse("1.98GHz", "MHz"), 1980);
}

TEST(Quantity, NegativeNumbersParseForTheCallerToJudge) {
  EXPECT_DOUBLE_EQ(parse("-2", ""), -2);
}

TEST(Quantity, RubbishIsRefusedWithWhatWouldBeAccepted) {
  for (const char* bad :
       {"", " ", "T", "abc", "1.5.2", "12Q", "3 T B", "1e999", "inf", "nan", "0x10", "5KK", "--1", "1,5"}) {
    const auto value = parseQuantity(bad, "");
    ASSERT_FALSE(value) << bad;
    EXPECT_EQ(value.error().kind, ErrorKind::Usage);
    EXPECT_FALSE(value.error().remedy.empty());
  }
}

TEST(Quantity, CapitalsAreHinted) {
  const auto remedy = [](std::string_view text, std::string_view unit) {
    const auto value = parseQuantity(text, unit);
    return value ? std::string("accepted") : value.error().remedy;
  };
  EXPECT_EQ(remedy("989tflop/s", "FLOP/s"), "did you mean 989TFLOP/s?");
  EXPECT_EQ(remedy("80gb", "byte"), "did you mean 80GB?");
  EXPECT_EQ(remedy("100gbps", "byte/s"), "did you mean 100Gbps?");  // bits: one capital away, GBps two
  EXPECT_EQ(remedy("70b", "byte"), "did you mean 70B?");
  EXPECT_EQ(remedy("7m", ""), "did you mean 7M?");
  EXPECT_EQ(remedy("7q", "").rfind("write a number", 0), 0U);
}

TEST(Quantity, BareNumbers) {
  for (const char* bare : {"989", " 1.5e12 ", "-2"}) EXPECT_TRUE(isBareNumber(bare)) << bare;
  for (const char* text : {"989T", "5us", "", "x", "40%"}) EXPECT_FALSE(isBareNumber(text)) << text;
}

TEST(Quantity, AnotherUnitIsRefused) {
  EXPECT_FALSE(parseQuantity("3.35TB/s", "FLOP/s"));
  EXPECT_FALSE(parseQuantity("5ms", "byte"));
  EXPECT_FALSE(parseQuantity("989TFLOP/s", "byte/s"));
  EXPECT_FALSE(parseQuantity("50%", "s"));
  EXPECT_FALSE(parseQuantity("1e300E", ""));  // overflows
}

}  // namespace
}  // namespace perfscope::model
