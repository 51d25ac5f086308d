// Pure: bytes of a control file or segment -> checked values. Takes whatever bytes come (fuzzed): nothing
// here trusts a length, a count or a text of the file.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "injector/recorder/control_snapshot.h"
#include "schemas/result.h"
#include "schemas/spool_format.h"

namespace perfscope {

// What is to be done with a file whose head was read.
enum class HeadState {
  Ready,     // valid
  TooEarly,  // not written yet (short, or magic still 0): look again later
  Refused,   // not ours or of another version: the reason says which
};

struct SegmentHead {
  HeadState state = HeadState::TooEarly;
  std::string refusal;  // why, when Refused
  uint32_t pid = 0;
  uint32_t sequence = 0;
  uint32_t published = 0;  // clamped to a segment's capacity
  uint32_t torn = 0;       // published records beyond the capacity: claimed, but cannot exist
  bool closed = false;
};

SegmentHead parseSegmentHead(std::span<const unsigned char> bytes);

struct ControlHead {
  HeadState state = HeadState::TooEarly;
  std::string refusal;
  ControlSnapshot snapshot;
};

ControlHead parseControl(std::span<const unsigned char> bytes);

// A record of kind T out of its slot.
template <class T>
T as(const spool::Record& record) {
  static_assert(sizeof(T) == sizeof(spool::Record) && std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, record.bytes, sizeof value);
  return value;
}

// Invalid for kinds this version does not know.
inline spool::Kind kindOf(const spool::Record& record) {
  const auto raw = as<spool::StringChunk>(record).head.kind;
  return raw < spool::Kind::kCount ? raw : spool::Kind::Invalid;
}

}  // namespace perfscope
