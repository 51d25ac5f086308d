// Expression -> steps. Before each part that may turn out optional or an alternative stands a jump to the
// next step; what follows the part turns it into a split.
#include "collector/window/pattern_compiler.h"

#include <string>
#include <utility>

namespace perfscope::collector {
namespace {

constexpr unsigned kMostDepth = 16;
constexpr unsigned kMostTimes = 256;

using Set = std::bitset<256>;

Set range(unsigned char first, unsigned char last) {
  Set set;
  for (unsigned c = first; c <= last; ++c) set.set(c);
  return set;
}

Set only(char c) {
  return Set().set(static_cast<unsigned char>(c));
}

// \d \w \s and their opposites.
std::optional<Set> namedSet(char name) {
  const Set digits = range('0', '9');
  switch (name) {
    case 'd':
      return digits;
    case 'D':
      return ~digits;
    case 'w':
    case 'W': {
      const Set word = digits | range('a', 'z') | range('A', 'Z') | only('_');
      return name == 'w' ? word : ~word;
    }
    case 's':
    case 'S': {
      const Set space = range('\t', '\r') | only(' ');
      return name == 's' ? space : ~space;
    }
    default:
      return std::nullopt;
  }
}

bool isAscii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

}  // namespace

std::optional<Pattern> PatternCompiler::compile() {
  if (!alternatives() || m_position != m_text.size()) return std::nullopt;
  add(Op::Found);
  if (m_too_long) return std::nullopt;
  return std::move(m_pattern);
}

bool PatternCompiler::take(char c) {
  if (!at(c)) return false;
  ++m_position;
  return true;
}

size_t PatternCompiler::add(Op op, size_t a, size_t b) {
  if (end() + 1 >= Pattern::kMostSteps) m_too_long = true;
  if (!m_too_long) m_pattern.m_steps.push_back({op, static_cast<uint16_t>(a), static_cast<uint16_t>(b)});
  return m_too_long ? 0 : end() - 1;
}

void PatternCompiler::addSet(const Set& set) {
  m_pattern.m_sets.push_back(set);
  add(Op::Set, m_pattern.m_sets.size() - 1);
}

void PatternCompiler::split(size_t index, size_t a, size_t b) {
  if (m_too_long) return;
  step(index) = {Op::Split, static_cast<uint16_t>(a), static_cast<uint16_t>(b)};
}

bool PatternCompiler::alternatives() {
  std::vector<size_t> ends;
  for (;;) {
    const size_t begin = add(Op::Jump, end() + 1);
    if (!sequence()) return false;
    if (!take('|')) break;
    ends.push_back(add(Op::Jump));
    split(begin, begin + 1, end());
  }
  if (m_too_long) return false;
  for (const size_t jump : ends) step(jump).a = static_cast<uint16_t>(end());
  return true;
}

bool PatternCompiler::sequence() {
  while (m_position < m_text.size() && !at('|') && !at(')')) {
    if (!repeated() || m_too_long) return false;
  }
  return true;
}

bool PatternCompiler::repeated() {
  const size_t from = m_position;
  const size_t begin = add(Op::Jump, end() + 1);
  if (!atom()) return false;
  Times how_often;
  if (!times(how_often) || m_too_long) return false;
  return repeat(begin, from, how_often);
}

// The part was read once, from `from` in the text to steps behind `begin`; further copies are read again.
bool PatternCompiler::repeat(size_t begin, size_t from, const Times& times) {
  const size_t after = m_position;
  size_t last = begin + 1;
  const auto again = [&] {
    m_position = from;
    last = end();
    const bool good = atom() && !m_too_long;
    m_position = after;
    return good;
  };
  for (unsigned i = 1; i < times.least; ++i) {
    if (!again()) return false;
  }
  std::vector<size_t> optional;
  if (times.most == kUnbounded) {
    const size_t loop = add(Op::Jump);
    split(loop, last, loop + 1);
  } else {
    for (unsigned i = times.least > 1 ? times.least : 1; i < times.most; ++i) {
      optional.push_back(add(Op::Jump));
      if (!again()) return false;
    }
  }
  if (m_too_long) return false;
  for (const size_t index : optional) split(index, index + 1, end());
  if (times.least == 0) split(begin, times.most == 0 ? end() : begin + 1, end());
  return true;
}

bool PatternCompiler::number(unsigned& value) {
  const size_t first = m_position;
  value = 0;
  for (; m_position < m_text.size() && m_text[m_position] >= '0' && m_text[m_position] <= '9'; ++m_position) {
    value = value * 10 + static_cast<unsigned>(m_text[m_position] - '0');
    if (value > kMostTimes) return false;
  }
  return m_position > first;
}

bool PatternCompiler::times(Times& times) {
  if (take('*')) {
    times = {0, kUnbounded};
  } else if (take('+')) {
    times = {1, kUnbounded};
  } else if (take('?')) {
    times = {0, 1};
  } else if (take('{')) {
    if (!number(times.least)) return false;
    times.most = times.least;
    if (take(',')) {
      times.most = kUnbounded;
      if (!at('}') && !number(times.most)) return false;
    }
    if (!take('}') || times.most < times.least) return false;
  } else {
    return true;
  }
  take('?');  // lazy: another order of trying, the same answer
  return !at('*') && !at('+') && !at('?') && !at('{');
}

bool PatternCompiler::atom() {
  constexpr std::string_view kNotAlone = "*+?{}]";
  const char c = m_text[m_position];
  if (kNotAlone.find(c) != std::string_view::npos) return false;
  ++m_position;
  if (c == '(') return group();
  if (c == '[') return charClass();
  if (c == '^' || c == '$') {
    add(c == '^' ? Op::Begin : Op::End);
    return true;
  }
  Set set = only(c);
  if (c == '.') set = ~(only('\n') | only('\r'));
  if (c == '\\' && !escape(set)) return false;
  addSet(set);
  return true;
}

bool PatternCompiler::group() {
  if (take('?') && !take(':')) return false;
  if (++m_depth > kMostDepth || !alternatives()) return false;
  --m_depth;
  return take(')');
}

// Behind the backslash: one character or a named set.
bool PatternCompiler::escape(Set& set) {
  if (m_position == m_text.size()) return false;
  const char c = m_text[m_position++];
  if (const auto named = namedSet(c)) {
    set = *named;
    return true;
  }
  constexpr std::string_view kControls = "tnrfv";
  constexpr std::string_view kMeaning = "\t\n\r\f\v";
  if (const auto i = kControls.find(c); i != std::string_view::npos) {
    set = only(kMeaning[i]);
    return true;
  }
  const bool plain = isAscii(c) && !(*namedSet('w')).test(static_cast<unsigned char>(c));
  set = only(c);
  return plain;
}

bool PatternCompiler::charClass() {
  Set set;
  const bool others = take('^');
  if (at(']')) return false;
  while (!at(']')) {
    if (!classItem(set)) return false;
  }
  ++m_position;
  addSet(others ? ~set : set);
  return true;
}

bool PatternCompiler::classItem(Set& set) {
  if (m_position == m_text.size() || !isAscii(m_text[m_position]) || at('[')) return false;
  const char first = m_text[m_position++];
  Set item = only(first);
  if (first == '\\' && !escape(item)) return false;
  const bool dash = at('-') && m_position + 1 < m_text.size() && m_text[m_position + 1] != ']';
  if (dash) {
    ++m_position;
    const char last = m_text[m_position++];
    if (first == '\\' || last == '\\' || last == '[' || !isAscii(last) || last < first) return false;
    item = range(static_cast<unsigned char>(first), static_cast<unsigned char>(last));
  }
  set |= item;
  return true;
}

}  // namespace perfscope::collector
