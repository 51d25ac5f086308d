// Texts of NVTX: wide to UTF-8, registered strings, domain names.
#pragma once

#include <array>
#include <string_view>

#include "collector/hot/ring.h"
#include "collector/nvtx/nvtx_handler.h"
#include "collector/nvtx/nvtx_items.h"

namespace perfscope::collector {

// UTF-8 of a wide (UTF-32) text, on the stack; cut at kMaxTextBytes.
class WideBuffer {
 public:
  std::string_view convert(const wchar_t* text) noexcept;

 private:
  std::array<char, kMaxTextBytes> m_bytes;  // left unset until used
};

// A copy that lives as long as the process; null without memory. Allocates: for registration calls only.
const RegisteredText* keepText(const char* text, void* chained) noexcept;
const RegisteredText* keepText(const wchar_t* text, void* chained) noexcept;

// `name` lives as long as the process. Null when all domains are taken (the default domain serves).
const NvtxDomain* findOrAddDomain(NvtxState& state, const char* name, void* chained) noexcept;

}  // namespace perfscope::collector
