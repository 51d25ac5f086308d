// A capture aid for tests: keeps CUPTI's raw buffers, so that what a real GPU gave can be played back without
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "collector/cupti/cupti_api.h"

namespace perfscope::collector {

// File <folder>/<pid>.cuptibuf, little endian, written by the drain thread when $PERFSCOPE_CAPTURE_BUFFERS
// names a folder:
//   header  "PSCUPTI1" (8 bytes), u32 CUPTI version, u32 0
//   then for each buffer:
//     "BUFR", u32 number of texts, u64 valid bytes, the bytes as CUPTI left them (cut after the last whole
//     record), then each text: u64 pointer value as found in the records, u32 length, the bytes (no
//     terminator)
// A player loads the texts and replaces each pointer (kernel names, device names) by the address of its copy.
class BufferCapture {
 public:
  BufferCapture() = default;
  ~BufferCapture();
  BufferCapture(BufferCapture&& other) noexcept;
  BufferCapture& operator=(BufferCapture&&) = delete;
  BufferCapture(const BufferCapture&) = delete;
  BufferCapture& operator=(const BufferCapture&) = delete;

  // Off unless the variable is set. A file that cannot be made is told on stderr; nothing else happens.
  static BufferCapture fromEnvironment(uint32_t cupti_version);
  void buffer(uint8_t* data, size_t valid_bytes, const CuptiApi& api);

 private:
  int m_file = -1;
};

}  // namespace perfscope::collector
