// Numbers and text as people read them: units, rounding at the borders, cleaning, fitting.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analysis/report/format.h"
#include "analysis/report/glyphs.h"
#include "analysis/report/line_bonds.h"

namespace perfscope {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Format, DurationsTakeTheUnitThatKeepsThreeDigits) {
  EXPECT_EQ(format::duration(0), "0 ns");
  EXPECT_EQ(format::duration(1), "1 ns");
  EXPECT_EQ(format::duration(850), "850 ns");
  EXPECT_EQ(format::duration(1234), "1.23 us");
  EXPECT_EQ(format::duration(12345), "12.3 us");
  EXPECT_EQ(format::duration(1.5e9), "1.50 s");
  EXPECT_EQ(format::duration(-1500), "-1.50 us");
}

TEST(Format, RoundingNeverLeavesFourDigits) {
  EXPECT_EQ(format::duration(999.4e3), "999 us");
  EXPECT_EQ(format::duration(999.6e3), "1.00 ms");
  EXPECT_EQ(format::duration(9.996e6), "10.0 ms");
  EXPECT_EQ(format::duration(99.96e6), "100 ms");
  EXPECT_EQ(format::bytes(999'999), "1.00 MB");
}

TEST(Format, LongDurationsAreMinutesAndHours) {
  EXPECT_EQ(format::duration(179e9), "179 s");
  EXPECT_EQ(format::duration(200e9), "3 min 20 s");
  EXPECT_EQ(format::duration(7500e9), "2 h 05 min");
  EXPECT_EQ(format::duration(3599.6e9), "1 h 00 min");
}

TEST(Format, DecimalUnits) {
  EXPECT_EQ(format::bytes(512), "512 B");
  EXPECT_EQ(format::bytes(12.3e9), "12.3 GB");
  EXPECT_EQ(format::bytesPerSecond(4.8e12), "4.80 TB/s");
  EXPECT_EQ(format::flops(2.2e12), "2.20 TFLOP");
  EXPECT_EQ(format::flopsPerSecond(765e12), "765 TFLOP/s");
  EXPECT_EQ(format::intensity(206.04), "206 FLOP/byte");
  EXPECT_EQ(format::bytes(5e18), "5,000 PB");
}

TEST(Format, Counts) {
  EXPECT_EQ(format::count(0), "0");
  EXPECT_EQ(format::count(999), "999");
  EXPECT_EQ(format::count(1000), "1,000");
  EXPECT_EQ(format::count(-1234567), "-1,234,567");
  EXPECT_EQ(format::count(std::numeric_limits<int64_t>::max()), "9,223,372,036,854,775,807");
  EXPECT_EQ(format::count(std::numeric_limits<int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(Format, CountedNouns) {
  EXPECT_EQ(format::counted(0, "gap"), "0 gaps");
  EXPECT_EQ(format::counted(1, "gap"), "1 gap");
  EXPECT_EQ(format::counted(1200, "CUDA graph"), "1,200 CUDA graphs");
  EXPECT_EQ(format::counted(1, "process"), "1 process");
  EXPECT_EQ(format::counted(2, "process"), "2 processes");
  EXPECT_EQ(format::counted(2, "launch"), "2 launches");
  EXPECT_EQ(format::counted(105, "copy"), "105 copies");
  EXPECT_EQ(format::counted(2, "way"), "2 ways");
}

TEST(Format, PercentagesDoNotPretendToBeWhole) {
  EXPECT_EQ(format::percent(0), "0.0 %");
  EXPECT_EQ(format::percent(0.4267), "42.7 %");
  EXPECT_EQ(format::percent(1), "100.0 %");
  EXPECT_EQ(format::percent(0.00001), "< 0.1 %");
  EXPECT_EQ(format::percent(0.99999), "> 99.9 %");
  EXPECT_EQ(format::percent(1.5), "150.0 %");
  EXPECT_EQ(format::change(0.012), "+1.2 %");
  EXPECT_EQ(format::change(-0.012), "-1.2 %");
  EXPECT_EQ(format::change(-0.00001), "+0.0 %");
}

TEST(Format, WhatIsNotFiniteIsADash) {
  for (const double value : {kNaN, kInfinity, -kInfinity}) {
    EXPECT_EQ(format::duration(value), "-");
    EXPECT_EQ(format::bytes(value), "-");
    EXPECT_EQ(format::flopsPerSecond(value), "-");
    EXPECT_EQ(format::intensity(value), "-");
    EXPECT_EQ(format::percent(value), "-");
    EXPECT_EQ(format::change(value), "-");
    EXPECT_EQ(format::number(value), "-");
    EXPECT_EQ(format::exact(value), "");
  }
}

TEST(Format, NumbersAndExactNumbers) {
  EXPECT_EQ(format::number(0), "0");
  EXPECT_EQ(format::number(1.234), "1.23");
  EXPECT_EQ(format::number(64), "64");
  EXPECT_EQ(format::number(-64.5), "-64.5");
  EXPECT_EQ(format::number(1755), "1,755");
  EXPECT_EQ(format::number(1e20), "1.00e+20");
  EXPECT_EQ(format::number(0.0001), "1.00e-04");
  EXPECT_EQ(format::exact(0.1), "0.1");
  EXPECT_EQ(std::stod(format::exact(1.0 / 3)), 1.0 / 3);
}

TEST(Glyphs, WidthCountsColumnsNotBytes) {
  EXPECT_EQ(glyphs::width("abc"), 3U);
  EXPECT_EQ(glyphs::width("█░"), 2U);
  EXPECT_EQ(glyphs::width("漢字"), 4U);
  EXPECT_EQ(glyphs::width("e\xCC\x81"), 1U);  // e + combining acute
  EXPECT_EQ(glyphs::width("\xff\xfe"), 2U);
}

TEST(Glyphs, CleanTakesTheTeethOutOfForeignText) {
  EXPECT_EQ(glyphs::clean("a\033[31mb"), "a?[31mb");
  EXPECT_EQ(glyphs::clean("a\nb\tc\rd"), "a b c d");
  EXPECT_EQ(glyphs::clean("\xff|\xe2\x82|\xc0\x80|\xed\xa0\x80"),
            "?|??|??|???");                   // lone, torn, overlong, surrogate
  EXPECT_EQ(glyphs::clean("\xc2\x9b"), "?");  // C1 control: CSI in one character
  EXPECT_EQ(glyphs::clean("a\xE2\x80\xAE"
                          "b"),
            "a?b");  // right-to-left override
  EXPECT_EQ(glyphs::clean(std::string("a\0b", 3)), "a?b");
  EXPECT_EQ(glyphs::clean("漢字 µ"), "漢字 µ");
}

TEST(Glyphs, ShortenKeepsBothEnds) {
  EXPECT_EQ(glyphs::shorten("short", 10), "short");
  EXPECT_EQ(glyphs::shorten("abcdefghijklmnopqrstuvwxyz", 13), "abcdef...wxyz");
  EXPECT_EQ(glyphs::shorten("abcdefgh", 4), "abcd");
  EXPECT_EQ(glyphs::shorten("abc", 0), "");
  for (size_t columns = 0; columns < 30; ++columns) {
    EXPECT_LE(glyphs::width(glyphs::shorten("漢字漢字漢字漢字漢字漢字", columns)), columns);
  }
}

TEST(Glyphs, WrapNeverExceedsTheWidth) {
  EXPECT_EQ(glyphs::wrap("", 10), (std::vector<std::string>{""}));
  EXPECT_EQ(glyphs::wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(glyphs::wrap("abcdefgh", 3), (std::vector<std::string>{"abc", "def", "gh"}));
  for (size_t columns = 2; columns < 20; ++columns) {
    for (const auto& line : glyphs::wrap("some 漢字漢字漢字 words and averyveryverylongword", columns)) {
      EXPECT_LE(glyphs::width(line), columns);
    }
  }
}

TEST(Glyphs, AsciiKeepsTheWidth) {
  EXPECT_EQ(glyphs::toAscii("█░─•漢"), "#.-*??");
  EXPECT_EQ(glyphs::toAscii("plain"), "plain");
}

TEST(Glyphs, BarsShowEvenTheSmallestPart) {
  EXPECT_EQ(glyphs::bar(0, 4), "░░░░");
  EXPECT_EQ(glyphs::bar(0.5, 4), "██░░");
  EXPECT_EQ(glyphs::bar(1, 4), "████");
  EXPECT_EQ(glyphs::bar(1e-9, 2), "▏░");
  EXPECT_EQ(glyphs::bar(7, 2), "██");
  EXPECT_EQ(glyphs::bar(kNaN, 2), "░░");
}

// A line may end before "5.5" or after "us", never between them.
TEST(Bonds, NumbersAndUnitsStayTogether) {
  for (const auto& [left, right] : std::vector<std::pair<std::string, std::string>>{{"82", "%"},
                                                                                    {"20", "%)."},
                                                                                    {"(5.5", "us,"},
                                                                                    {"+1.2", "%"},
                                                                                    {"1,234", "kB"},
                                                                                    {"4.8", "TB/s"},
                                                                                    {"1.98e+15", "FLOP/s,"},
                                                                                    {"206", "FLOP/byte"},
                                                                                    {"<", "0.1"},
                                                                                    {"+-", "1.06"},
                                                                                    {"3", "min"},
                                                                                    {"min", "20"},
                                                                                    {"1,755", "MHz"},
                                                                                    {"38", "C"}}) {
    EXPECT_TRUE(belongTogether(left, right)) << left << " " << right;
  }
  for (const auto& [left, right] : std::vector<std::pair<std::string, std::string>>{{"84", "steady"},
                                                                                    {"takes", "5"},
                                                                                    {"5,", "s"},
                                                                                    {"(5)", "s"},
                                                                                    {"p95", "ms"},
                                                                                    {"-", "%"},
                                                                                    {"us", "5"}}) {
    EXPECT_FALSE(belongTogether(left, right)) << left << " " << right;
  }
}

TEST(Glyphs, WrapKeepsNumbersWithTheirUnits) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(glyphs::wrap("synchronisation 20 % of it", 18), (Lines{"synchronisation", "20 % of it"}));
  EXPECT_EQ(glyphs::wrap("it took < 0.1 % of all", 11), (Lines{"it took", "< 0.1 % of", "all"}));
  EXPECT_EQ(glyphs::wrap("3 min 20 s", 4), (Lines{"3", "min", "20 s"}));  // no room for all of it
}

}  // namespace
}  // namespace perfscope
