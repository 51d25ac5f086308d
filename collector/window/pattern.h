// A regular expression that is matched without allocating: for texts of the program, on its threads.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace perfscope::collector {

// What step markers are made of: texts, ".", classes, \d \w \s, groups, "|", * + ? {m,n}, "^" and "$", as in
// ECMAScript, on bytes. Immutable after construction; any thread. The time grows with text x pattern, never
// faster: all ways through the pattern are followed at once (K. Thompson, "Regular Expression Search
// Algorithm", CACM 11, 1968).
class Pattern {
 public:
  static constexpr size_t kMostSteps = 1024;  // bounds the stack a match needs: about 6 KiB

  // nullopt: the expression is wrong, too long, or uses more than the above (look-ahead, back references, \b,
  // named classes).
  static std::optional<Pattern> compile(std::string_view expression);
  // Whether it matches anywhere in the text.
  [[nodiscard]] bool foundIn(std::string_view text) const noexcept;

 private:
  friend class PatternCompiler;
  enum class Op : uint8_t { Set, Jump, Split, Begin, End, Found };
  struct Step {
    Op op;
    uint16_t a = 0;  // Set: index in m_sets; Jump, Split: next
    uint16_t b = 0;  // Split: other next
  };
  struct Threads;
  void follow(Threads& threads, uint16_t first, size_t position, size_t length) const noexcept;

  std::vector<Step> m_steps;
  std::vector<std::bitset<256>> m_sets;
};

}  // namespace perfscope::collector
