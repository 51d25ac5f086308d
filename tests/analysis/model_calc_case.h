// One row of a table of golden values for the calculators: arguments in, one named value out.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/model/calculator.h"

namespace perfscope::test {

inline constexpr double kExact = 1e-9;     // closed forms and counts
inline constexpr double kPermille = 1e-3;  // the tolerance of the worked examples

struct CalcCase {
  std::string id;       // number of the worked example
  std::string command;  // "ridge peak=989T bandwidth=3.35T"
  std::string value;    // name of the result
  double expected = 0;
  double tolerance = kPermille;  // relative
};

inline Result<model::Evaluation> calculate(const std::string& command) {
  std::istringstream stream(command);
  std::string name;
  stream >> name;
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  const auto calculator = model::findCalculator(name);
  if (!calculator) return tl::unexpected<Error>(calculator.error());
  const auto arguments = model::parseArguments(words);
  if (!arguments) return tl::unexpected<Error>(arguments.error());
  return model::evaluate(**calculator, *arguments);
}

inline const model::NamedValue* findValue(const model::Evaluation& evaluation, const std::string& name) {
  for (const model::NamedValue& value : evaluation.values) {
    if (value.name == name) return &value;
  }
  return nullptr;
}

inline void expectCase(const CalcCase& c) {
  const auto evaluation = calculate(c.command);
  ASSERT_TRUE(evaluation) << c.id << ": " << evaluation.error().sentence();
  const model::NamedValue* value = findValue(*evaluation, c.value);
  ASSERT_NE(value, nullptr) << c.id << ": no value " << c.value;
  EXPECT_NEAR(value->value, c.expected, std::abs(c.expected) * c.tolerance) << c.id << ": " << c.command;
}

inline void expectCases(const std::vector<CalcCase>& cases) {
  for (const CalcCase& c : cases) expectCase(c);
}

}  // namespace perfscope::test
