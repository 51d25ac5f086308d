// A new file of fixed size, fully allocated on disk and mapped for sharing.
#pragma once

#include <cstddef>
#include <string>

#include "schemas/result.h"

namespace perfscope::collector {

// Owns the mapping (not the file: that stays for the recorder). Movable.
class MappedFile {
 public:
  MappedFile() = default;
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Makes `path` (which must not exist) with every block allocated: writing to a hole of a full disk would
  // raise SIGBUS in the target. Errors: no space, a file size limit (asked beforehand: SIGXFSZ would kill),
  // no permission.
  static Result<MappedFile> create(const std::string& path, size_t bytes);

  [[nodiscard]] void* data() const noexcept { return m_data; }
  [[nodiscard]] size_t size() const noexcept { return m_bytes; }
  [[nodiscard]] explicit operator bool() const noexcept { return m_data != nullptr; }

 private:
  void* m_data = nullptr;
  size_t m_bytes = 0;
};

}  // namespace perfscope::collector
