// What an NVTX call leaves in a thread's ring: turned into spool records by the drain thread.
#pragma once

#include <cstdint>
#include <type_traits>

#include "schemas/spool_format.h"

namespace perfscope::collector {

// Kinds that exist only between the rings and the drain thread; above every spool kind.
enum class ItemKind : uint16_t { NvtxPush = 0x8001, NvtxPop, NvtxStart, NvtxEnd, NvtxMark, NvtxThreadName };

// A text registered by the program once (nvtxDomainRegisterString): never freed, so that rings may point at
// it.
struct RegisteredText {
  const char* text;
  uint32_t length;
  void* chained;  // the handle that a chained tool gave for it
};

struct NvtxItem {
  ItemKind kind;
  uint16_t depth;       // push, pop
  uint32_t text_bytes;  // set by the ring: bytes of inline text that follow
  uint64_t time_ns;
  uint64_t payload;
  const RegisteredText* registered;  // or null: the text follows inline
  uint64_t range_id;                 // start, end; thread id for a thread name
  uint32_t domain;                   // index, 0 = default
  uint32_t category;
  uint32_t color;
  uint16_t payload_type;
  uint16_t reserved;
  uint64_t reserved1;
};
static_assert(sizeof(NvtxItem) == spool::kRecordBytes && std::is_trivially_copyable_v<NvtxItem>);

}  // namespace perfscope::collector
