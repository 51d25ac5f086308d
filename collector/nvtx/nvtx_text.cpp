// Texts of NVTX.
#include "collector/nvtx/nvtx_text.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace perfscope::collector {
namespace {

const RegisteredText* keep(std::string_view text, void* chained) noexcept {
  auto* memory = static_cast<char*>(std::malloc(sizeof(RegisteredText) + text.size() + 1));
  if (memory == nullptr) return nullptr;
  char* copy = memory + sizeof(RegisteredText);
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return new (memory) RegisteredText{copy, static_cast<uint32_t>(text.size()), chained};
}

// Bytes written (1 to 4).
size_t encode(uint32_t code, char* out) noexcept {
  if (code < 0x80) {
    out[0] = static_cast<char>(code);
    return 1;
  }
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;  // not a character
  const size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  constexpr unsigned char kLead[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (size_t i = length - 1; i > 0; --i) {
    out[i] = static_cast<char>(0x80 | (code & 0x3f));
    code >>= 6;
  }
  out[0] = static_cast<char>(kLead[length] | code);
  return length;
}

}  // namespace

std::string_view WideBuffer::convert(const wchar_t* text) noexcept {
  constexpr size_t kLongest = 4;
  size_t used = 0;
  for (; *text != L'\0' && used + kLongest <= m_bytes.size(); ++text)
    used += encode(static_cast<uint32_t>(*text), m_bytes.data() + used);
  return {m_bytes.data(), used};
}

const RegisteredText* keepText(const char* text, void* chained) noexcept {
  return text == nullptr ? nullptr : keep(std::string_view(text, ::strnlen(text, kMaxTextBytes)), chained);
}
const RegisteredText* keepText(const wchar_t* text, void* chained) noexcept {
  if (text == nullptr) return nullptr;
  WideBuffer buffer;
  return keep(buffer.convert(text), chained);
}

const NvtxDomain* findOrAddDomain(NvtxState& state, const char* name, void* chained) noexcept {
  NvtxDomain* fresh = nullptr;
  for (uint32_t i = 1; i < kMaxDomains; ++i) {
    const NvtxDomain* there = state.domains[i].load(std::memory_order_acquire);
    if (there == nullptr) {
      if (fresh == nullptr) {
        fresh = new (std::nothrow) NvtxDomain{i, name, chained};
        if (fresh == nullptr) return nullptr;
      }
      fresh->index = i;
      if (state.domains[i].compare_exchange_strong(there, fresh, std::memory_order_acq_rel)) return fresh;
    }
    if (std::strcmp(there->name, name) == 0) {
      delete fresh;
      return there;
    }
  }
  delete fresh;
  return nullptr;
}

}  // namespace perfscope::collector
