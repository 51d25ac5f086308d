// Which thread writes into which ring.
#include "collector/hot/lane_table.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace perfscope::collector {
namespace {

// The one thread-local of the collector. initial-exec: read with one instruction, and never allocated lazily.
struct MyLane {
  uint64_t generation;
  Lane* lane;
};
thread_local MyLane t_mine __attribute__((tls_model("initial-exec"))) = {0, nullptr};

std::atomic<uint64_t>& generations() noexcept {
  static std::atomic<uint64_t> counter{0};
  return counter;
}

void* mapPages(size_t bytes) noexcept {
  void* pages =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

void releaseAtThreadEnd(void* lane) {
  t_mine = {0, nullptr};
  static_cast<Lane*>(lane)->state.store(LaneState::Released, std::memory_order_release);
}

uint32_t roundToPowerOfTwo(uint32_t value) {
  uint32_t power = 64;
  while (power < value && power < (1U << 24)) power *= 2;
  return power;
}

}  // namespace

LaneTable::LaneTable(LossTally& losses, uint32_t ring_records)
    : m_losses(losses), m_ring_records(roundToPowerOfTwo(ring_records)), m_generation(++generations()) {
  m_has_key = ::pthread_key_create(&m_key, releaseAtThreadEnd) == 0;
}

LaneTable::~LaneTable() {
  if (m_has_key) ::pthread_key_delete(m_key);
  Lane* lanes = m_lanes.load();
  if (lanes == nullptr) return;
  // Rings stay mapped: a thread that is still inside a hook must not fault. Lane memory likewise.
}

Lane* LaneTable::mine() noexcept {
  if (t_mine.generation == m_generation) return t_mine.lane;
  return claim();
}

Lane* LaneTable::mapLanes() noexcept {
  Lane* lanes = m_lanes.load(std::memory_order_acquire);
  if (lanes != nullptr) return lanes;
  void* pages = mapPages(sizeof(Lane) * kMaxLanes);
  if (pages == nullptr) return nullptr;
  auto* fresh =
      static_cast<Lane*>(pages);  // zero pages are valid, unused lanes: every member is zero at rest
  if (m_lanes.compare_exchange_strong(lanes, fresh, std::memory_order_acq_rel)) return fresh;
  ::munmap(pages, sizeof(Lane) * kMaxLanes);
  return lanes;
}

Lane* LaneTable::tryClaim(Lane* lanes, uint32_t index) noexcept {
  Lane& lane = lanes[index];
  LaneState expected = LaneState::Unused;
  if (lane.state.load(std::memory_order_relaxed) != LaneState::Unused ||
      !lane.state.compare_exchange_strong(expected, LaneState::InUse, std::memory_order_acq_rel))
    return nullptr;
  lane.thread_id = static_cast<uint32_t>(::syscall(SYS_gettid));
  lane.depth.fill(0);
  lane.recorded.fill(0);
  if (!lane.ring.attached()) {
    void* slots = mapPages(static_cast<size_t>(m_ring_records) * spool::kRecordBytes);
    if (slots == nullptr) {
      lane.state.store(LaneState::Unused, std::memory_order_release);
      return nullptr;
    }
    lane.ring.attach(static_cast<spool::Record*>(slots), m_ring_records);
  }
  uint32_t high = m_high.load(std::memory_order_relaxed);
  while (high < index + 1 && !m_high.compare_exchange_weak(high, index + 1, std::memory_order_release)) {
  }
  return &lane;
}

Lane* LaneTable::claim() noexcept {
  Lane* lanes = mapLanes();
  if (lanes == nullptr) return nullptr;
  for (uint32_t i = 0; i < kMaxLanes; ++i) {
    if (Lane* lane = tryClaim(lanes, i)) {
      t_mine = {m_generation, lane};
      if (m_has_key) ::pthread_setspecific(m_key, lane);
      return lane;
    }
  }
  return nullptr;
}

void LaneTable::forgetInChild() noexcept {
  if (m_has_key) ::pthread_setspecific(m_key, nullptr);
  t_mine = {0, nullptr};
  Lane* lanes = m_lanes.load(std::memory_order_relaxed);
  const uint32_t high = m_high.load(std::memory_order_relaxed);
  for (uint32_t i = 0; lanes != nullptr && i < high; ++i) {
    lanes[i].ring.reset();
    lanes[i].state.store(LaneState::Unused, std::memory_order_relaxed);
  }
}

}  // namespace perfscope::collector
