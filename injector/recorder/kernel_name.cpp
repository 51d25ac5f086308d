// Demangling and shortening of kernel names.
#include "injector/recorder/kernel_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

namespace perfscope {
namespace {

constexpr size_t kLongestMangled = 65536;
constexpr std::string_view kAnonymous = "(anonymous namespace)";
constexpr std::string_view kOperator = "operator";
// Longest first, so that a prefix cannot win.
constexpr std::array<std::string_view, 41> kSymbols = {
    "->*", "<<=", ">>=", "<=>", "()", "[]", "->", "<<", ">>", "<=", ">=", "==",    "!=",      "&&",
    "||",  "++",  "--",  "+=",  "-=", "*=", "/=", "%=", "^=", "&=", "|=", "<",     ">",       "+",
    "-",   "*",   "/",   "%",   "^",  "&",  "|",  "~",  "!",  "=",  ",",  "new[]", "delete[]"};

bool isIdentifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

class Shortener {
 public:
  explicit Shortener(std::string_view text) : m_text(text) {}

  std::string run() {
    while (m_at < m_text.size() && !m_done) step();
    return m_out;
  }

 private:
  [[nodiscard]] bool at(std::string_view word) const { return m_text.substr(m_at).starts_with(word); }
  [[nodiscard]] bool atOperator() const {
    if (!at(kOperator) || (m_at > 0 && isIdentifier(m_text[m_at - 1]))) return false;
    const size_t after = m_at + kOperator.size();
    return after >= m_text.size() || !isIdentifier(m_text[after]);
  }

  void step() {
    const char c = m_text[m_at];
    if (at(kAnonymous)) {
      m_out += kAnonymous;
      m_at += kAnonymous.size();
    } else if (atOperator()) {
      m_out += operatorName();
    } else if (c == '<' || c == '[') {
      if (at("[clone")) m_done = true;
      skipGroup();
    } else if (c == '{') {
      braces();
    } else if (c == '(') {
      parameters();
    } else if (c == ' ') {
      // A blank ends the return type, unless it stands before "[clone ...]".
      ++m_at;
      if (!at("[") && !at("(") && !at("<")) m_out.clear();
    } else {
      m_out += c;
      ++m_at;
    }
  }

  // After "operator": the symbol, new/delete, or the type of a conversion, up to the parameters.
  std::string operatorName() {
    std::string name(kOperator);
    m_at += kOperator.size();
    for (const auto symbol : kSymbols) {
      if (!at(symbol)) continue;
      m_at += symbol.size();
      return name + std::string(symbol);
    }
    while (m_at < m_text.size() && m_text[m_at] != '(') {
      if (m_text[m_at] == '<') {
        skipGroup();
      } else {
        name += m_text[m_at++];
      }
    }
    return name;
  }

  // From an opening bracket past its partner. Unbalanced text: to the end.
  void skipGroup() {
    std::string open;
    do {
      const char c = m_text[m_at];
      if (atOperator()) {
        (void)operatorName();
        continue;
      }
      if (at("->")) {
        m_at += 2;
        continue;
      }
      if (c == '<' || c == '(' || c == '[' || c == '{') open += c;
      if (c == '>' && open.back() == '<') open.pop_back();
      if (c == ')' || c == ']' || c == '}') close(open, c == ')' ? '(' : c == ']' ? '[' : '{');
      ++m_at;
    } while (!open.empty() && m_at < m_text.size());
  }

  // A '<' left open inside was a comparison, not a bracket.
  static void close(std::string& open, char partner) {
    const auto position = open.rfind(partner);
    if (position != std::string::npos) open.resize(position);
  }

  // "{lambda(int, float)#2}" -> "{lambda#2}"
  void braces() {
    const size_t begin = m_at;
    skipGroup();
    int depth = 0;
    for (const char c : m_text.substr(begin, m_at - begin)) {
      if (c == '(') ++depth;
      if (depth == 0) m_out += c;
      if (c == ')' && depth > 0) --depth;
    }
  }

  // Parameters end the name, except where a local entity of that function follows: "f(int)::{lambda()#1}".
  void parameters() {
    const bool return_type = m_out.ends_with("decltype");
    skipGroup();
    if (return_type) return;
    for (const std::string_view word : {" const", " volatile", " &&", " &", " noexcept"}) {
      if (at(word)) m_at += word.size();
    }
    if (!at("::")) m_done = true;
  }

  std::string_view m_text;
  size_t m_at = 0;
  std::string m_out;
  bool m_done = false;
};

// Length of the valid UTF-8 sequence at `text`, 0 when there is none (overlong, surrogate, cut short).
size_t sequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const size_t length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length == 0 || first > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (first == 0xe0 && byte(1) < 0xa0) return 0;
  if (first == 0xed && byte(1) >= 0xa0) return 0;
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) >= 0x90) return 0;
  return length;
}

}  // namespace

std::string demangle(const std::string& mangled) {
  if (!mangled.starts_with("_Z") || mangled.size() > kLongestMangled) return mangled;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : mangled;
}

std::string shortName(std::string_view demangled) {
  std::string name = Shortener(demangled).run();
  while (!name.empty() && name.back() == ' ') name.pop_back();
  return name.empty() ? std::string(demangled) : name;
}

std::string cleanText(std::string_view text) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t length = sequenceLength(text);
    const auto first = static_cast<unsigned char>(text[0]);
    const bool control = length == 1 && (first < 0x20 || first == 0x7f) && first != '\n' && first != '\t';
    if (length == 0 || control) {
      out += kReplacement;
      text.remove_prefix(1);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

}  // namespace perfscope
