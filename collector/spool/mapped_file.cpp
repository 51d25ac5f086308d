// A new file of fixed size, allocated and mapped.
#include "collector/spool/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace perfscope::collector {
namespace {

Error fileError(const std::string& path, const char* what, int code) {
  const bool permission = code == EACCES || code == EPERM || code == EROFS;
  return Error{permission ? ErrorKind::Permission : ErrorKind::Output, path,
               std::string(what) + (code == ENOSPC ? ", the disk is full: " : ": ") + std::strerror(code),
               permission ? "make the session folder writable for the target program"
                          : "free disk space, or put the profile on another disk with -o"};
}

bool overSizeLimit(size_t bytes) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < bytes;
}

}  // namespace

MappedFile::~MappedFile() {
  if (m_data != nullptr) ::munmap(m_data, m_bytes);
}
MappedFile::MappedFile(MappedFile&& other) noexcept
    : m_data(std::exchange(other.m_data, nullptr)), m_bytes(std::exchange(other.m_bytes, 0)) {}
MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    if (m_data != nullptr) ::munmap(m_data, m_bytes);
    m_data = std::exchange(other.m_data, nullptr);
    m_bytes = std::exchange(other.m_bytes, 0);
  }
  return *this;
}

Result<MappedFile> MappedFile::create(const std::string& path, size_t bytes) {
  if (overSizeLimit(bytes)) return tl::unexpected(fileError(path, "file size limit (ulimit -f)", EFBIG));
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return tl::unexpected(fileError(path, "cannot create", errno));
  const int allocated = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
  void* data = MAP_FAILED;
  int map_error = 0;
  if (allocated == 0) {
    data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    map_error = errno;
  }
  ::close(file);
  if (data != MAP_FAILED) {
    MappedFile mapped;
    mapped.m_data = data;
    mapped.m_bytes = bytes;
    return mapped;
  }
  ::unlink(path.c_str());
  return tl::unexpected(allocated != 0 ? fileError(path, "cannot allocate", allocated)
                                       : fileError(path, "cannot map", map_error));
}

}  // namespace perfscope::collector
