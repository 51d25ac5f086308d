// The control file of this process.
#include "collector/spool/control_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "schemas/spool_names.h"

namespace perfscope::collector {
namespace {

// Cut at the end, always terminated.
template <size_t N>
void copyText(char (&target)[N], const std::string& text) {
  const size_t length = std::min(text.size(), N - 1);
  std::memcpy(target, text.data(), length);
  target[length] = '\0';
}

void fill(spool::ControlBlock& block, const ProcessInfo& info, uint64_t start_ns) {
  block.magic = spool::kControlMagic;
  block.version = spool::kFormatVersion;
  block.control_bytes = sizeof(spool::ControlBlock);
  block.pid = info.pid;
  block.parent_pid = info.parent_pid;
  block.start_ns = start_ns;
  block.rank = info.rank;
  block.world_size = info.world_size;
  block.local_rank = info.local_rank;
  block.state.store(spool::ProcessState::Running, std::memory_order_relaxed);
  block.heartbeat_ns.store(start_ns, std::memory_order_relaxed);
  copyText(block.command, info.command);
  copyText(block.executable, info.executable);
  copyText(block.host, info.host);
  copyText(block.environment, info.environment);
}

}  // namespace

Result<ControlFile> ControlFile::create(const std::string& session_dir, const ProcessInfo& info,
                                        uint64_t start_ns) {
  ControlFile control;
  control.m_folder = session_dir + "/" + processFolderName(ProcessFolder{info.pid, start_ns});
  if (::mkdir(control.m_folder.c_str(), 0755) != 0) {
    const int code = errno;
    const bool permission = code == EACCES || code == EPERM || code == EROFS;
    return failure(permission ? ErrorKind::Permission : ErrorKind::Output, control.m_folder,
                   std::string("cannot make the folder: ") + std::strerror(code),
                   "check that the session folder exists and that the target program may write there");
  }
  const std::string path = control.m_folder + "/" + std::string(kControlFileName);
  const std::string draft = path + ".new";
  auto file = MappedFile::create(draft, spool::kControlBytes);
  if (!file) return tl::unexpected(file.error());
  control.m_file = std::move(*file);
  fill(*new (control.m_file.data()) spool::ControlBlock{}, info, start_ns);
  if (std::rename(draft.c_str(), path.c_str()) != 0)
    return failure(ErrorKind::Output, path, std::string("cannot rename: ") + std::strerror(errno));
  return control;
}

}  // namespace perfscope::collector
