// PerfScope's own NVTX implementation. On the application's threads: one clock read and a copy into the ring;
// memory is allocated only where a program creates a domain or registers a string.
#include "collector/nvtx/nvtx_handler.h"

#define NVTX_NO_IMPL  // NVTX's own switch for tools: types and tables, no client code
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <cstring>
#include <cwchar>
#include <string_view>

#include "collector/nvtx/nvtx_items.h"
#include "collector/nvtx/nvtx_text.h"
#include "collector/process/clock.h"

namespace perfscope::collector {
namespace {

std::atomic<NvtxState*>& slot() noexcept {
  static constinit std::atomic<NvtxState*> pointer{nullptr};
  return pointer;
}

uint32_t domainIndex(nvtxDomainHandle_t domain) noexcept {
  return domain == nullptr ? 0 : reinterpret_cast<const NvtxDomain*>(domain)->index;
}

// --- attributes -> item

// Only the used bytes: the rest of the union is whatever the caller's stack held.
uint64_t payloadBits(const nvtxEventAttributes_t& attributes) noexcept {
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

// Built in place and never moved: `text` may point into `m_wide`.
class Message {
 public:
  Message(ItemKind kind, uint32_t domain) noexcept {
    item.kind = kind;
    item.domain = domain;
    item.time_ns = realtimeNs();
  }
  Message(ItemKind kind, const char* message) noexcept : Message(kind, 0U) { setText(message); }
  Message(ItemKind kind, const wchar_t* message) noexcept : Message(kind, 0U) { setText(message); }
  Message(ItemKind kind, uint32_t domain, const nvtxEventAttributes_t* attributes) noexcept
      : Message(kind, domain) {
    if (attributes != nullptr) setAttributes(*attributes);
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

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

// --- the four verbs

int push(Message&& message) noexcept {
  NvtxState* state = nvtxState();
  Lane* lane = state != nullptr ? state->lanes->mine() : nullptr;
  if (lane == nullptr) return NVTX_NO_PUSH_POP_TRACKING;
  const uint32_t domain = message.item.domain;
  const uint16_t depth = lane->depth[domain];
  lane->depth[domain] = static_cast<uint16_t>(depth + 1);
  message.item.depth = depth;
  bool recorded = false;
  if (depth < kMaxNvtxDepth) {
    recorded = lane->ring.push(message.item, message.text);
    const uint64_t bit = uint64_t{1} << depth;
    lane->recorded[domain] = recorded ? lane->recorded[domain] | bit : lane->recorded[domain] & ~bit;
  }
  if (!recorded) state->losses->count(Loss::RingOverflow);
  return depth;
}

int pop(uint32_t domain) noexcept {
  NvtxState* state = nvtxState();
  Lane* lane = state != nullptr ? state->lanes->mine() : nullptr;
  if (lane == nullptr || lane->depth[domain] == 0) return NVTX_NO_PUSH_POP_TRACKING;
  const auto depth = static_cast<uint16_t>(lane->depth[domain] - 1);
  lane->depth[domain] = depth;
  if (depth >= kMaxNvtxDepth || (lane->recorded[domain] >> depth & 1) == 0) return depth;
  Message message(ItemKind::NvtxPop, domain);
  message.item.depth = depth;
  if (!lane->ring.push(message.item)) state->losses->count(Loss::RingOverflow);
  return depth;
}

nvtxRangeId_t start(Message&& message) noexcept {
  NvtxState* state = nvtxState();
  if (state == nullptr) return 0;
  const uint64_t id = state->next_range_id.fetch_add(1, std::memory_order_relaxed);
  message.item.range_id = id;
  return state->lanes->push(message.item, message.text) ? id : 0;
}

void end(uint32_t domain, nvtxRangeId_t id) noexcept {
  NvtxState* state = nvtxState();
  if (state == nullptr || id == 0) return;
  Message message(ItemKind::NvtxEnd, domain);
  message.item.range_id = id;
  state->lanes->push(message.item);
}

void mark(const Message& message) noexcept {
  if (NvtxState* state = nvtxState()) state->lanes->push(message.item, message.text);
}

// --- module CORE

void NVTX_API markEx(const nvtxEventAttributes_t* a) {
  mark(Message(ItemKind::NvtxMark, 0U, a));
}
void NVTX_API markA(const char* t) {
  mark(Message(ItemKind::NvtxMark, t));
}
void NVTX_API markW(const wchar_t* t) {
  mark(Message(ItemKind::NvtxMark, t));
}
nvtxRangeId_t NVTX_API rangeStartEx(const nvtxEventAttributes_t* a) {
  return start(Message(ItemKind::NvtxStart, 0U, a));
}
nvtxRangeId_t NVTX_API rangeStartA(const char* t) {
  return start(Message(ItemKind::NvtxStart, t));
}
nvtxRangeId_t NVTX_API rangeStartW(const wchar_t* t) {
  return start(Message(ItemKind::NvtxStart, t));
}
void NVTX_API rangeEnd(nvtxRangeId_t id) {
  end(0, id);
}
int NVTX_API rangePushEx(const nvtxEventAttributes_t* a) {
  return push(Message(ItemKind::NvtxPush, 0U, a));
}
int NVTX_API rangePushA(const char* t) {
  return push(Message(ItemKind::NvtxPush, t));
}
int NVTX_API rangePushW(const wchar_t* t) {
  return push(Message(ItemKind::NvtxPush, t));
}
int NVTX_API rangePop() {
  return pop(0);
}

template <class Text>
void NVTX_API nameThread(uint32_t thread, const Text* name) {
  Message message(ItemKind::NvtxThreadName, name);
  message.item.range_id = thread;
  mark(message);
}

// --- module CORE2

void NVTX_API domainMarkEx(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) {
  mark(Message(ItemKind::NvtxMark, domainIndex(d), a));
}
nvtxRangeId_t NVTX_API domainRangeStartEx(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) {
  return start(Message(ItemKind::NvtxStart, domainIndex(d), a));
}
void NVTX_API domainRangeEnd(nvtxDomainHandle_t d, nvtxRangeId_t id) {
  end(domainIndex(d), id);
}
int NVTX_API domainRangePushEx(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) {
  return push(Message(ItemKind::NvtxPush, domainIndex(d), a));
}
int NVTX_API domainRangePop(nvtxDomainHandle_t d) {
  return pop(domainIndex(d));
}

template <class Text>
nvtxStringHandle_t NVTX_API registerString(nvtxDomainHandle_t /*domain*/, const Text* text) {
  return reinterpret_cast<nvtxStringHandle_t>(const_cast<RegisteredText*>(keepText(text)));
}

// The same name gives the same domain. When all are taken, events go to the default domain.
template <class Text>
nvtxDomainHandle_t NVTX_API createDomain(const Text* name) {
  NvtxState* state = nvtxState();
  const RegisteredText* kept = keepText(name);
  if (state == nullptr || kept == nullptr) return nullptr;
  const NvtxDomain* domain = findOrAddDomain(*state, kept->text);
  return reinterpret_cast<nvtxDomainHandle_t>(const_cast<NvtxDomain*>(domain));
}
void NVTX_API destroyDomain(nvtxDomainHandle_t /*domain*/) {}  // rings may still point at it

// --- tables

template <class F>
void set(NvtxFunctionTable table, unsigned int size, unsigned int id, F* function) {
  if (id < size && table[id] != nullptr) *table[id] = reinterpret_cast<NvtxFunctionPointer>(function);
}

void fillCore(NvtxFunctionTable t, unsigned int n) {
  set(t, n, NVTX_CBID_CORE_MarkEx, markEx);
  set(t, n, NVTX_CBID_CORE_MarkA, markA);
  set(t, n, NVTX_CBID_CORE_MarkW, markW);
  set(t, n, NVTX_CBID_CORE_RangeStartEx, rangeStartEx);
  set(t, n, NVTX_CBID_CORE_RangeStartA, rangeStartA);
  set(t, n, NVTX_CBID_CORE_RangeStartW, rangeStartW);
  set(t, n, NVTX_CBID_CORE_RangeEnd, rangeEnd);
  set(t, n, NVTX_CBID_CORE_RangePushEx, rangePushEx);
  set(t, n, NVTX_CBID_CORE_RangePushA, rangePushA);
  set(t, n, NVTX_CBID_CORE_RangePushW, rangePushW);
  set(t, n, NVTX_CBID_CORE_RangePop, rangePop);
  set(t, n, NVTX_CBID_CORE_NameOsThreadA, nameThread<char>);
  set(t, n, NVTX_CBID_CORE_NameOsThreadW, nameThread<wchar_t>);
}

void fillCore2(NvtxFunctionTable t, unsigned int n) {
  set(t, n, NVTX_CBID_CORE2_DomainMarkEx, domainMarkEx);
  set(t, n, NVTX_CBID_CORE2_DomainRangeStartEx, domainRangeStartEx);
  set(t, n, NVTX_CBID_CORE2_DomainRangeEnd, domainRangeEnd);
  set(t, n, NVTX_CBID_CORE2_DomainRangePushEx, domainRangePushEx);
  set(t, n, NVTX_CBID_CORE2_DomainRangePop, domainRangePop);
  set(t, n, NVTX_CBID_CORE2_DomainRegisterStringA, registerString<char>);
  set(t, n, NVTX_CBID_CORE2_DomainRegisterStringW, registerString<wchar_t>);
  set(t, n, NVTX_CBID_CORE2_DomainCreateA, createDomain<char>);
  set(t, n, NVTX_CBID_CORE2_DomainCreateW, createDomain<wchar_t>);
  set(t, n, NVTX_CBID_CORE2_DomainDestroy, destroyDomain);
}

}  // namespace

void setNvtxState(NvtxState* state) noexcept {
  slot().store(state, std::memory_order_release);
}
NvtxState* nvtxState() noexcept {
  return slot().load(std::memory_order_acquire);
}

bool installNvtx(void* get_export_table) noexcept {
  const auto getExportTable = reinterpret_cast<NvtxGetExportTableFunc_t>(get_export_table);
  if (getExportTable == nullptr) return false;
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(getExportTable(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(*callbacks)) return false;
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) == 0 || table == nullptr)
    return false;
  fillCore(table, size);
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) != 0 && table != nullptr)
    fillCore2(table, size);
  return true;
}

}  // namespace perfscope::collector
