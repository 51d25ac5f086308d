// The match: every thread of the pattern advances by one byte at a time.
#include "collector/window/pattern.h"

#include <array>

#include "collector/window/pattern_compiler.h"

namespace perfscope::collector {

// The steps that are alive at one position, each once.
struct Pattern::Threads {
  std::array<uint16_t, kMostSteps> alive;  // left unset until used
  std::bitset<kMostSteps> seen;
  size_t count = 0;
  bool found = false;
  void clear() noexcept {
    seen.reset();
    count = 0;
  }
};

// Adds a step and all that can be reached from it without reading a byte.
void Pattern::follow(Threads& threads, uint16_t first, size_t position, size_t length) const noexcept {
  std::array<uint16_t, kMostSteps + 1>
      waiting;  // each step waits at most once: `seen` is set when it goes in
  size_t count = 0;
  const auto add = [&](uint16_t step) {
    if (threads.seen.test(step)) return;
    threads.seen.set(step);
    waiting[count++] = step;
  };
  add(first);
  while (count > 0) {
    const uint16_t at = waiting[--count];
    const Step& step = m_steps[at];
    const auto next = static_cast<uint16_t>(at + 1);
    if (step.op == Op::Jump || step.op == Op::Split) add(step.a);
    if (step.op == Op::Split) add(step.b);
    if (step.op == Op::Begin && position == 0) add(next);
    if (step.op == Op::End && position == length) add(next);
    if (step.op == Op::Found) threads.found = true;
    if (step.op == Op::Set) threads.alive[threads.count++] = at;
  }
}

bool Pattern::foundIn(std::string_view text) const noexcept {
  std::array<Threads, 2> both;
  Threads* now = &both[0];
  Threads* then = &both[1];
  for (size_t position = 0;; ++position) {
    follow(*now, 0, position, text.size());  // a match may begin at every byte
    if (now->found) return true;
    if (position == text.size()) return false;
    const auto byte = static_cast<unsigned char>(text[position]);
    then->clear();
    for (size_t i = 0; i < now->count; ++i) {
      const uint16_t at = now->alive[i];
      if (m_sets[m_steps[at].a].test(byte))
        follow(*then, static_cast<uint16_t>(at + 1), position + 1, text.size());
    }
    if (then->found) return true;
    std::swap(now, then);
  }
}

std::optional<Pattern> Pattern::compile(std::string_view expression) {
  return PatternCompiler(expression).compile();
}

}  // namespace perfscope::collector
