// The functions CUPTI and NVTX call on application threads must not allocate. malloc is counted in this
// executable.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "collector/hot/callbacks.h"
#include "collector/window/step_matcher.h"
#include "tests/support/fake_cupti.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PERFSCOPE_CAN_COUNT 0  // the sanitizers bring an allocator of their own
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PERFSCOPE_CAN_COUNT 0
#endif
#endif
#ifndef PERFSCOPE_CAN_COUNT
#define PERFSCOPE_CAN_COUNT 1
#endif

namespace {
thread_local bool t_counting = false;
thread_local uint64_t t_allocations = 0;
}  // namespace

#if PERFSCOPE_CAN_COUNT
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void __libc_free(void*);

void* malloc(size_t bytes) {
  if (t_counting) ++t_allocations;
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  if (t_counting) ++t_allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* old, size_t bytes) {
  if (t_counting) ++t_allocations;
  return __libc_realloc(old, bytes);
}
void free(void* pointer) {
  if (t_counting && pointer != nullptr) ++t_allocations;
  __libc_free(pointer);
}
}
#endif

namespace perfscope::collector {
namespace {

template <class Work>
uint64_t allocationsIn(Work&& work) {
  t_allocations = 0;
  t_counting = true;
  work();
  t_counting = false;
  return t_allocations;
}

struct Hot {
  LossTally losses;
  LaneTable lanes{losses, 1024};
  BufferPool pool{64 * 1024, 4, 4};
  BoundedQueue<ReadyBuffer> ready{64};
  CuptiApi api;
  std::atomic<uint64_t> handed_out{0};
  HotState state;

  Hot() {
    test::FakeCupti::reset();
    api = test::FakeCupti::table();
    state.pool = &pool;
    state.ready = &ready;
    state.lanes = &lanes;
    state.losses = &losses;
    state.api = &api;
    state.may_refuse = true;
    state.buffers_handed_out = &handed_out;
    setHotState(&state);
  }
  ~Hot() { setHotState(nullptr); }
};

TEST(CallbacksNoAlloc, TheCounterCounts) {
  if (PERFSCOPE_CAN_COUNT == 0) GTEST_SKIP() << "a sanitizer owns malloc";
  EXPECT_GE(allocationsIn([] {
              void* (*volatile allocate)(size_t) =
                  std::malloc;  // volatile: an optimiser may drop a new with its delete
              std::free(allocate(100));
            }),
            1U);
}

TEST(CallbacksNoAlloc, BufferRequestedAndCompleted) {
  if (PERFSCOPE_CAN_COUNT == 0) GTEST_SKIP() << "a sanitizer owns malloc";
  Hot hot;
  uint8_t* buffer = nullptr;
  size_t bytes = 0;
  size_t records = 1;
  EXPECT_EQ(allocationsIn([&] {
              for (int i = 0; i < 10; ++i) {  // four are there, the rest is refused
                bufferRequested(&buffer, &bytes, &records);
                bufferCompleted(nullptr, 0, buffer, bytes, 0);
              }
            }),
            0U);
  EXPECT_EQ(hot.losses.value(Loss::BuffersDenied), 6U);
  EXPECT_EQ(hot.handed_out.load(), 4U);
  EXPECT_EQ(hot.ready.size(), 4U);
  EXPECT_EQ(records, 0U);  // as many as fit
}

TEST(CallbacksNoAlloc, GraphNodeCallback) {
  if (PERFSCOPE_CAN_COUNT == 0) GTEST_SKIP() << "a sanitizer owns malloc";
  Hot hot;
  CUpti_GraphData graph{};
  graph.graph = reinterpret_cast<CUgraph>(uint64_t{5});
  graph.node = reinterpret_cast<CUgraphNode>(uint64_t{11});
  graph.originalNode = reinterpret_cast<CUgraphNode>(uint64_t{3});
  CUpti_ResourceData data{};
  data.resourceDescriptor = &graph;
  const auto call = [&](CUpti_CallbackIdResource id) {
    eventCallback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, static_cast<CUpti_CallbackId>(id), &data);
  };
  call(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);  // the thread's first record maps its ring
  EXPECT_EQ(allocationsIn([&] { call(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED); }), 0U);
  std::array<char, kMaxTextBytes> scratch{};
  std::vector<spool::GraphNode> nodes;
  hot.lanes.drainAll(
      scratch.data(),
      [&](uint32_t, const Lane&, const spool::Record& record, std::string_view) {
        spool::GraphNode node{};
        std::memcpy(&node, record.bytes, sizeof(node));
        nodes.push_back(node);
      },
      [](uint32_t, const Lane&) {});
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].node_id, 11U);
  EXPECT_EQ(nodes[0].head.flags, 0U);
  EXPECT_EQ(nodes[1].head.flags, 1U);
  EXPECT_EQ(nodes[1].original_node_id, 3U);
  EXPECT_EQ(nodes[1].graph_id, 5U);
}

TEST(Callbacks, OldCuptiGetsAThrowAwayBufferInsteadOfARefusal) {
  Hot hot;
  hot.state.may_refuse = false;
  uint8_t* buffer = nullptr;
  size_t bytes = 0;
  size_t records = 0;
  for (int i = 0; i < 4; ++i) bufferRequested(&buffer, &bytes, &records);
  bufferRequested(&buffer, &bytes, &records);
  ASSERT_NE(buffer, nullptr);
  EXPECT_GT(bytes, 0U);
  EXPECT_FALSE(hot.pool.keeps(buffer));
  EXPECT_EQ(hot.losses.value(Loss::BuffersDenied), 1U);
}

TEST(Callbacks, WithoutASessionBuffersAreRefused) {
  setHotState(nullptr);
  uint8_t* buffer = reinterpret_cast<uint8_t*>(1);
  size_t bytes = 1;
  size_t records = 1;
  bufferRequested(&buffer, &bytes, &records);
  EXPECT_EQ(buffer, nullptr);
  EXPECT_EQ(bytes, 0U);
  bufferCompleted(nullptr, 0, buffer, 0, 0);
}

TEST(Callbacks, BackgroundErrorsAreCountedAndTheFirstIsKept) {
  Hot hot;
  CUpti_StateData data{};
  data.notification.result = CUPTI_ERROR_OUT_OF_MEMORY;
  data.notification.message = "first";
  eventCallback(nullptr, CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_ERROR, &data);
  data.notification.message = "second";
  eventCallback(nullptr, CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR, &data);
  eventCallback(nullptr, CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_WARNING, &data);
  EXPECT_EQ(hot.losses.value(Loss::BackgroundError), 2U);
  EXPECT_STREQ(hot.state.background_error.message, "first");
  EXPECT_EQ(hot.state.background_error.code, CUPTI_ERROR_OUT_OF_MEMORY);
}

TEST(NoAllocation, MatchingStepTexts) {
  if (PERFSCOPE_CAN_COUNT == 0) GTEST_SKIP() << "a sanitizer owns malloc";
  const StepMatcher usual("");
  const StepMatcher pattern("^(train|eval) (step|batch)[ _#]*[0-9]{1,9}$");
  ASSERT_FALSE(pattern.allocates());
  bool right = true;
  EXPECT_EQ(allocationsIn([&] {
              right &= usual.matches("step 12") && pattern.matches("train step #17") &&
                       pattern.matches("eval batch_123456789") && !pattern.matches("train step") &&
                       !pattern.matches("a much longer text that is no step at all: train step #17 of 100");
            }),
            0U);
  EXPECT_TRUE(right);
}

}  // namespace
}  // namespace perfscope::collector
