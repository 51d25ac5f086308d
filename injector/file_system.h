// What kind of file system a folder lies on, as far as it matters for spools and profiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace perfscope {

// "NFS", "SMB", "Lustre", "GPFS", "BeeGFS", "9p", "Ceph", "tmpfs"; "" = a local disk, or unknown.
std::string specialFileSystem(const std::string& folder);

// Memory-mapped files of two processes and SQLite's write-ahead log are slow and not safe there.
// Bytes that this user may still write there; nullopt when the file system does not say.
std::optional<uint64_t> freeBytes(const std::string& folder);

bool isNetworkFileSystem(const std::string& kind);

}  // namespace perfscope
