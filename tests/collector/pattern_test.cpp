// The matcher that does not allocate against std::regex, which is its definition.
#include "collector/window/pattern.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "collector/window/step_matcher.h"

namespace perfscope::collector {
namespace {

TEST(Pattern, AnswersAsTheStandardLibraryDoes) {
  const char* const patterns[] = {"step",
                                  "^step$",
                                  "^step [0-9]+$",
                                  "step \\d+",
                                  "^(a|b)*c$",
                                  "^(?:ab){2,3}$",
                                  "x{0}y",
                                  "^a{2}$",
                                  "^a{2,}b?$",
                                  "^a{0,2}$",
                                  "[^0-9]$",
                                  "^[a-c_-]+$",
                                  "^[\\d.]+$",
                                  "\\w+#\\w+",
                                  "^\\s*$",
                                  "a.c",
                                  "^(a*)*b$",
                                  "^(a|ab)(c|bcd)$",
                                  "^$",
                                  "|x",
                                  "a|^b|c$",
                                  "\\.\\*\\(",
                                  "^(x(y(z)?)?)+$",
                                  "a+?b",
                                  "^\\D+$",
                                  "^[^\\s]+ [\\w]+$",
                                  "\\t",
                                  "^(a?){3}$"};
  const char* const texts[] = {"",
                               "step",
                               "step 12",
                               "Step 12",
                               "my step 7 of 9",
                               "ab",
                               "abab",
                               "ababab",
                               "abababab",
                               "aac",
                               "bbac",
                               "y",
                               "xy",
                               "aa",
                               "aaa",
                               "aaab",
                               "aaabb",
                               "a_c-b",
                               "3.14",
                               "it#7",
                               "   ",
                               "a\nc",
                               "abc",
                               "abcd",
                               "acd",
                               "x",
                               ".*(",
                               "xyzxyx",
                               "\t",
                               "b",
                               "cb",
                               "h\xc3\xa9 llo"};
  for (const char* pattern : patterns) {
    const auto ours = Pattern::compile(pattern);
    ASSERT_TRUE(ours) << pattern;
    const std::regex theirs(pattern);
    for (const char* text : texts)
      EXPECT_EQ(ours->foundIn(text), std::regex_search(text, theirs)) << pattern << " in \"" << text << "\"";
  }
}

TEST(Pattern, WhatIsBeyondItIsRefusedNotGuessed) {
  for (const char* pattern : {"\\bstep", "(a)\\1", "a(?=b)", "[[:alpha:]]", "[z-a]", "(", ")", "a**", "[",
                              "\\x41", "{3}", "a{9999}", "(a{200}){200}"})
    EXPECT_FALSE(Pattern::compile(pattern)) << pattern;
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += '(';
  EXPECT_FALSE(Pattern::compile(deep));
}

// An expression that takes a backtracking matcher 2^40 steps.
TEST(Pattern, TimeStaysLinear) {
  const auto pattern = Pattern::compile("^(a|a)*(a|a)*b$");
  ASSERT_TRUE(pattern);
  EXPECT_FALSE(pattern->foundIn(std::string(40, 'a') + "c"));
}

TEST(StepMatcher, PatternsBeyondItStillMatch) {
  const StepMatcher boundary("\\bstep\\b");
  EXPECT_TRUE(boundary.allocates());
  EXPECT_TRUE(boundary.matches("a step"));
  EXPECT_FALSE(boundary.matches("a stepper"));
}

}  // namespace
}  // namespace perfscope::collector
