// Program look-up and the little of ELF that decides whether LD_PRELOAD works.
#include "injector/program_file.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

namespace perfscope {
namespace {

// 0 = runnable, else the errno that says why not.
int whyNotRunnable(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  if (::access(path.c_str(), X_OK) != 0) return errno;
  return 0;
}

tl::unexpected<Error> notRunnable(const std::string& name, int reason) {
  if (reason == ENOENT || reason == ENOTDIR)
    return failure(ErrorKind::InputMissing, name, "no such program", "check the spelling, the path and PATH");
  if (reason == EISDIR)
    return failure(ErrorKind::InputMissing, name, "is a folder, not a program", "name the program in it");
  if (reason == EACCES)
    return failure(ErrorKind::InputMissing, name, "is not executable",
                   "chmod +x it, or name its interpreter, e.g. `python " + name + "`");
  return failure(ErrorKind::InputMissing, name, std::strerror(reason));
}

template <class Header, class Segment>
bool hasNoInterpreter(std::span<const unsigned char> head) {
  if (head.size() < sizeof(Header)) return false;
  Header header;
  std::memcpy(&header, head.data(), sizeof header);
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) return false;
  if (header.e_phentsize != sizeof(Segment)) return false;
  bool dynamic = false;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    const size_t at = header.e_phoff + i * sizeof(Segment);
    if (at > head.size() || head.size() - at < sizeof(Segment)) return false;  // table beyond what was read
    Segment segment;
    std::memcpy(&segment, head.data() + at, sizeof segment);
    if (segment.p_type == PT_INTERP) return false;
    dynamic |= segment.p_type == PT_DYNAMIC;
  }
  // ET_DYN with PT_DYNAMIC and no interpreter is a static-pie program (or a library, which nobody runs).
  return header.e_phnum > 0 && (header.e_type == ET_EXEC || dynamic);
}

}  // namespace

Result<std::string> findProgram(const std::string& name, const std::string& path_list) {
  if (name.empty()) return failure(ErrorKind::Usage, "command", "is empty", "give a program after `--`");
  if (name.find('/') != std::string::npos) {
    const int reason = whyNotRunnable(name);
    if (reason != 0) return notRunnable(name, reason);
    return name;
  }
  int reason = ENOENT;
  size_t begin = 0;
  for (;;) {
    const auto end = path_list.find(':', begin);
    std::string folder = path_list.substr(begin, end == std::string::npos ? end : end - begin);
    if (folder.empty()) folder = ".";  // an empty element means the working folder
    folder += "/" + name;
    const std::string& candidate = folder;
    const int why = whyNotRunnable(candidate);
    if (why == 0) return candidate;
    if (why == EACCES) reason = why;  // as execvp: a later hit wins, else "not executable" is the answer
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  return notRunnable(name, reason);
}

bool isStaticElf(std::span<const unsigned char> head) {
  if (head.size() < EI_NIDENT || std::memcmp(head.data(), ELFMAG, SELFMAG) != 0) return false;
  if (head[EI_DATA] != ELFDATA2LSB) return false;  // a foreign byte order does not run here anyway
  if (head[EI_CLASS] == ELFCLASS64) return hasNoInterpreter<Elf64_Ehdr, Elf64_Phdr>(head);
  return false;
}

ProgramTraits programTraits(const std::string& path) {
  ProgramTraits traits;
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) traits.set_id = (info.st_mode & (S_ISUID | S_ISGID)) != 0;
  std::ifstream file(path, std::ios::binary);
  std::vector<char> head(4096);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  const auto size = static_cast<size_t>(file.gcount());
  traits.statically_linked = isStaticElf({reinterpret_cast<const unsigned char*>(head.data()), size});
  return traits;
}

}  // namespace perfscope
