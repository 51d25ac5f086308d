// What NVTX calls do.
#include "collector/nvtx/nvtx_verbs.h"

#include "collector/nvtx/nvtx_handler.h"

namespace perfscope::collector {
namespace {

// Around writing the begin of a range: CUPTI is on before the range begins, if a window begins with it.
class Announced {
 public:
  Announced(NvtxState& state, NvtxMessage& message) noexcept
      : m_trigger(state.trigger.load(std::memory_order_acquire)) {
    if (m_trigger == nullptr) return;
    const RegisteredText* registered = message.item.registered;
    if (!m_trigger->before(registered != nullptr ? std::string_view(registered->text, registered->length)
                                                 : message.text))
      m_trigger = nullptr;
    else
      message.item.time_ns = realtimeNs();
  }
  ~Announced() {
    if (m_trigger != nullptr) m_trigger->after();
  }
  Announced(const Announced&) = delete;
  Announced& operator=(const Announced&) = delete;

 private:
  WindowTrigger* m_trigger;
};

}  // namespace

int nvtxPush(NvtxMessage&& message) noexcept {
  NvtxState* state = nvtxState();
  Lane* lane = state != nullptr ? state->lanes->mine() : nullptr;
  if (lane == nullptr) return NVTX_NO_PUSH_POP_TRACKING;
  const Announced announced(*state, message);
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

int nvtxPop(uint32_t domain) noexcept {
  NvtxState* state = nvtxState();
  Lane* lane = state != nullptr ? state->lanes->mine() : nullptr;
  if (lane == nullptr || lane->depth[domain] == 0) return NVTX_NO_PUSH_POP_TRACKING;
  const auto depth = static_cast<uint16_t>(lane->depth[domain] - 1);
  lane->depth[domain] = depth;
  if (depth >= kMaxNvtxDepth || (lane->recorded[domain] >> depth & 1) == 0) return depth;
  NvtxMessage message(ItemKind::NvtxPop, domain);
  message.item.depth = depth;
  if (!lane->ring.push(message.item)) state->losses->count(Loss::RingOverflow);
  return depth;
}

nvtxRangeId_t nvtxStart(NvtxMessage&& message, nvtxRangeId_t id) noexcept {
  NvtxState* state = nvtxState();
  if (state == nullptr) return 0;
  const Announced announced(*state, message);
  if (id == 0) id = state->next_range_id.fetch_add(1, std::memory_order_relaxed);
  message.item.range_id = id;
  return state->lanes->push(message.item, message.text) ? id : 0;
}

void nvtxEnd(uint32_t domain, nvtxRangeId_t id) noexcept {
  NvtxState* state = nvtxState();
  if (state == nullptr || id == 0) return;
  NvtxMessage message(ItemKind::NvtxEnd, domain);
  message.item.range_id = id;
  state->lanes->push(message.item);
}

void nvtxMark(const NvtxMessage& message) noexcept {
  if (NvtxState* state = nvtxState()) state->lanes->push(message.item, message.text);
}

}  // namespace perfscope::collector
