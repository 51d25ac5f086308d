// Pool, stack, queue, ring and lanes under many threads (also to be run under the thread sanitizer).
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <set>
#include <thread>

#include "collector/hot/bounded_queue.h"
#include "collector/hot/buffer_pool.h"
#include "collector/hot/lane_table.h"
#include "schemas/spool_format.h"

namespace perfscope::collector {
namespace {

constexpr uint32_t kThreads = 64;

template <class Work>
void onThreads(uint32_t count, Work&& work) {
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
  for (auto& thread : threads) thread.join();
}

TEST(BoundedQueue, KeepsOrderAndKnowsItsLimit) {
  BoundedQueue<int> queue(3);  // rounded up to 4
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(queue.tryPush(i));
  EXPECT_FALSE(queue.tryPush(4));
  int value = -1;
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(queue.tryPop(value));
    EXPECT_EQ(value, i);
  }
  EXPECT_FALSE(queue.tryPop(value));
}

TEST(BoundedQueue, NothingIsLostOrDoubledUnder64Producers) {
  constexpr uint64_t kEach = 2000;
  BoundedQueue<uint64_t> queue(256);
  std::atomic<bool> done{false};
  std::vector<uint64_t> seen(kThreads * kEach, 0);
  std::thread consumer([&] {
    uint64_t value = 0;
    while (true) {
      if (queue.tryPop(value))
        ++seen[value];
      else if (done.load() && !queue.tryPop(value))
        break;
      else
        std::this_thread::yield();
    }
  });
  onThreads(kThreads, [&](uint32_t thread) {
    for (uint64_t i = 0; i < kEach; ++i)
      while (!queue.tryPush(thread * kEach + i)) std::this_thread::yield();
  });
  while (queue.size() > 0) std::this_thread::yield();
  done.store(true);
  consumer.join();
  EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), uint64_t{0}), kThreads * kEach);
  EXPECT_EQ(std::set<uint64_t>(seen.begin(), seen.end()), std::set<uint64_t>{1});
}

TEST(BufferPool, HandsOutZeroedBuffersAndTakesThemBack) {
  BufferPool pool(100'000, 2, 2);
  ASSERT_EQ(pool.totalCount(), 2U);
  EXPECT_EQ(pool.bufferBytes() % 4096, 0U);
  uint8_t* a = pool.take();
  uint8_t* b = pool.take();
  ASSERT_TRUE(a != nullptr && b != nullptr && a != b);
  EXPECT_EQ(pool.take(), nullptr);
  EXPECT_TRUE(pool.keeps(a));
  a[0] = a[pool.bufferBytes() - 1] = 0xff;
  pool.giveBack(a, pool.bufferBytes());
  uint8_t* again = pool.take();
  ASSERT_EQ(again, a);  // last in, first out
  EXPECT_EQ(again[0] | again[pool.bufferBytes() - 1], 0);
}

TEST(BufferPool, TakesLessWhereAddressSpaceIsLimited) {
  const BufferPool pool(size_t{1} << 30, 1 << 24, 2);  // 2^54 bytes cannot be mapped, 2 GiB can
  EXPECT_EQ(pool.totalCount(), 2U);
  BufferPool none(size_t{1} << 46, 4, 2);
  EXPECT_EQ(none.totalCount(), 0U);
  EXPECT_EQ(none.take(), nullptr);
}

TEST(BufferPool, ThrowAwayBuffersNeverCount) {
  BufferPool pool(8192, 1, 1);
  std::vector<std::pair<uint8_t*, size_t>> taken;
  for (uint32_t i = 0; i < BufferPool::kSpares + 2; ++i) {
    size_t bytes = 0;
    uint8_t* buffer = pool.takeThrowAway(bytes);
    ASSERT_NE(buffer, nullptr);
    EXPECT_FALSE(pool.keeps(buffer));
    buffer[bytes - 1] = 1;  // all of it is ours
    taken.emplace_back(buffer, bytes);
  }
  EXPECT_EQ(taken.back().second, BufferPool::kEmergencyBytes);
  for (const auto& [buffer, bytes] : taken) pool.giveBack(buffer, bytes);
  size_t bytes = 0;
  EXPECT_EQ(pool.takeThrowAway(bytes)[bytes - 1], 0);
}

TEST(BufferPool, NoBufferHasTwoOwnersUnder64Threads) {
  BufferPool pool(4096, 16, 16);
  std::atomic<uint64_t> denied{0}, taken{0};
  onThreads(kThreads, [&](uint32_t thread) {
    for (int i = 0; i < 500; ++i) {
      uint8_t* buffer = pool.take();
      if (buffer == nullptr) {
        ++denied;
        continue;
      }
      ++taken;
      ASSERT_EQ(buffer[17], 0);  // zeroed, and nobody else writes here
      buffer[17] = static_cast<uint8_t>(thread + 1);
      std::this_thread::yield();
      ASSERT_EQ(buffer[17], thread + 1);
      pool.giveBack(buffer, pool.bufferBytes());
    }
  });
  EXPECT_EQ(taken + denied, kThreads * 500U);
  EXPECT_EQ(pool.freeCount(), 16U);
}

spool::ClockSync numbered(uint64_t number) {
  spool::ClockSync record{};
  record.head.kind = spool::Kind::ClockSync;
  record.realtime_ns = number;
  return record;
}

TEST(Ring, CarriesTextsAcrossTheEnd) {
  std::vector<spool::Record> slots(64);
  Ring ring;
  ring.attach(slots.data(), 64);
  std::vector<char> scratch(kMaxTextBytes);
  const std::string text = "a text that takes more than one slot of sixty-four bytes, to be sure: 0123456789";
  for (uint64_t i = 0; i < 200; ++i) {
    ASSERT_TRUE(ring.push(numbered(i), text));
    size_t calls = 0;
    ring.drain(scratch.data(), [&](const spool::Record& record, std::string_view got) {
      spool::ClockSync value;
      std::memcpy(&value, record.bytes, sizeof(value));
      EXPECT_EQ(value.realtime_ns, i);
      EXPECT_EQ(got, text);
      ++calls;
    });
    ASSERT_EQ(calls, 1U);
  }
}

TEST(Ring, FullRingRefusesAWholeRecord) {
  std::vector<spool::Record> slots(64);
  Ring ring;
  ring.attach(slots.data(), 64);
  for (int i = 0; i < 63; ++i) ASSERT_TRUE(ring.push(numbered(1)));
  EXPECT_FALSE(ring.push(numbered(2), "needs two slots"));
  EXPECT_TRUE(ring.push(numbered(3)));
  EXPECT_FALSE(ring.push(numbered(4)));
  std::vector<char> scratch(kMaxTextBytes);
  EXPECT_EQ(ring.drain(scratch.data(), [](const spool::Record&, std::string_view) {}), 64U);
  EXPECT_TRUE(ring.empty());
}

TEST(LaneTable, EveryRecordArrivesOnceInTheOrderOfItsThread) {
  constexpr uint64_t kEach = 3000;
  LossTally losses;
  LaneTable lanes(losses, 256);
  std::atomic<bool> done{false};
  std::vector<uint64_t> next(kThreads, 0), pushed(kThreads, 0);
  std::atomic<uint64_t> ended{0};
  std::thread drain([&] {
    std::vector<char> scratch(kMaxTextBytes);
    const auto round = [&] {
      return lanes.drainAll(
          scratch.data(),
          [&](uint32_t, const Lane&, const spool::Record& record, std::string_view text) {
            spool::ClockSync value;
            std::memcpy(&value, record.bytes, sizeof(value));
            const auto thread = value.monotonic_ns;
            ASSERT_EQ(value.realtime_ns, next[thread]++);
            ASSERT_EQ(text, std::to_string(value.realtime_ns));
          },
          [&](uint32_t, const Lane&) { ++ended; });
    };
    while (!done.load()) round();
    while (round() > 0) {
    }
  });
  onThreads(kThreads, [&](uint32_t thread) {
    for (uint64_t i = 0; i < kEach; ++i) {
      auto record = numbered(pushed[thread]);
      record.monotonic_ns = thread;
      if (lanes.push(record, std::to_string(pushed[thread]))) ++pushed[thread];
    }
  });
  done.store(true);
  drain.join();
  uint64_t arrived = 0;
  for (uint32_t i = 0; i < kThreads; ++i) {
    EXPECT_EQ(next[i], pushed[i]);
    arrived += next[i];
  }
  EXPECT_EQ(arrived + losses.value(Loss::RingOverflow), kThreads * kEach);  // dropped ones are counted
  EXPECT_GT(arrived, 0U);
}

TEST(LaneTable, LanesOfEndedThreadsAreUsedAgain) {
  LossTally losses;
  LaneTable lanes(losses, 64);
  std::vector<char> scratch(kMaxTextBytes);
  std::set<uint32_t> used;
  for (uint32_t i = 0; i < 2 * kMaxLanes; ++i) {
    std::thread([&] { lanes.push(numbered(i)); }).join();
    lanes.drainAll(
        scratch.data(),
        [&](uint32_t lane, const Lane&, const spool::Record&, std::string_view) { used.insert(lane); },
        [](uint32_t, const Lane&) {});
  }
  EXPECT_EQ(losses.value(Loss::RingOverflow), 0U);
  EXPECT_LE(used.size(), 4U);
}

TEST(LossTally, EarlyCountsMoveIntoTheControlFile) {
  LossTally losses;
  losses.count(Loss::RingOverflow, 3);
  std::array<LossTally::Counter, 32> block{};
  losses.redirect(block.data());
  losses.count(Loss::RingOverflow);
  EXPECT_EQ(block[static_cast<size_t>(Loss::RingOverflow)].load(), 4U);
  EXPECT_EQ(losses.value(Loss::RingOverflow), 4U);
}

}  // namespace
}  // namespace perfscope::collector
