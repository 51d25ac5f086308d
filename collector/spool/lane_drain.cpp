// The threads' rings -> spool records.
#include "collector/spool/lane_drain.h"

#include <cstring>

#include "collector/process/clock.h"

namespace perfscope::collector {

LaneDrain::LaneDrain(LaneTable& lanes, const NvtxState& nvtx, RecordSink sink, NameTable& names,
                     LossTally& losses, Gate& gate)
    : m_lanes(lanes),
      m_nvtx(nvtx),
      m_sink(sink),
      m_names(names),
      m_losses(losses),
      m_gate(gate),
      m_scratch(kMaxTextBytes),
      m_stacks(kMaxLanes) {}

void LaneDrain::drain() {
  m_lanes.drainAll(
      m_scratch.data(),
      [this](uint32_t index, const Lane& lane, const spool::Record& record, std::string_view text) {
        consume(index, lane.thread_id, record, text);
      },
      [this](uint32_t index, const Lane&) { closeStack(m_stacks[index], realtimeNs()); });
}

void LaneDrain::consume(uint32_t lane_index, uint32_t thread, const spool::Record& record,
                        std::string_view text) {
  spool::RecordHead head{};
  std::memcpy(&head, record.bytes, sizeof(head));
  if (static_cast<uint16_t>(head.kind) >= static_cast<uint16_t>(ItemKind::NvtxPush)) {
    NvtxItem item;
    std::memcpy(&item, record.bytes, sizeof(item));
    nvtx(lane_index, thread, item, text);
    return;
  }
  spool::Record out = record;
  std::memcpy(out.bytes + offsetof(spool::RecordHead, thread), &thread, sizeof(thread));
  if (head.kind == spool::Kind::Gemm) ++m_gemm_records;
  if (head.kind == spool::Kind::Nccl) ++m_nccl_records;
  m_sink.put(out);
}

void LaneDrain::nvtx(uint32_t lane_index, uint32_t thread, const NvtxItem& item, std::string_view text) {
  if (item.kind == ItemKind::NvtxPop) return pop(m_stacks[lane_index], item);
  if (item.kind == ItemKind::NvtxEnd) return rangeEnd(item);
  if (item.registered != nullptr) text = std::string_view(item.registered->text, item.registered->length);
  OpenRange range{item, thread, m_names.intern(text), false, {}};
  if (item.kind == ItemKind::NvtxMark) return writeMark(range);
  if (item.kind == ItemKind::NvtxThreadName) return writeThreadName(item, range.text_id);
  if (!m_gate.constant()) {
    range.text = text;
    m_gate.rangeBegan(text, item.time_ns);
  }
  if (item.kind == ItemKind::NvtxPush) return push(m_stacks[lane_index], range);
  if (m_started.size() >= kMaxStarted) {
    m_losses.count(Loss::RingOverflow);
    return;
  }
  m_started[item.range_id] = range;
}

// Ranges of the same domain at this depth or deeper can only be there because their pop was lost to a full
// ring (which was counted): when they ended is unknown, so they are left out.
void LaneDrain::push(LaneStack& stack, const OpenRange& range) {
  while (!stack.empty() && stack.back().item.domain == range.item.domain &&
         stack.back().item.depth >= range.item.depth) {
    if (stack.back().told) put(stack.back(), 0, spool::kFlagForgotten);
    stack.pop_back();
  }
  stack.push_back(range);
}

void LaneDrain::pop(LaneStack& stack, const NvtxItem& item) {
  for (size_t i = stack.size(); i > 0; --i) {
    const OpenRange& open = stack[i - 1];
    if (open.item.domain != item.domain || open.item.depth > item.depth) continue;
    if (open.item.depth == item.depth) {
      write(open, item.time_ns, 0);
      stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(i - 1));
    }
    return;
  }
}

void LaneDrain::rangeEnd(const NvtxItem& item) {
  const auto found = m_started.find(item.range_id);
  if (found == m_started.end()) return;
  write(found->second, item.time_ns, spool::kFlagStartEnd);
  m_started.erase(found);
}

void LaneDrain::write(const OpenRange& range, uint64_t end_ns, uint16_t flags) {
  put(range, end_ns, flags);
  if (!m_gate.constant()) m_gate.rangeEnded(range.text, end_ns);
}

void LaneDrain::tell(OpenRange& range, uint64_t latest_start_ns, uint16_t flags) {
  if (range.told || range.item.time_ns > latest_start_ns) return;
  range.told = true;
  put(range, 0, flags | spool::kFlagOpenRange);
}

void LaneDrain::tellOpenRanges(uint64_t now_ns, uint64_t age_ns) {
  const uint64_t latest_start_ns = now_ns - age_ns;
  for (LaneStack& stack : m_stacks)
    for (OpenRange& range : stack) tell(range, latest_start_ns, 0);
  for (auto& [id, range] : m_started) tell(range, latest_start_ns, spool::kFlagStartEnd);
}

void LaneDrain::put(const OpenRange& range, uint64_t end_ns, uint16_t flags) {
  const NvtxItem& item = range.item;
  spool::NvtxRange to{};
  to.head.kind = spool::Kind::NvtxRange;
  to.head.flags = flags;
  to.head.thread = range.thread;
  to.start_ns = item.time_ns;
  to.end_ns = end_ns;
  to.text_id = range.text_id;
  to.domain_id = domainId(item.domain);
  to.category = item.category;
  to.color = item.color;
  to.depth = item.depth;
  to.payload_type = item.payload_type;
  to.payload = item.payload;
  m_sink.put(to);
}

void LaneDrain::writeMark(const OpenRange& range) {
  const NvtxItem& item = range.item;
  spool::NvtxMark to{};
  to.head.kind = spool::Kind::NvtxMark;
  to.head.thread = range.thread;
  to.start_ns = to.end_ns = item.time_ns;
  to.text_id = range.text_id;
  to.domain_id = domainId(item.domain);
  to.category = item.category;
  to.color = item.color;
  to.payload_type = item.payload_type;
  to.payload = item.payload;
  m_sink.put(to);
}

void LaneDrain::writeThreadName(const NvtxItem& item, uint32_t text_id) {
  spool::ThreadName to{};
  to.head.kind = spool::Kind::ThreadName;
  to.head.thread = static_cast<uint32_t>(item.range_id);
  to.name_id = text_id;
  m_sink.put(to);
}

void LaneDrain::closeStack(LaneStack& stack, uint64_t now_ns) {
  for (; !stack.empty(); stack.pop_back()) write(stack.back(), now_ns, spool::kFlagOpenRange);
}

void LaneDrain::closeOpenRanges(uint64_t now_ns) {
  for (LaneStack& stack : m_stacks) closeStack(stack, now_ns);
  for (const auto& [id, range] : m_started)
    write(range, now_ns, spool::kFlagStartEnd | spool::kFlagOpenRange);
  m_started.clear();
}

uint32_t LaneDrain::domainId(uint32_t index) {
  if (index == 0 || index >= kMaxDomains) return 0;
  if (m_domain_ids[index] == 0) {
    const NvtxDomain* domain = m_nvtx.domains[index].load(std::memory_order_acquire);
    if (domain == nullptr) return 0;
    m_domain_ids[index] = m_names.intern(domain->name);
  }
  return m_domain_ids[index];
}

}  // namespace perfscope::collector
