// Expression -> steps of a Pattern, by recursive descent. Cold: allocates.
#pragma once

#include <optional>
#include <string_view>

#include "collector/window/pattern.h"

namespace perfscope::collector {

class PatternCompiler {
 public:
  explicit PatternCompiler(std::string_view expression) : m_text(expression) {}
  std::optional<Pattern> compile();

 private:
  using Op = Pattern::Op;
  using Set = std::bitset<256>;
  // How often: `most` kUnbounded = no limit.
  struct Times {
    unsigned least = 1, most = 1;
  };
  static constexpr unsigned kUnbounded = ~0U;

  // Each reads its part, appends its steps, and is false when that part is beyond us.
  bool alternatives();
  bool sequence();
  bool repeated();
  bool atom();
  bool group();
  bool charClass();
  bool classItem(Set& set);
  bool escape(Set& set);
  bool times(Times& times);
  bool number(unsigned& value);
  bool repeat(size_t begin, size_t from, const Times& times);

  [[nodiscard]] bool at(char c) const { return m_position < m_text.size() && m_text[m_position] == c; }
  bool take(char c);
  size_t add(Op op, size_t a = 0, size_t b = 0);
  void addSet(const Set& set);
  [[nodiscard]] size_t end() const { return m_pattern.m_steps.size(); }
  Pattern::Step& step(size_t index) { return m_pattern.m_steps[index]; }
  void split(size_t index, size_t a, size_t b);

  std::string_view m_text;
  size_t m_position = 0;
  unsigned m_depth = 0;
  bool m_too_long = false;
  Pattern m_pattern;
};

}  // namespace perfscope::collector
