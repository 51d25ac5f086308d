// Generator of big spools.
#include "tests/bench/spool_flood.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "schemas/spool_format.h"
#include "schemas/spool_names.h"
#include "tests/support/spool_builder.h"

namespace perfscope::bench {
namespace {

using test::blank;
using test::kSpoolBaseNs;

constexpr uint32_t kNames = 200;
constexpr uint32_t kShapes = 400;
constexpr uint32_t kStepKernels = 600;  // a training step of a small GPT
constexpr uint32_t kApiDelay = 4000;    // API records come a buffer later than the kernels
constexpr uint64_t kKernelNs = 12'000;

// Writes segments one after the other.
class Writer {
 public:
  Writer(std::string folder, uint32_t pid) : m_folder(std::move(folder)), m_pid(pid) {}

  template <class T>
  void add(const T& record) {
    spool::Record slot{};
    std::memcpy(slot.bytes, &record, sizeof record);
    m_records.push_back(slot);
    ++m_total;
    if (m_records.size() == spool::kRecordsPerSegment) flush();
  }

  void flush() {
    if (m_records.empty()) return;
    spool::SegmentHeader header{};
    header.magic = spool::kSegmentMagic;
    header.version = spool::kFormatVersion;
    header.record_bytes = spool::kRecordBytes;
    header.process_start_ns = kSpoolBaseNs;
    header.pid = m_pid;
    header.sequence = ++m_sequence;
    header.published.store(static_cast<uint32_t>(m_records.size()));
    header.state.store(spool::SegmentState::Closed);
    std::vector<char> page(spool::kSegmentHeaderBytes);
    std::memcpy(page.data(), static_cast<const void*>(&header), sizeof header);
    std::ofstream file(m_folder + "/" + segmentFileName(m_sequence), std::ios::binary);
    file.write(page.data(), static_cast<std::streamsize>(page.size()));
    file.write(reinterpret_cast<const char*>(m_records.data()),
               static_cast<std::streamsize>(m_records.size() * sizeof(spool::Record)));
    if (!file) throw std::runtime_error("cannot write a segment in " + m_folder);
    m_records.clear();
  }
  [[nodiscard]] uint64_t total() const { return m_total; }
  [[nodiscard]] uint32_t sequence() const { return m_sequence; }

 private:
  std::string m_folder;
  uint32_t m_pid;
  uint32_t m_sequence = 0;
  uint64_t m_total = 0;
  std::vector<spool::Record> m_records;
};

void addText(Writer& writer, uint32_t id, const std::string& text) {
  uint16_t index = 0;
  for (size_t at = 0; at < text.size(); at += spool::kChunkTextBytes) {
    const size_t length = std::min(spool::kChunkTextBytes, text.size() - at);
    auto chunk = blank<spool::StringChunk>(spool::Kind::StringChunk, 0, at + length == text.size() ? 1 : 0);
    chunk.string_id = id;
    chunk.offset_chunks = index++;
    chunk.length = static_cast<uint16_t>(length);
    std::memcpy(chunk.text, text.data() + at, length);
    writer.add(chunk);
  }
}

void addDefinitions(Writer& writer) {
  for (uint32_t i = 1; i <= kNames; ++i) {
    const std::string name = "vectorized_elementwise_kernel_" + std::to_string(i);
    addText(writer, i, "_ZN2at6native" + std::to_string(name.size()) + name + "ILi4EEEvPf");
  }
  for (uint32_t i = 1; i <= kShapes; ++i) {
    auto shape = blank<spool::LaunchShape>(spool::Kind::LaunchShape);
    shape.shape_id = i;
    shape.grid_x = i;
    shape.grid_y = shape.grid_z = shape.block_y = shape.block_z = 1;
    shape.block_x = 256;
    shape.carveout_requested = 255;
    writer.add(shape);
  }
  addText(writer, kNames + 1, "NVIDIA H200");
  auto device = blank<spool::DeviceIdentity>(spool::Kind::DeviceIdentity);
  device.name_id = kNames + 1;
  device.cc_major = 9;
  std::memset(device.uuid, 7, sizeof device.uuid);
  writer.add(device);
  auto limits = blank<spool::DeviceLimits>(spool::Kind::DeviceLimits);
  limits.sm_count = 132;
  limits.warp_size = 32;
  limits.max_warps_per_sm = 64;
  writer.add(limits);
}

uint64_t launchTimeNs(uint64_t i) {
  return kSpoolBaseNs + 1'000'000 + i * kKernelNs;
}

void addKernel(Writer& writer, uint64_t i) {
  auto kernel = blank<spool::Kernel>(spool::Kind::Kernel);
  kernel.start_ns = launchTimeNs(i) + 45'000 + i % 977;
  kernel.end_ns = kernel.start_ns + 2'000 + (i * 7919) % 9'000;
  kernel.correlation = static_cast<uint32_t>(i + 1);
  kernel.stream = 7 + i % 2 * 6;
  kernel.context = 1;
  kernel.name_id = static_cast<uint32_t>(1 + i % kNames);
  kernel.shape_id = static_cast<uint32_t>(1 + i % kShapes);
  writer.add(kernel);
}

void addLaunch(Writer& writer, uint64_t i) {
  auto api = blank<spool::Api>(spool::Kind::Api, 4242);
  api.start_ns = launchTimeNs(i);
  api.end_ns = api.start_ns + 2'500 + i % 700;
  api.correlation = static_cast<uint32_t>(i + 1);
  api.callback_id = test::kCudaLaunchKernel;
  writer.add(api);
}

void addStep(Writer& writer, uint64_t step, uint64_t first_kernel) {
  const auto id = static_cast<uint32_t>(kNames + 2 + step);
  addText(writer, id, "step " + std::to_string(step));
  auto range = blank<spool::NvtxRange>(spool::Kind::NvtxRange, 4242);
  range.start_ns = launchTimeNs(first_kernel);
  range.end_ns = launchTimeNs(first_kernel + kStepKernels) - 500;
  range.text_id = id;
  writer.add(range);
}

void writeControl(const std::string& folder, const Writer& writer, uint32_t pid) {
  test::SpoolBuilder builder(pid);
  builder.state(spool::ProcessState::Closed);
  builder.control().last_segment.store(writer.sequence());
  auto bytes = builder.controlBytes();
  std::ofstream file(folder + "/" + std::string(kControlFileName), std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw std::runtime_error("cannot write the control file in " + folder);
}

}  // namespace

FloodResult writeFlood(const std::string& session_dir, uint64_t records, uint32_t pid) {
  const std::string folder = session_dir + "/" + processFolderName({pid, kSpoolBaseNs});
  std::filesystem::create_directories(folder);
  Writer writer(folder, pid);
  addDefinitions(writer);
  uint64_t kernels = 0;
  uint64_t launches = 0;
  while (writer.total() + (kernels - launches) < records) {
    if (kernels % kStepKernels == 0) addStep(writer, kernels / kStepKernels, kernels);
    addKernel(writer, kernels++);
    if (kernels - launches >= 2 * kApiDelay) {
      for (uint32_t i = 0; i < kApiDelay; ++i) addLaunch(writer, launches++);
    }
  }
  while (launches < kernels) addLaunch(writer, launches++);
  writer.flush();
  writeControl(folder, writer, pid);
  return {writer.total(), kernels, writer.total() * spool::kRecordBytes};
}

}  // namespace perfscope::bench
