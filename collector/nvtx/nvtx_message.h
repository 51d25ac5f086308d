// One NVTX call on its way into the ring: attributes and text of every kind, brought to one form.
#pragma once

#define NVTX_NO_IMPL  // NVTX's own switch for tools: types and tables, no client code
#include <nvtx3/nvToolsExt.h>

#include <cstring>
#include <string_view>

#include "collector/nvtx/nvtx_items.h"
#include "collector/nvtx/nvtx_text.h"
#include "collector/process/clock.h"

namespace perfscope::collector {

// Only the used bytes: the rest of the union is whatever the caller's stack held.
inline uint64_t payloadBits(const nvtxEventAttributes_t& attributes) noexcept {
  switch (attributes.payloadType) {
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
    case NVTX_PAYLOAD_TYPE_INT64:
    case NVTX_PAYLOAD_TYPE_DOUBLE:
      return attributes.payload.ullValue;
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
    case NVTX_PAYLOAD_TYPE_FLOAT:
      return attributes.payload.uiValue;
    case NVTX_PAYLOAD_TYPE_INT32:
      return static_cast<uint64_t>(static_cast<int64_t>(attributes.payload.iValue));
    default:
      return 0;  // extended payloads (schemas) are not decoded
  }
}

// Built in place and never moved: `text` may point into `m_wide`. Stamps the time when it is built.
class NvtxMessage {
 public:
  NvtxMessage(ItemKind kind, uint32_t domain) noexcept {
    item.kind = kind;
    item.domain = domain;
    item.time_ns = realtimeNs();
  }
  NvtxMessage(ItemKind kind, const char* message) noexcept : NvtxMessage(kind, 0U) { setText(message); }
  NvtxMessage(ItemKind kind, const wchar_t* message) noexcept : NvtxMessage(kind, 0U) { setText(message); }
  NvtxMessage(ItemKind kind, uint32_t domain, const nvtxEventAttributes_t* attributes) noexcept
      : NvtxMessage(kind, domain) {
    if (attributes != nullptr) setAttributes(*attributes);
  }
  NvtxMessage(const NvtxMessage&) = delete;
  NvtxMessage& operator=(const NvtxMessage&) = delete;

  NvtxItem item{};
  std::string_view text;

 private:
  void setText(const char* message) noexcept {
    if (message != nullptr) text = std::string_view(message, ::strnlen(message, kMaxTextBytes));
  }
  void setText(const wchar_t* message) noexcept {
    if (message != nullptr) text = m_wide.convert(message);
  }
  void setAttributes(const nvtxEventAttributes_t& attributes) noexcept {
    item.category = attributes.category;
    item.color = attributes.colorType == NVTX_COLOR_ARGB ? attributes.color : 0;
    const int32_t type = attributes.payloadType;
    item.payload_type = type > 0 && type <= NVTX_PAYLOAD_TYPE_FLOAT ? static_cast<uint16_t>(type) : 0;
    item.payload = payloadBits(attributes);
    if (attributes.messageType == NVTX_MESSAGE_TYPE_ASCII) setText(attributes.message.ascii);
    if (attributes.messageType == NVTX_MESSAGE_TYPE_UNICODE) setText(attributes.message.unicode);
    if (attributes.messageType == NVTX_MESSAGE_TYPE_REGISTERED)
      item.registered = reinterpret_cast<const RegisteredText*>(attributes.message.registered);
  }

  WideBuffer m_wide;  // UTF-8 of a wide text
};

}  // namespace perfscope::collector
