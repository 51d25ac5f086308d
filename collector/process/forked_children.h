// How many children were forked from a process that uses CUDA and ended without becoming another program:
// they are not recorded, and the ledger says so.
#pragma once

#include <cstdint>

namespace perfscope::collector {

// Makes the counter, one page shared with children. Once, before the first fork that matters.
void countForkedChildren() noexcept;
// In a forked child that ends: one more. Async-signal-safe; nothing happens without a counter.
void forkedChildEnds() noexcept;
[[nodiscard]] uint32_t forkedChildren() noexcept;

}  // namespace perfscope::collector
