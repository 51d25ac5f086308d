// A small spool from a few readable lines, on disk as the collector would write it: control file, segments,
// states; and the same damaged: torn tails, foreign versions, holes.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "schemas/spool_format.h"

namespace perfscope::test {

inline constexpr uint64_t kSpoolBaseNs = 1'700'000'000'000'000'000;  // 2023-11-14, Unix ns
inline constexpr uint32_t kCudaLaunchKernel = 211;  // CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000
inline constexpr uint32_t kCudaGraphLaunch = 311;
inline constexpr uint32_t kCudaDeviceSynchronize = 165;
inline constexpr uint32_t kCudaMemcpyAsync = 41;
inline constexpr uint32_t kCuLaunchKernel = 307;  // CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel

// One process. Times of the convenience functions are ns since kSpoolBaseNs.
class SpoolBuilder {
 public:
  explicit SpoolBuilder(uint32_t pid = 100, uint64_t start_offset_ns = 0);

  // Any record, as it is.
  template <class T>
  SpoolBuilder& add(const T& record) {
    static_assert(sizeof(T) == sizeof(spool::Record));
    spool::Record slot{};
    std::memcpy(slot.bytes, &record, sizeof record);
    m_segments.back().records.push_back(slot);
    return *this;
  }
  uint32_t text(const std::string& text);  // chunks now; returns the id
  SpoolBuilder& textWithId(uint32_t id, const std::string& text);
  uint32_t shape(uint32_t grid_x = 1, uint16_t block_x = 32);  // record now; returns the id
  SpoolBuilder& device(uint16_t ordinal, const std::string& name = "NVIDIA H200", uint8_t uuid_byte = 1);
  SpoolBuilder& kernel(uint32_t correlation, uint64_t start_ns, uint64_t end_ns, uint32_t name_id,
                       uint32_t shape_id, uint32_t stream = 7, uint16_t device = 0, uint16_t flags = 0);
  SpoolBuilder& api(uint32_t correlation, uint64_t start_ns, uint64_t end_ns, uint32_t thread = 100,
                    uint32_t callback = kCudaLaunchKernel, bool driver = false);
  SpoolBuilder& memcpy(uint32_t correlation, uint64_t start_ns, uint64_t end_ns, uint64_t bytes);
  SpoolBuilder& nvtx(uint64_t start_ns, uint64_t end_ns, uint32_t text_id, uint32_t thread = 100);

  SpoolBuilder& newSegment();  // closes the one before
  spool::SegmentHeader& header() { return m_segments.back().header; }
  spool::ControlBlock& control() { return *m_control; }
  SpoolBuilder& state(spool::ProcessState state);  // Closed and Execed also close the segment and set end_ns
  SpoolBuilder& command(const std::string& joined);
  SpoolBuilder& environment(const std::string& joined);
  // Published claims so many records more than there are bytes for.
  SpoolBuilder& tornTail(uint32_t missing);
  SpoolBuilder& withoutControl();
  SpoolBuilder& skipSegment();  // a hole in the sequence

  // Folder name below the session folder.
  [[nodiscard]] std::string folderName() const;
  // Writes (again) everything.
  void write(const std::string& session_dir) const;
  [[nodiscard]] std::vector<unsigned char> segmentBytes(size_t index) const;
  [[nodiscard]] std::vector<unsigned char> controlBytes() const;

  SpoolBuilder(SpoolBuilder&&) noexcept;
  ~SpoolBuilder();

 private:
  struct Segment {
    spool::SegmentHeader& header;
    std::vector<spool::Record> records;
    uint32_t torn = 0;
  };
  void openSegment(uint32_t sequence);
  spool::ControlBlock* m_control;
  std::vector<Segment> m_segments;
  uint32_t m_next_text = 1;
  uint32_t m_next_shape = 1;
  uint32_t m_sequence = 0;
  bool m_write_control = true;
};

// A record of kind T with its head filled and all else zero.
template <class T>
T blank(spool::Kind kind, uint32_t thread = 0, uint16_t flags = 0) {
  T record;
  std::memset(static_cast<void*>(&record), 0, sizeof record);
  record.head = {kind, flags, thread};
  return record;
}

}  // namespace perfscope::test
