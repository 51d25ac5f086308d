// Recognises the NVTX range that is one step.
#include "collector/window/step_matcher.h"

#include <regex>
#include <utility>

namespace perfscope::collector {

struct StepMatcher::Regex {
  std::regex expression;
};

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool startsWithWord(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (size_t i = 0; i < word.size(); ++i)
    if (lower(text[i]) != word[i]) return false;
  return true;
}

bool isSeparator(char c) {
  return c == ' ' || c == '#' || c == '_' || c == ':' || c == '-' || c == '=';
}

bool defaultMatch(std::string_view text) {
  for (const std::string_view word : {"profilerstep", "step", "iteration", "iter"}) {
    if (!startsWithWord(text, word)) continue;
    std::string_view rest = text.substr(word.size());
    while (!rest.empty() && isSeparator(rest.front())) rest.remove_prefix(1);
    if (rest.empty()) return false;
    for (const char c : rest)
      if (c < '0' || c > '9') return false;
    return true;
  }
  return false;
}

}  // namespace

StepMatcher::StepMatcher(std::string_view pattern) : m_plain(pattern) {
  if (pattern.empty()) return;
  try {
    auto regex = std::make_unique<Regex>(Regex{std::regex(m_plain, std::regex::optimize)});
    m_pattern = Pattern::compile(pattern);
    if (!m_pattern) m_regex = std::move(regex);
  } catch (const std::exception&) {
    m_valid = false;
  }
}
StepMatcher::~StepMatcher() = default;

bool StepMatcher::matches(std::string_view text) const noexcept {
  if (m_plain.empty()) return defaultMatch(text);
  if (m_pattern) return m_pattern->foundIn(text);
  if (!m_regex) return text == m_plain;
  try {
    return std::regex_search(text.begin(), text.end(), m_regex->expression);
  } catch (const std::exception&) {  // too complex for the library: no step
    return false;
  }
}

}  // namespace perfscope::collector
