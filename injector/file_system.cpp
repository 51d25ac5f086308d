// statfs magic numbers of linux/magic.h.
#include "injector/file_system.h"

#include <sys/statfs.h>
#include <sys/statvfs.h>

#include <array>
#include <utility>

namespace perfscope {

std::string specialFileSystem(const std::string& folder) {
  constexpr std::array<std::pair<unsigned long, const char*>, 9> kKinds = {{{0x6969, "NFS"},
                                                                            {0xff534d42, "SMB"},
                                                                            {0xfe534d42, "SMB"},
                                                                            {0x0bd00bd0, "Lustre"},
                                                                            {0x47504653, "GPFS"},
                                                                            {0x19830326, "BeeGFS"},
                                                                            {0x01021997, "9p"},
                                                                            {0x00c36400, "Ceph"},
                                                                            {0x01021994, "tmpfs"}}};
  struct statfs info {};
  if (::statfs(folder.c_str(), &info) != 0) return {};
  for (const auto& [magic, name] : kKinds) {
    // f_type is signed and 32 bits wide in the kernel.
    if ((static_cast<unsigned long>(info.f_type) & 0xffffffffUL) == magic) return name;
  }
  return {};
}

std::optional<uint64_t> freeBytes(const std::string& folder) {
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0 || info.f_blocks == 0) return std::nullopt;
  return static_cast<uint64_t>(info.f_bavail) * info.f_frsize;
}

bool isNetworkFileSystem(const std::string& kind) {
  return !kind.empty() && kind != "tmpfs";
}

}  // namespace perfscope
