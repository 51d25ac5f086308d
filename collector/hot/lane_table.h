// Which thread writes into which ring: a fixed table of lanes, claimed at a thread's first record.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "collector/hot/loss_tally.h"
#include "collector/hot/ring.h"

namespace perfscope::collector {

inline constexpr uint32_t kMaxDomains = 256;   // NVTX domains with a nesting depth of their own, 0 = default
inline constexpr uint32_t kMaxNvtxDepth = 64;  // deeper ranges are counted as lost
inline constexpr uint32_t kMaxLanes = 1024;    // threads at a time

enum class LaneState : uint32_t { Unused = 0, InUse, Released };

// One application thread. Written by its thread only, but for `state`.
struct Lane {
  std::atomic<LaneState> state;
  uint32_t thread_id;  // system thread id
  Ring ring;
  std::array<uint16_t, kMaxDomains> depth;  // open push/pop ranges per NVTX domain
  std::array<uint64_t, kMaxDomains>
      recorded;  // bit per depth: the push reached the ring, so its pop must too
};

// Any thread calls `push`; the drain thread calls `drainAll`. A lane is reused after its thread ended and its
// ring was drained. The memory is mapped at the first record of a process and of a thread, never before.
class LaneTable {
 public:
  LaneTable(LossTally& losses, uint32_t ring_records);
  ~LaneTable();
  LaneTable(const LaneTable&) = delete;
  LaneTable& operator=(const LaneTable&) = delete;

  // The calling thread's lane; null when all kMaxLanes are taken or no memory could be mapped.
  Lane* mine() noexcept;

  // Writes to the calling thread's ring; a full ring or table counts Loss::RingOverflow. Never waits.
  template <class T>
  bool push(const T& record, std::string_view text = {}) noexcept {
    Lane* lane = mine();
    if (lane != nullptr && lane->ring.push(record, text)) return true;
    m_losses.count(Loss::RingOverflow);
    return false;
  }

  // Drain thread: consume(lane_index, lane, record, text) for every record of every lane, then
  // ended(lane_index, lane) for lanes whose thread is gone, which become free.
  template <class Consume, class Ended>
  size_t drainAll(char* scratch, Consume&& consume, Ended&& ended) {
    Lane* lanes = m_lanes.load(std::memory_order_acquire);
    if (lanes == nullptr) return 0;
    size_t records = 0;
    const uint32_t high = m_high.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < high; ++i) {
      Lane& lane = lanes[i];
      const LaneState state = lane.state.load(std::memory_order_acquire);
      if (state == LaneState::Unused) continue;
      records += lane.ring.drain(scratch, [&](const spool::Record& record, std::string_view text) {
        consume(i, lane, record, text);
      });
      if (state == LaneState::Released) {
        ended(i, lane);
        lane.state.store(LaneState::Unused, std::memory_order_release);
      }
    }
    return records;
  }

  // In a forked child, before anything else: every lane is forgotten (their threads do not exist here).
  void forgetInChild() noexcept;

 private:
  Lane* claim() noexcept;
  Lane* tryClaim(Lane* lanes, uint32_t index) noexcept;
  Lane* mapLanes() noexcept;

  LossTally& m_losses;
  uint32_t m_ring_records;
  uint64_t m_generation;
  pthread_key_t m_key{};
  bool m_has_key = false;
  std::atomic<Lane*> m_lanes{nullptr};
  std::atomic<uint32_t> m_high{0};
};

}  // namespace perfscope::collector
