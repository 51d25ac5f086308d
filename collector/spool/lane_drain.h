// The threads' rings -> spool records: rebuilds NVTX ranges, interns texts, tells the gate about steps.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collector/hot/lane_table.h"
#include "collector/nvtx/nvtx_handler.h"
#include "collector/nvtx/nvtx_items.h"
#include "collector/spool/name_table.h"
#include "collector/spool/record_sink.h"
#include "collector/window/gate.h"

namespace perfscope::collector {

// Drain thread only.
class LaneDrain {
 public:
  LaneDrain(LaneTable& lanes, const NvtxState& nvtx, RecordSink sink, NameTable& names, LossTally& losses,
            Gate& gate);

  // Passes on everything the rings hold.
  void drain();
  // Tells of ranges that are open longer than `age_ns`, each once: they are known then even if the process is
  // killed. Costs a short range nothing.
  void tellOpenRanges(uint64_t now_ns, uint64_t age_ns);
  // At the end of the process: ranges that never ended, marked open, with `now_ns` as their end.
  void closeOpenRanges(uint64_t now_ns);
  [[nodiscard]] uint64_t gemmRecords() const noexcept { return m_gemm_records; }
  [[nodiscard]] uint64_t ncclRecords() const noexcept { return m_nccl_records; }

 private:
  struct OpenRange {
    NvtxItem item;
    uint32_t thread;
    uint32_t text_id;
    bool told = false;  // as open
    std::string text;   // only while the gate wants to hear of ends
  };
  using LaneStack = std::vector<OpenRange>;

  void consume(uint32_t lane_index, uint32_t thread, const spool::Record& record, std::string_view text);
  void nvtx(uint32_t lane_index, uint32_t thread, const NvtxItem& item, std::string_view text);
  void push(LaneStack& stack, const OpenRange& range);
  void pop(LaneStack& stack, const NvtxItem& item);
  void rangeEnd(const NvtxItem& item);
  void write(const OpenRange& range, uint64_t end_ns, uint16_t flags);
  void put(const OpenRange& range, uint64_t end_ns, uint16_t flags);
  void tell(OpenRange& range, uint64_t latest_start_ns, uint16_t flags);
  void writeMark(const OpenRange& range);
  void writeThreadName(const NvtxItem& item, uint32_t text_id);
  void closeStack(LaneStack& stack, uint64_t now_ns);
  uint32_t domainId(uint32_t index);

  static constexpr size_t kMaxStarted = 65536;  // start/end ranges open at a time

  LaneTable& m_lanes;
  const NvtxState& m_nvtx;
  RecordSink m_sink;
  NameTable& m_names;
  LossTally& m_losses;
  Gate& m_gate;
  std::vector<char> m_scratch;
  std::vector<LaneStack> m_stacks;  // by lane
  std::unordered_map<uint64_t, OpenRange> m_started;
  std::array<uint32_t, kMaxDomains> m_domain_ids{};  // string ids, 0 = not yet written
  uint64_t m_gemm_records = 0, m_nccl_records = 0;
};

}  // namespace perfscope::collector
