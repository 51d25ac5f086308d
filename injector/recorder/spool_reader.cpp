// Reading the spool with pread: unlike a mapping it cannot raise SIGBUS when a foreign file shrinks.
#include "injector/recorder/spool_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>

#include "injector/recorder/spool_bytes.h"

namespace perfscope {
namespace {

constexpr size_t kChunkRecords = 4096;  // 256 KiB a read: stays in the second-level cache

int openRegular(const std::string& path) {
  // O_NONBLOCK: something that calls itself a segment but is a pipe must not stop the recorder.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat info {};
  if (fd >= 0 && (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))) {
    ::close(fd);
    errno = EINVAL;
    return -1;
  }
  return fd;
}

// Bytes read; short at the end of the file, 0 on any error.
size_t readAt(int fd, void* to, size_t bytes, size_t offset) {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t got =
        ::pread(fd, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

SegmentHead headOf(int fd) {
  std::array<unsigned char, sizeof(spool::SegmentHeader)> bytes{};
  const size_t got = readAt(fd, bytes.data(), bytes.size(), 0);
  return parseSegmentHead({bytes.data(), got});
}

}  // namespace

ProcessSpool::ProcessSpool(std::string path, ProcessFolder folder)
    : m_path(std::move(path)), m_folder(folder) {}

ProcessSpool::~ProcessSpool() {
  if (m_fd >= 0) ::close(m_fd);
}

void ProcessSpool::refuse(const std::string& file, const std::string& reason) {
  m_refusals.push_back(file + " " + reason);
}

std::string ProcessSpool::segmentPath(uint32_t sequence) const {
  return m_path + "/" + segmentFileName(sequence);
}

void ProcessSpool::requestStop() {
  if (m_stop_requested || m_control_refused) return;
  const std::string path = m_path + "/" + std::string(kControlFileName);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return;  // not there yet: asked again later
  struct stat info {};
  const uint32_t on = 1;
  // The block lies whole on the disk and the process maps the same pages: nothing is allocated for this.
  if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
      info.st_size >= static_cast<off_t>(sizeof(spool::ControlBlock)))
    m_stop_requested =
        ::pwrite(fd, &on, sizeof on, offsetof(spool::ControlBlock, stop_requested)) == sizeof on;
  ::close(fd);
}

bool ProcessSpool::refreshControl() {
  if (m_control_refused) return false;
  const std::string path = m_path + "/" + std::string(kControlFileName);
  const int fd = openRegular(path);
  if (fd < 0) return m_has_control;
  std::array<unsigned char, spool::kControlBytes> bytes{};
  const size_t got = readAt(fd, bytes.data(), bytes.size(), 0);
  ::close(fd);
  ControlHead head = parseControl({bytes.data(), got});
  if (head.state == HeadState::Refused) {
    m_control_refused = true;
    refuse(path, head.refusal);
    return false;
  }
  if (head.state == HeadState::Ready) {
    m_control = std::move(head.snapshot);
    m_has_control = true;
  }
  return m_has_control;
}

bool ProcessSpool::openCurrent(bool final) {
  while (m_fd < 0) {
    m_fd = openRegular(segmentPath(m_sequence));
    if (m_fd >= 0) break;
    if (errno == ENOENT) {
      if (!final || !skipHole()) return false;  // not there yet
    } else {
      refuse(segmentPath(m_sequence), std::string("cannot be read: ") + std::strerror(errno));
      ++m_torn;
      ++m_sequence;
      m_read = 0;
    }
  }
  return true;
}

// A missing segment with later ones behind it: its records are lost (counted once), the later ones are read.
bool ProcessSpool::skipHole() {
  uint32_t next = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(m_path, ignored)) {
    const auto sequence = parseSegmentFileName(entry.path().filename().string());
    if (sequence && *sequence > m_sequence && (next == 0 || *sequence < next)) next = *sequence;
  }
  if (next == 0) return false;
  refuse(segmentPath(m_sequence), "is missing although later segments exist");
  ++m_torn;
  m_sequence = next;
  m_read = 0;
  return true;
}

bool ProcessSpool::hasSegments() const {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(m_path, ignored)) {
    if (parseSegmentFileName(entry.path().filename().string())) return true;
  }
  return false;
}

bool ProcessSpool::nextHasRecords() const {
  const int fd = openRegular(segmentPath(m_sequence + 1));
  if (fd < 0) return false;
  const SegmentHead head = headOf(fd);
  ::close(fd);
  return head.state == HeadState::Ready && head.published > 0;
}

void ProcessSpool::advance(bool consumed) {
  if (consumed) m_consumed.push_back(segmentPath(m_sequence));
  ::close(m_fd);
  m_fd = -1;
  ++m_sequence;
  m_read = 0;
}

void ProcessSpool::startAt(uint32_t segment, uint32_t index) {
  m_sequence = segment;
  m_read = index;
}

size_t ProcessSpool::readChunk(uint32_t published, size_t limit, const RecordVisitor& visit) {
  const size_t want = std::min({static_cast<size_t>(published - m_read), limit, kChunkRecords});
  m_buffer.resize(kChunkRecords);
  const size_t offset = spool::kSegmentHeaderBytes + m_read * spool::kRecordBytes;
  const size_t got = readAt(m_fd, m_buffer.data(), want * spool::kRecordBytes, offset) / spool::kRecordBytes;
  m_read += static_cast<uint32_t>(got);
  if (got > 0) visit({m_buffer.data(), got});
  if (got < want) {
    // The file ends before what its head promises: a copy cut short. Nothing more will come of it.
    m_torn += published - m_read;
    m_read = published;
  }
  return got;
}

ProcessSpool::Step ProcessSpool::finishOrWait(bool closed, uint32_t published, bool final) {
  if (!closed && !nextHasRecords()) {
    if (final) {
      m_torn += headOf(m_fd).torn;
      advance(true);
      return Step::Advanced;
    }
    return Step::Nothing;
  }
  // The one writer has moved on, so this count is the last one; it may have grown since we looked.
  if (headOf(m_fd).published > published) return Step::Advanced;
  m_torn += headOf(m_fd).torn;
  advance(true);
  return Step::Advanced;
}

size_t ProcessSpool::read(size_t limit, bool final, const RecordVisitor& visit) {
  size_t total = 0;
  while (total < limit && openCurrent(final)) {
    const SegmentHead head = headOf(m_fd);
    const std::string path = segmentPath(m_sequence);
    if (head.state == HeadState::TooEarly) {
      if (!final) break;
      advance(true);  // prepared but never used
      continue;
    }
    const bool foreign = head.state == HeadState::Ready && head.sequence != m_sequence;
    if (head.state == HeadState::Refused || foreign) {
      refuse(path, foreign ? "says it is segment " + std::to_string(head.sequence) : head.refusal);
      ++m_torn;
      advance(false);
      continue;
    }
    if (m_read < head.published) {
      total += readChunk(head.published, limit - total, visit);
    } else if (finishOrWait(head.closed, head.published, final) == Step::Nothing) {
      break;
    }
  }
  return total;
}

void ProcessSpool::removeConsumed() {
  for (const auto& path : m_consumed) ::unlink(path.c_str());
  m_consumed.clear();
}

SpoolReader::SpoolReader(std::string session_dir) : m_session_dir(std::move(session_dir)) {}

void SpoolReader::discover() {
  std::error_code ignored;
  std::vector<ProcessFolder> fresh;
  for (const auto& entry : std::filesystem::directory_iterator(m_session_dir, ignored)) {
    const auto folder = parseProcessFolderName(entry.path().filename().string());
    if (!folder || !entry.is_directory(ignored)) continue;
    const bool known = std::any_of(m_processes.begin(), m_processes.end(), [&](const auto& p) {
      return p->folder().pid == folder->pid && p->folder().start_ns == folder->start_ns;
    });
    if (!known) fresh.push_back(*folder);
  }
  // Process ids of the database follow the order in which the processes began.
  std::sort(fresh.begin(), fresh.end(), [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  for (const auto& folder : fresh)
    m_processes.push_back(
        std::make_unique<ProcessSpool>(m_session_dir + "/" + processFolderName(folder), folder));
}

}  // namespace perfscope
