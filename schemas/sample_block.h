// Packed counter samples: what counter_block.data holds. Pure. The format:
//   byte 1 (version), varint sample count, varint metric count,
//   starts: zigzag varints of second differences; durations: zigzag varints of differences;
//   per metric: byte 0 + values as integers (zigzag varint of the difference to the value before; a
//   difference of 0 is followed by a varint: how many more 0 follow), or byte 1 + values as little-endian
//   doubles.
// Idle stretches take one or two bytes a metric however long they are. Non-finite values are kept as they
// are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/result.h"

namespace perfscope {

// Structure of arrays: value of sample i and metric m is values[m][i]. Times on any one clock.
struct SampleBlock {
  std::vector<int64_t> start_ns;
  std::vector<int64_t> duration_ns;
  std::vector<std::vector<double>> values;

  [[nodiscard]] size_t count() const { return start_ns.size(); }
  [[nodiscard]] bool empty() const { return start_ns.empty(); }
};

// All vectors have the same length (asserted by the tests' round trip; a shorter one would read past its
// end).
std::string packSamples(const SampleBlock& block);
// InputRefused for anything that packSamples cannot have written: cut, trailing bytes, counts beyond `bytes`.
Result<SampleBlock> unpackSamples(std::string_view bytes, const std::string& where);

}  // namespace perfscope
