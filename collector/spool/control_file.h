// The control file of this process: who it is, how it fares, what was lost.
#pragma once

#include <cstdint>
#include <string>

#include "collector/process/process_info.h"
#include "collector/spool/mapped_file.h"
#include "schemas/result.h"
#include "schemas/spool_format.h"

namespace perfscope::collector {

// Made once per session by the thread that starts it; then written by the drain thread (heartbeat, counts)
// and, for losses, by any thread. Mapped until the process ends, so that late counts never touch unmapped
// memory.
class ControlFile {
 public:
  // Makes the folder <session_dir>/<pid>-<start_ns>/ and the control file in it. The recorder sees the file
  // only once it is complete (renamed into place).
  static Result<ControlFile> create(const std::string& session_dir, const ProcessInfo& info,
                                    uint64_t start_ns);

  [[nodiscard]] spool::ControlBlock& block() const noexcept {
    return *static_cast<spool::ControlBlock*>(m_file.data());
  }
  [[nodiscard]] const std::string& folder() const noexcept { return m_folder; }
  [[nodiscard]] uint64_t startNs() const noexcept { return block().start_ns; }

 private:
  MappedFile m_file;
  std::string m_folder;
};

}  // namespace perfscope::collector
