// Environment for a program that this process starts.
#include "collector/interpose/exec_environment.h"

#include <cstring>
#include <initializer_list>

namespace perfscope::collector {
namespace {

constexpr size_t kMostAdded = 8;
constexpr char kPreloadName[] = "LD_PRELOAD";

size_t nameLength(const char* entry) noexcept {
  const char* equals = std::strchr(entry, '=');
  return equals != nullptr ? static_cast<size_t>(equals - entry) : std::strlen(entry);
}

bool sameName(const char* a, const char* b) noexcept {
  const size_t length = nameLength(a);
  return length == nameLength(b) && std::memcmp(a, b, length) == 0;
}

const char* find(const char* const* environment, const char* wanted) noexcept {
  for (; environment != nullptr && *environment != nullptr; ++environment)
    if (sameName(*environment, wanted)) return *environment;
  return nullptr;
}

// Whether the value of LD_PRELOAD (separated by blanks or colons) names the library.
bool namesLibrary(const char* entry, const char* library) noexcept {
  const size_t length = std::strlen(library);
  for (const char* at = std::strstr(entry, library); at != nullptr; at = std::strstr(at + 1, library)) {
    const char before = at[-1];  // at least the '=' is in front
    const char after = at[length];
    if ((before == '=' || before == ':' || before == ' ') && (after == '\0' || after == ':' || after == ' '))
      return true;
  }
  return false;
}

// Writes "LD_PRELOAD=<library>:<what was there>".
void joinPreload(const char* entry, const char* library, char* text) noexcept {
  const char* old_value = entry + nameLength(entry);
  if (*old_value == '=') ++old_value;
  text = std::strcpy(text, kPreloadName) + sizeof(kPreloadName) - 1;
  *text++ = '=';
  const size_t length = std::strlen(library);
  std::memcpy(text, library, length);
  text += length;
  if (*old_value != '\0') *text++ = ':';
  std::strcpy(text, old_value);
}

}  // namespace

RepairRoom repairRoom(const WantedEnvironment& wanted, const char* const* environment) noexcept {
  RepairRoom room{kMostAdded + 1, 1};
  for (const char* const* at = environment; at != nullptr && *at != nullptr; ++at) ++room.entries;
  const char* preload = wanted.preload != nullptr ? find(environment, wanted.preload) : nullptr;
  if (preload != nullptr) room.bytes = std::strlen(preload) + std::strlen(wanted.library) + 3;
  return room;
}

void repairEnvironment(const WantedEnvironment& wanted, const char* const* environment, const char** entries,
                       char* text) noexcept {
  const char** next = entries;
  for (const char* const* at = environment; at != nullptr && *at != nullptr; ++at) {
    const char* entry = *at;
    if (wanted.preload != nullptr && sameName(entry, wanted.preload) &&
        !namesLibrary(entry, wanted.library)) {
      joinPreload(entry, wanted.library, text);
      entry = text;
    }
    *next++ = entry;
  }
  for (const char* added : {wanted.preload, wanted.config, wanted.cuda_injection, wanted.nvtx_injection,
                            wanted.chained_cuda, wanted.chained_nvtx, wanted.cupti, wanted.capture}) {
    if (added != nullptr && find(environment, added) == nullptr) *next++ = added;
  }
  *next = nullptr;
}

}  // namespace perfscope::collector
