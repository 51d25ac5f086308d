// PerfScope's own NVTX implementation: the C functions an NVTX library calls. Each records the call and
// passes it on to a chained tool, if there is one, with that tool's own handles.
#include "collector/nvtx/nvtx_handler.h"

#include "collector/nvtx/nvtx_chain.h"
#include "collector/nvtx/nvtx_text.h"
#include "collector/nvtx/nvtx_verbs.h"

namespace perfscope::collector {
namespace {

using Attributes = nvtxEventAttributes_t;
using Domain = nvtxDomainHandle_t;

std::atomic<NvtxState*>& slot() noexcept {
  static constinit std::atomic<NvtxState*> pointer{nullptr};
  return pointer;
}

uint32_t indexOf(Domain domain) noexcept {
  return domain == nullptr ? 0 : reinterpret_cast<const NvtxDomain*>(domain)->index;
}
Domain theirs(Domain domain) noexcept {
  return domain == nullptr ? nullptr
                           : static_cast<Domain>(reinterpret_cast<const NvtxDomain*>(domain)->chained);
}

// The attributes as the chained tool must see them: with its own handle of a registered text.
class TheirAttributes {
 public:
  explicit TheirAttributes(const Attributes* ours) noexcept : m_pointer(ours) {
    if (ours == nullptr || !nvtxChain().used() || ours->messageType != NVTX_MESSAGE_TYPE_REGISTERED) return;
    m_copy = *ours;
    const auto* text = reinterpret_cast<const RegisteredText*>(ours->message.registered);
    m_copy.message.registered = text != nullptr ? static_cast<nvtxStringHandle_t>(text->chained) : nullptr;
    m_pointer = &m_copy;
  }
  [[nodiscard]] const Attributes* get() const noexcept { return m_pointer; }

 private:
  const Attributes* m_pointer;
  Attributes m_copy{};
};

// --- module CORE

void NVTX_API markEx(const Attributes* a) {
  nvtxMark(NvtxMessage(ItemKind::NvtxMark, 0U, a));
  nvtxChain().call<void>(NVTX_CBID_CORE_MarkEx, TheirAttributes(a).get());
}
void NVTX_API markA(const char* t) {
  nvtxMark(NvtxMessage(ItemKind::NvtxMark, t));
  nvtxChain().call<void>(NVTX_CBID_CORE_MarkA, t);
}
void NVTX_API markW(const wchar_t* t) {
  nvtxMark(NvtxMessage(ItemKind::NvtxMark, t));
  nvtxChain().call<void>(NVTX_CBID_CORE_MarkW, t);
}
nvtxRangeId_t NVTX_API rangeStartEx(const Attributes* a) {
  const auto id = nvtxChain().call<nvtxRangeId_t>(NVTX_CBID_CORE_RangeStartEx, TheirAttributes(a).get());
  return nvtxStart(NvtxMessage(ItemKind::NvtxStart, 0U, a), id);
}
nvtxRangeId_t NVTX_API rangeStartA(const char* t) {
  const auto id = nvtxChain().call<nvtxRangeId_t>(NVTX_CBID_CORE_RangeStartA, t);
  return nvtxStart(NvtxMessage(ItemKind::NvtxStart, t), id);
}
nvtxRangeId_t NVTX_API rangeStartW(const wchar_t* t) {
  const auto id = nvtxChain().call<nvtxRangeId_t>(NVTX_CBID_CORE_RangeStartW, t);
  return nvtxStart(NvtxMessage(ItemKind::NvtxStart, t), id);
}
void NVTX_API rangeEnd(nvtxRangeId_t id) {
  nvtxEnd(0, id);
  nvtxChain().call<void>(NVTX_CBID_CORE_RangeEnd, id);
}
int NVTX_API rangePushEx(const Attributes* a) {
  nvtxChain().call<int>(NVTX_CBID_CORE_RangePushEx, TheirAttributes(a).get());
  return nvtxPush(NvtxMessage(ItemKind::NvtxPush, 0U, a));
}
int NVTX_API rangePushA(const char* t) {
  nvtxChain().call<int>(NVTX_CBID_CORE_RangePushA, t);
  return nvtxPush(NvtxMessage(ItemKind::NvtxPush, t));
}
int NVTX_API rangePushW(const wchar_t* t) {
  nvtxChain().call<int>(NVTX_CBID_CORE_RangePushW, t);
  return nvtxPush(NvtxMessage(ItemKind::NvtxPush, t));
}
int NVTX_API rangePop() {
  const int level = nvtxPop(0);
  nvtxChain().call<int>(NVTX_CBID_CORE_RangePop);
  return level;
}
void recordThreadName(NvtxMessage&& message, uint32_t thread) noexcept {
  message.item.range_id = thread;
  nvtxMark(message);
}
void NVTX_API nameThreadA(uint32_t thread, const char* name) {
  recordThreadName(NvtxMessage(ItemKind::NvtxThreadName, name), thread);
  nvtxChain().call<void>(NVTX_CBID_CORE_NameOsThreadA, thread, name);
}
void NVTX_API nameThreadW(uint32_t thread, const wchar_t* name) {
  recordThreadName(NvtxMessage(ItemKind::NvtxThreadName, name), thread);
  nvtxChain().call<void>(NVTX_CBID_CORE_NameOsThreadW, thread, name);
}

// --- module CORE2

void NVTX_API domainMarkEx(Domain d, const Attributes* a) {
  nvtxMark(NvtxMessage(ItemKind::NvtxMark, indexOf(d), a));
  nvtxChain().call<void>(NVTX_CBID_CORE2_DomainMarkEx, theirs(d), TheirAttributes(a).get());
}
nvtxRangeId_t NVTX_API domainRangeStartEx(Domain d, const Attributes* a) {
  const auto id = nvtxChain().call<nvtxRangeId_t>(NVTX_CBID_CORE2_DomainRangeStartEx, theirs(d),
                                                  TheirAttributes(a).get());
  return nvtxStart(NvtxMessage(ItemKind::NvtxStart, indexOf(d), a), id);
}
void NVTX_API domainRangeEnd(Domain d, nvtxRangeId_t id) {
  nvtxEnd(indexOf(d), id);
  nvtxChain().call<void>(NVTX_CBID_CORE2_DomainRangeEnd, theirs(d), id);
}
int NVTX_API domainRangePushEx(Domain d, const Attributes* a) {
  nvtxChain().call<int>(NVTX_CBID_CORE2_DomainRangePushEx, theirs(d), TheirAttributes(a).get());
  return nvtxPush(NvtxMessage(ItemKind::NvtxPush, indexOf(d), a));
}
int NVTX_API domainRangePop(Domain d) {
  const int level = nvtxPop(indexOf(d));
  nvtxChain().call<int>(NVTX_CBID_CORE2_DomainRangePop, theirs(d));
  return level;
}

template <class Text>
nvtxStringHandle_t registerText(NvtxCallbackIdCore2 id, Domain domain, const Text* text) {
  void* chained = nvtxChain().call<nvtxStringHandle_t>(id, theirs(domain), text);
  return reinterpret_cast<nvtxStringHandle_t>(const_cast<RegisteredText*>(keepText(text, chained)));
}
nvtxStringHandle_t NVTX_API registerStringA(Domain d, const char* text) {
  return registerText(NVTX_CBID_CORE2_DomainRegisterStringA, d, text);
}
nvtxStringHandle_t NVTX_API registerStringW(Domain d, const wchar_t* text) {
  return registerText(NVTX_CBID_CORE2_DomainRegisterStringW, d, text);
}

// The same name gives the same domain. When all are taken, events go to the default domain.
template <class Text>
Domain createDomain(NvtxCallbackIdCore2 id, const Text* name) {
  void* chained = nvtxChain().call<Domain>(id, name);
  NvtxState* state = nvtxState();
  const RegisteredText* kept = keepText(name, nullptr);
  if (state == nullptr || kept == nullptr) return nullptr;
  const NvtxDomain* domain = findOrAddDomain(*state, kept->text, chained);
  return reinterpret_cast<Domain>(const_cast<NvtxDomain*>(domain));
}
Domain NVTX_API createDomainA(const char* name) {
  return createDomain(NVTX_CBID_CORE2_DomainCreateA, name);
}
Domain NVTX_API createDomainW(const wchar_t* name) {
  return createDomain(NVTX_CBID_CORE2_DomainCreateW, name);
}
// Ours stays: rings may still point at it.
void NVTX_API destroyDomain(Domain domain) {
  nvtxChain().call<void>(NVTX_CBID_CORE2_DomainDestroy, theirs(domain));
}

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
  set(t, n, NVTX_CBID_CORE_NameOsThreadA, nameThreadA);
  set(t, n, NVTX_CBID_CORE_NameOsThreadW, nameThreadW);
}

void fillCore2(NvtxFunctionTable t, unsigned int n) {
  set(t, n, NVTX_CBID_CORE2_DomainMarkEx, domainMarkEx);
  set(t, n, NVTX_CBID_CORE2_DomainRangeStartEx, domainRangeStartEx);
  set(t, n, NVTX_CBID_CORE2_DomainRangeEnd, domainRangeEnd);
  set(t, n, NVTX_CBID_CORE2_DomainRangePushEx, domainRangePushEx);
  set(t, n, NVTX_CBID_CORE2_DomainRangePop, domainRangePop);
  set(t, n, NVTX_CBID_CORE2_DomainRegisterStringA, registerStringA);
  set(t, n, NVTX_CBID_CORE2_DomainRegisterStringW, registerStringW);
  set(t, n, NVTX_CBID_CORE2_DomainCreateA, createDomainA);
  set(t, n, NVTX_CBID_CORE2_DomainCreateW, createDomainW);
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
