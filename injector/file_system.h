// What kind of file system a folder lies on, as far as it matters for spools and profiles.
#pragma once

#include <string>

namespace perfscope {

// "NFS", "SMB", "Lustre", "GPFS", "BeeGFS", "9p", "Ceph", "tmpfs"; "" = a local disk, or unknown.
std::string specialFileSystem(const std::string& folder);

// Memory-mapped files of two processes and SQLite's write-ahead log are slow and not safe there.
bool isNetworkFileSystem(const std::string& kind);

}  // namespace perfscope
