// Spools for tests.
#include "tests/support/spool_builder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "schemas/spool_names.h"

namespace perfscope::test {
namespace {

void writeFile(const std::string& path, const std::vector<unsigned char>& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw std::runtime_error("cannot write " + path);
}

template <size_t N>
void setText(char (&field)[N], const std::string& text) {
  std::memset(field, 0, N);
  std::memcpy(field, text.data(), std::min(N - 1, text.size()));
}

}  // namespace

SpoolBuilder::SpoolBuilder(uint32_t pid, uint64_t start_offset_ns) : m_control(new spool::ControlBlock{}) {
  auto& c = *m_control;
  c.magic = spool::kControlMagic;
  c.version = spool::kFormatVersion;
  c.control_bytes = spool::kControlBytes;
  c.pid = pid;
  c.parent_pid = 1;
  c.start_ns = kSpoolBaseNs + start_offset_ns;
  c.rank = c.world_size = c.local_rank = -1;
  c.cupti_version = 130000;
  c.driver_version = c.runtime_version = 13000;
  c.state.store(spool::ProcessState::Running);
  setText(c.executable, "/usr/bin/victim");
  command(std::string("victim\x1f--size\x1f") + "8");
  openSegment(1);
}

SpoolBuilder::SpoolBuilder(SpoolBuilder&& other) noexcept
    : m_control(other.m_control),
      m_segments(std::move(other.m_segments)),
      m_next_text(other.m_next_text),
      m_next_shape(other.m_next_shape),
      m_sequence(other.m_sequence),
      m_write_control(other.m_write_control) {
  other.m_control = nullptr;
  other.m_segments.clear();
}

SpoolBuilder::~SpoolBuilder() {
  for (auto& segment : m_segments) delete &segment.header;
  delete m_control;
}

void SpoolBuilder::openSegment(uint32_t sequence) {
  auto* const header = new spool::SegmentHeader{};
  header->magic = spool::kSegmentMagic;
  header->version = spool::kFormatVersion;
  header->record_bytes = spool::kRecordBytes;
  header->process_start_ns = m_control->start_ns;
  header->pid = m_control->pid;
  header->sequence = sequence;
  header->state.store(spool::SegmentState::Open);
  m_sequence = sequence;
  m_control->last_segment.store(sequence);
  m_segments.push_back({*header, {}, 0});
}

uint32_t SpoolBuilder::text(const std::string& text) {
  const uint32_t id = m_next_text++;
  textWithId(id, text);
  return id;
}

SpoolBuilder& SpoolBuilder::textWithId(uint32_t id, const std::string& text) {
  size_t at = 0;
  uint16_t index = 0;
  do {
    const size_t length = std::min(spool::kChunkTextBytes, text.size() - at);
    const bool last = at + length == text.size();
    auto chunk = blank<spool::StringChunk>(spool::Kind::StringChunk, 0, last ? 1 : 0);
    chunk.string_id = id;
    chunk.offset_chunks = index++;
    chunk.length = static_cast<uint16_t>(length);
    std::memcpy(chunk.text, text.data() + at, length);
    add(chunk);
    at += length;
  } while (at < text.size());
  m_next_text = std::max(m_next_text, id + 1);
  return *this;
}

uint32_t SpoolBuilder::shape(uint32_t grid_x, uint16_t block_x) {
  auto record = blank<spool::LaunchShape>(spool::Kind::LaunchShape);
  record.shape_id = m_next_shape++;
  record.grid_x = grid_x;
  record.block_x = block_x;
  record.grid_y = record.grid_z = record.block_y = record.block_z = 1;
  record.registers_per_thread = 40;
  record.carveout_requested = 255;
  add(record);
  return record.shape_id;
}

SpoolBuilder& SpoolBuilder::device(uint16_t ordinal, const std::string& name, uint8_t uuid_byte) {
  auto identity = blank<spool::DeviceIdentity>(spool::Kind::DeviceIdentity);
  identity.device = ordinal;
  identity.cc_major = 9;
  identity.name_id = text(name);
  identity.memory_bytes = 141'000'000'000;
  std::memset(identity.uuid, uuid_byte, sizeof identity.uuid);
  add(identity);
  auto limits = blank<spool::DeviceLimits>(spool::Kind::DeviceLimits);
  limits.device = ordinal;
  limits.warp_size = 32;
  limits.sm_count = 132;
  limits.max_warps_per_sm = 64;
  return add(limits);
}

SpoolBuilder& SpoolBuilder::kernel(uint32_t correlation, uint64_t start_ns, uint64_t end_ns, uint32_t name_id,
                                   uint32_t shape_id, uint32_t stream, uint16_t device, uint16_t flags) {
  auto record = blank<spool::Kernel>(spool::Kind::Kernel, 0, flags);
  record.start_ns = kSpoolBaseNs + start_ns;
  record.end_ns = kSpoolBaseNs + end_ns;
  record.correlation = correlation;
  record.stream = stream;
  record.name_id = name_id;
  record.shape_id = shape_id;
  record.context = 1;
  record.device = device;
  return add(record);
}

SpoolBuilder& SpoolBuilder::api(uint32_t correlation, uint64_t start_ns, uint64_t end_ns, uint32_t thread,
                                uint32_t callback, bool driver) {
  auto record = blank<spool::Api>(spool::Kind::Api, thread, driver ? spool::kFlagDriverApi : 0);
  record.start_ns = kSpoolBaseNs + start_ns;
  record.end_ns = kSpoolBaseNs + end_ns;
  record.correlation = correlation;
  record.callback_id = callback;
  return add(record);
}

SpoolBuilder& SpoolBuilder::memcpy(uint32_t correlation, uint64_t start_ns, uint64_t end_ns, uint64_t bytes) {
  auto record = blank<spool::Memcpy>(spool::Kind::Memcpy, 0, spool::kFlagAsync);
  record.start_ns = kSpoolBaseNs + start_ns;
  record.end_ns = kSpoolBaseNs + end_ns;
  record.bytes = bytes;
  record.correlation = correlation;
  record.stream = 7;
  record.context = 1;
  record.copy_kind = 1;
  record.src_kind = 2;
  record.dst_kind = 3;
  record.peer_device = 0xffff;
  return add(record);
}

SpoolBuilder& SpoolBuilder::nvtx(uint64_t start_ns, uint64_t end_ns, uint32_t text_id, uint32_t thread) {
  auto record = blank<spool::NvtxRange>(spool::Kind::NvtxRange, thread);
  record.start_ns = kSpoolBaseNs + start_ns;
  record.end_ns = kSpoolBaseNs + end_ns;
  record.text_id = text_id;
  return add(record);
}

SpoolBuilder& SpoolBuilder::newSegment() {
  header().state.store(spool::SegmentState::Closed);
  openSegment(m_sequence + 1);
  return *this;
}

SpoolBuilder& SpoolBuilder::skipSegment() {
  header().state.store(spool::SegmentState::Closed);
  openSegment(m_sequence + 2);
  return *this;
}

SpoolBuilder& SpoolBuilder::state(spool::ProcessState state) {
  m_control->state.store(state);
  if (state != spool::ProcessState::Running) {
    header().state.store(spool::SegmentState::Closed);
    m_control->end_ns.store(kSpoolBaseNs + 1'000'000'000);
  }
  return *this;
}

SpoolBuilder& SpoolBuilder::command(const std::string& joined) {
  setText(m_control->command, joined);
  return *this;
}

SpoolBuilder& SpoolBuilder::environment(const std::string& joined) {
  setText(m_control->environment, joined);
  return *this;
}

SpoolBuilder& SpoolBuilder::tornTail(uint32_t missing) {
  m_segments.back().torn = missing;
  return *this;
}

SpoolBuilder& SpoolBuilder::withoutControl() {
  m_write_control = false;
  return *this;
}

std::string SpoolBuilder::folderName() const {
  return processFolderName({m_control->pid, m_control->start_ns});
}

std::vector<unsigned char> SpoolBuilder::segmentBytes(size_t index) const {
  const Segment& segment = m_segments.at(index);
  segment.header.published.store(static_cast<uint32_t>(segment.records.size()) + segment.torn);
  std::vector<unsigned char> bytes(spool::kSegmentHeaderBytes + segment.records.size() * spool::kRecordBytes);
  std::memcpy(bytes.data(), static_cast<const void*>(&segment.header), sizeof segment.header);
  if (!segment.records.empty())
    std::memcpy(bytes.data() + spool::kSegmentHeaderBytes, segment.records.data(),
                segment.records.size() * spool::kRecordBytes);
  return bytes;
}

std::vector<unsigned char> SpoolBuilder::controlBytes() const {
  uint64_t records = 0;
  for (const auto& segment : m_segments) records += segment.records.size();
  m_control->records.store(records);
  std::vector<unsigned char> bytes(spool::kControlBytes);
  std::memcpy(bytes.data(), static_cast<const void*>(m_control), sizeof(spool::ControlBlock));
  return bytes;
}

void SpoolBuilder::write(const std::string& session_dir) const {
  const std::string folder = session_dir + "/" + folderName();
  std::filesystem::create_directories(folder);
  for (size_t i = 0; i < m_segments.size(); ++i)
    writeFile(folder + "/" + segmentFileName(m_segments[i].header.sequence), segmentBytes(i));
  if (m_write_control) writeFile(folder + "/" + std::string(kControlFileName), controlBytes());
}

}  // namespace perfscope::test
