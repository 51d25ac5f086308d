// Checks of spool files' heads.
#include "injector/recorder/spool_bytes.h"

#include <algorithm>
#include <cstddef>

namespace perfscope {
namespace {

using spool::ControlBlock;
using spool::SegmentHeader;

template <class T>
T valueAt(std::span<const unsigned char> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// A char array that may lack its terminator and may hold anything.
std::string textAt(std::span<const unsigned char> bytes, size_t offset, size_t capacity) {
  const auto* begin = reinterpret_cast<const char*>(bytes.data()) + offset;
  return {begin, ::strnlen(begin, capacity)};
}

std::string otherVersion(uint32_t version) {
  return "written in spool format " + std::to_string(version) + ", this program reads format " +
         std::to_string(spool::kFormatVersion) + "; use the perfscope that recorded it";
}

// Arguments come joined by 0x1f; readers want spaces.
std::string spaced(std::string text) {
  std::replace(text.begin(), text.end(), '\x1f', ' ');
  return text;
}

}  // namespace

SegmentHead parseSegmentHead(std::span<const unsigned char> bytes) {
  SegmentHead head;
  if (bytes.size() < sizeof(SegmentHeader)) return head;
  const auto magic = valueAt<uint64_t>(bytes, offsetof(SegmentHeader, magic));
  if (magic == 0) return head;
  head.state = HeadState::Refused;
  const auto version = valueAt<uint32_t>(bytes, offsetof(SegmentHeader, version));
  const auto record_bytes = valueAt<uint32_t>(bytes, offsetof(SegmentHeader, record_bytes));
  if (magic != spool::kSegmentMagic) {
    head.refusal = "is no spool segment (wrong magic number)";
  } else if (version != spool::kFormatVersion) {
    head.refusal = otherVersion(version);
  } else if (record_bytes != spool::kRecordBytes) {
    head.refusal = "has records of " + std::to_string(record_bytes) + " bytes, expected " +
                   std::to_string(spool::kRecordBytes);
  } else {
    head.state = HeadState::Ready;
  }
  if (head.state != HeadState::Ready) return head;
  head.pid = valueAt<uint32_t>(bytes, offsetof(SegmentHeader, pid));
  head.sequence = valueAt<uint32_t>(bytes, offsetof(SegmentHeader, sequence));
  const auto published = valueAt<uint32_t>(bytes, offsetof(SegmentHeader, published));
  head.published = std::min(published, spool::kRecordsPerSegment);
  head.torn = published - head.published;
  head.closed = valueAt<uint32_t>(bytes, offsetof(SegmentHeader, state)) ==
                static_cast<uint32_t>(spool::SegmentState::Closed);
  return head;
}

ControlHead parseControl(std::span<const unsigned char> bytes) {
  ControlHead head;
  if (bytes.size() < sizeof(ControlBlock)) return head;
  const auto magic = valueAt<uint64_t>(bytes, offsetof(ControlBlock, magic));
  if (magic == 0) return head;
  const auto version = valueAt<uint32_t>(bytes, offsetof(ControlBlock, version));
  if (magic != spool::kControlMagic || version != spool::kFormatVersion) {
    head.state = HeadState::Refused;
    head.refusal =
        magic != spool::kControlMagic ? "is no control file (wrong magic number)" : otherVersion(version);
    return head;
  }
  head.state = HeadState::Ready;
  auto& s = head.snapshot;
  const auto u32 = [&](size_t offset) { return valueAt<uint32_t>(bytes, offset); };
  const auto u64 = [&](size_t offset) { return valueAt<uint64_t>(bytes, offset); };
  s.pid = u32(offsetof(ControlBlock, pid));
  s.parent_pid = u32(offsetof(ControlBlock, parent_pid));
  s.start_ns = u64(offsetof(ControlBlock, start_ns));
  s.rank = static_cast<int32_t>(u32(offsetof(ControlBlock, rank)));
  s.world_size = static_cast<int32_t>(u32(offsetof(ControlBlock, world_size)));
  s.local_rank = static_cast<int32_t>(u32(offsetof(ControlBlock, local_rank)));
  s.cupti_version = u32(offsetof(ControlBlock, cupti_version));
  s.driver_version = u32(offsetof(ControlBlock, driver_version));
  s.runtime_version = u32(offsetof(ControlBlock, runtime_version));
  const auto state = u32(offsetof(ControlBlock, state));
  if (state == static_cast<uint32_t>(spool::ProcessState::Closed)) s.state = SpoolProcessState::Closed;
  if (state == static_cast<uint32_t>(spool::ProcessState::Execed)) s.state = SpoolProcessState::Execed;
  s.last_segment = u32(offsetof(ControlBlock, last_segment));
  s.heartbeat_ns = u64(offsetof(ControlBlock, heartbeat_ns));
  s.end_ns = u64(offsetof(ControlBlock, end_ns));
  s.records = u64(offsetof(ControlBlock, records));
  for (size_t i = 0; i < kLossCount; ++i)
    s.loss[i] = u64(offsetof(ControlBlock, loss) + i * sizeof(uint64_t));
  s.command = spaced(textAt(bytes, offsetof(ControlBlock, command), sizeof(ControlBlock::command)));
  s.executable = textAt(bytes, offsetof(ControlBlock, executable), sizeof(ControlBlock::executable));
  s.host = textAt(bytes, offsetof(ControlBlock, host), sizeof(ControlBlock::host));
  s.cupti_path = textAt(bytes, offsetof(ControlBlock, cupti_path), sizeof(ControlBlock::cupti_path));
  s.environment = textAt(bytes, offsetof(ControlBlock, environment), sizeof(ControlBlock::environment));
  return head;
}

}  // namespace perfscope
