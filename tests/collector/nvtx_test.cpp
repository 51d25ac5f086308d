// NVTX from the function table a program calls through, over the rings, to spool records.
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "collector/nvtx/nvtx_chain.h"
#include "collector/nvtx/nvtx_handler.h"
#include "collector/process/clock.h"
#include "collector/spool/lane_drain.h"
#include "tests/collector/spool_reading.h"

namespace perfscope::collector {
namespace {

using spool::Kind;

// What an NVTX library in a program offers to a tool.
struct NvtxClient {
  std::array<NvtxFunctionPointer, NVTX_CBID_CORE_SIZE> core{};
  std::array<NvtxFunctionPointer, NVTX_CBID_CORE2_SIZE> core2{};
  std::array<NvtxFunctionPointer*, NVTX_CBID_CORE_SIZE + 1> core_table{};
  std::array<NvtxFunctionPointer*, NVTX_CBID_CORE2_SIZE + 1> core2_table{};

  NvtxClient() {
    for (size_t i = 0; i < core.size(); ++i) core_table[i] = &core[i];
    for (size_t i = 0; i < core2.size(); ++i) core2_table[i] = &core2[i];
  }
  template <class F>
  F* get(NvtxCallbackIdCore id) const {
    return reinterpret_cast<F*>(core[id]);
  }
  template <class F>
  F* get(NvtxCallbackIdCore2 id) const {
    return reinterpret_cast<F*>(core2[id]);
  }
};

NvtxClient& client() {
  static NvtxClient instance;
  return instance;
}
int moduleTable(NvtxCallbackModule module, NvtxFunctionTable* table, unsigned int* size) {
  if (module == NVTX_CB_MODULE_CORE) {
    *table = client().core_table.data();
    *size = NVTX_CBID_CORE_SIZE;
    return 1;
  }
  if (module == NVTX_CB_MODULE_CORE2) {
    *table = client().core2_table.data();
    *size = NVTX_CBID_CORE2_SIZE;
    return 1;
  }
  return 0;
}
const void* exportTable(uint32_t id) {
  static const NvtxExportTableCallbacks callbacks{sizeof(NvtxExportTableCallbacks), moduleTable};
  return id == NVTX_ETID_CALLBACKS ? &callbacks : nullptr;
}

class Nvtx : public ::testing::Test {
 protected:
  void SetUp() override {
    state.lanes = &lanes;
    state.losses = &losses;
    setNvtxState(&state);
    ASSERT_TRUE(installNvtx(reinterpret_cast<void*>(&exportTable)));
  }
  void TearDown() override { setNvtxState(nullptr); }

  [[nodiscard]] std::vector<spool::NvtxRange> ranges() {
    drain.drain();
    return records.of<spool::NvtxRange>(Kind::NvtxRange);
  }
  int push(const char* text) { return client().get<int(const char*)>(NVTX_CBID_CORE_RangePushA)(text); }
  int pop() { return client().get<int()>(NVTX_CBID_CORE_RangePop)(); }

  static nvtxEventAttributes_t attributes(const char* text) {
    nvtxEventAttributes_t a{};
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = text;
    return a;
  }

  LossTally losses;
  LaneTable lanes{losses, 256};
  NvtxState state;
  test::Records records;
  NameTable names{records.sink(), losses};
  Gate gate{CollectorConfig{}, 0};
  LaneDrain drain{lanes, state, records.sink(), names, losses, gate};
};

TEST_F(Nvtx, NestedRanges) {
  EXPECT_EQ(push("outer"), 0);
  EXPECT_EQ(push("inner"), 1);
  EXPECT_EQ(pop(), 1);
  EXPECT_EQ(pop(), 0);
  EXPECT_LT(pop(), 0);  // nothing to pop
  const auto all = ranges();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(records.text(all[0].text_id), "inner");
  EXPECT_EQ(all[0].depth, 1U);
  EXPECT_EQ(records.text(all[1].text_id), "outer");
  EXPECT_EQ(all[1].depth, 0U);
  EXPECT_LE(all[1].start_ns, all[0].start_ns);
  EXPECT_LE(all[0].end_ns, all[1].end_ns);
  EXPECT_EQ(all[0].head.thread, static_cast<uint32_t>(::gettid()));
  EXPECT_EQ(all[0].domain_id, 0U);
}

TEST_F(Nvtx, RangesAcrossDrainRounds) {
  push("long");
  EXPECT_TRUE(ranges().empty());
  pop();
  EXPECT_EQ(ranges().size(), 1U);
}

// A range that lasts is told once while it is open; a short one never, so it costs nothing.
TEST_F(Nvtx, LongRangesAreToldWhileOpen) {
  push("long");
  client().get<nvtxRangeId_t(const char*)>(NVTX_CBID_CORE_RangeStartA)("whole");
  drain.drain();
  const uint64_t now = realtimeNs();
  drain.tellOpenRanges(now, 1'000'000'000);  // open for less than that
  EXPECT_TRUE(records.of<spool::NvtxRange>(Kind::NvtxRange).empty());
  drain.tellOpenRanges(now + 2'000'000'000, 1'000'000'000);
  drain.tellOpenRanges(now + 3'000'000'000, 1'000'000'000);  // once each
  auto all = records.of<spool::NvtxRange>(Kind::NvtxRange);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(records.text(all[0].text_id), "long");
  EXPECT_EQ(all[0].head.flags, spool::kFlagOpenRange);
  EXPECT_EQ(all[0].end_ns, 0U);
  EXPECT_EQ(all[1].head.flags, spool::kFlagOpenRange | spool::kFlagStartEnd);
  pop();
  all = ranges();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[2].head.flags, 0);
  EXPECT_EQ(all[2].start_ns, all[0].start_ns);
  EXPECT_GT(all[2].end_ns, 0U);
}

TEST_F(Nvtx, AttributesDomainsAndPayloads) {
  const auto domain = client().get<nvtxDomainHandle_t(const char*)>(NVTX_CBID_CORE2_DomainCreateA)("NCCL");
  EXPECT_EQ(client().get<nvtxDomainHandle_t(const char*)>(NVTX_CBID_CORE2_DomainCreateA)("NCCL"), domain);
  const auto other =
      client().get<nvtxDomainHandle_t(const wchar_t*)>(NVTX_CBID_CORE2_DomainCreateW)(L"other");
  EXPECT_NE(other, domain);
  const auto pushEx =
      client().get<int(nvtxDomainHandle_t, const nvtxEventAttributes_t*)>(NVTX_CBID_CORE2_DomainRangePushEx);
  const auto popEx = client().get<int(nvtxDomainHandle_t)>(NVTX_CBID_CORE2_DomainRangePop);
  auto a = attributes("tokens");
  a.category = 5;
  a.colorType = NVTX_COLOR_ARGB;
  a.color = 0xff00ff00;
  a.payloadType = NVTX_PAYLOAD_TYPE_INT32;
  a.payload.ullValue = ~uint64_t{0};
  a.payload.iValue = -3;
  EXPECT_EQ(push("default domain"), 0);
  EXPECT_EQ(pushEx(domain, &a), 0);  // a depth of its own
  a.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
  a.payload.dValue = 2.5;
  EXPECT_EQ(pushEx(domain, &a), 1);
  popEx(domain);
  popEx(domain);
  pop();
  const auto all = ranges();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(records.text(all[0].domain_id), "NCCL");
  double payload = 0;
  std::memcpy(&payload, &all[0].payload, sizeof(payload));
  EXPECT_EQ(payload, 2.5);
  EXPECT_EQ(all[1].category, 5U);
  EXPECT_EQ(all[1].color, 0xff00ff00U);
  EXPECT_EQ(all[1].payload_type, NVTX_PAYLOAD_TYPE_INT32);
  EXPECT_EQ(static_cast<int64_t>(all[1].payload), -3);
  EXPECT_EQ(all[2].domain_id, 0U);
}

TEST_F(Nvtx, RegisteredAndWideTexts) {
  const auto handle = client().get<nvtxStringHandle_t(nvtxDomainHandle_t, const char*)>(
      NVTX_CBID_CORE2_DomainRegisterStringA)(nullptr, "registered");
  auto a = attributes(nullptr);
  a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  a.message.registered = handle;
  client().get<int(const nvtxEventAttributes_t*)>(NVTX_CBID_CORE_RangePushEx)(&a);
  client().get<int(const wchar_t*)>(NVTX_CBID_CORE_RangePushW)(L"gr\u00fc\u00df \u4e16 \U0001f600");
  pop();
  pop();
  const auto all = ranges();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(records.text(all[0].text_id), "gr\xc3\xbc\xc3\x9f \xe4\xb8\x96 \xf0\x9f\x98\x80");
  EXPECT_EQ(records.text(all[1].text_id), "registered");
}

TEST_F(Nvtx, StartEndMayCrossThreads) {
  nvtxRangeId_t id = 0;
  uint32_t starter = 0;
  std::thread([&] {
    starter = static_cast<uint32_t>(::gettid());
    id = client().get<nvtxRangeId_t(const char*)>(NVTX_CBID_CORE_RangeStartA)("async");
  }).join();
  EXPECT_NE(id, 0U);
  EXPECT_TRUE(ranges().empty());
  client().get<void(nvtxRangeId_t)>(NVTX_CBID_CORE_RangeEnd)(id);
  client().get<void(nvtxRangeId_t)>(NVTX_CBID_CORE_RangeEnd)(999);  // never begun
  const auto all = ranges();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].head.flags, spool::kFlagStartEnd);
  EXPECT_EQ(all[0].head.thread, starter);
}

TEST_F(Nvtx, MarksAndThreadNames) {
  client().get<void(const char*)>(NVTX_CBID_CORE_MarkA)("here");
  client().get<void(uint32_t, const char*)>(NVTX_CBID_CORE_NameOsThreadA)(4242, "loader");
  drain.drain();
  const auto marks = records.of<spool::NvtxMark>(Kind::NvtxMark);
  ASSERT_EQ(marks.size(), 1U);
  EXPECT_EQ(marks[0].start_ns, marks[0].end_ns);
  EXPECT_EQ(records.text(marks[0].text_id), "here");
  const auto thread_names = records.of<spool::ThreadName>(Kind::ThreadName);
  ASSERT_EQ(thread_names.size(), 1U);
  EXPECT_EQ(thread_names[0].head.thread, 4242U);
  EXPECT_EQ(records.text(thread_names[0].name_id), "loader");
}

TEST_F(Nvtx, OpenRangesAreWrittenAtTheEnd) {
  push("a");
  push("b");
  client().get<nvtxRangeId_t(const char*)>(NVTX_CBID_CORE_RangeStartA)("s");
  drain.drain();
  drain.closeOpenRanges(UINT64_MAX - 1);
  const auto all = records.of<spool::NvtxRange>(Kind::NvtxRange);
  ASSERT_EQ(all.size(), 3U);
  for (const auto& range : all) {
    EXPECT_NE(range.head.flags & spool::kFlagOpenRange, 0);
    EXPECT_EQ(range.end_ns, UINT64_MAX - 1);
  }
}

// A ring of 256 records overflows: what is lost is counted, what is left is right.
TEST_F(Nvtx, OverflowNeverMismatchesRanges) {
  push("outermost");
  for (int i = 0; i < 500; ++i) {
    push("x");
    pop();
  }
  drain.drain();
  push("after");
  pop();
  pop();
  const auto all = ranges();
  EXPECT_GT(losses.value(Loss::RingOverflow), 0U);
  ASSERT_GE(all.size(), 3U);
  const auto& outermost = all.back();
  EXPECT_EQ(records.text(outermost.text_id), "outermost");
  EXPECT_EQ(records.text(all[all.size() - 2].text_id), "after");
  for (const auto& range : all) {
    EXPECT_GE(range.start_ns, outermost.start_ns);
    EXPECT_LE(range.end_ns, outermost.end_ns);
  }
}

TEST_F(Nvtx, TooDeepIsCountedAndUnwindsRight) {
  for (int i = 0; i < 100; ++i) EXPECT_EQ(push("deep"), i);
  for (int i = 99; i >= 0; --i) EXPECT_EQ(pop(), i);
  EXPECT_EQ(ranges().size(), kMaxNvtxDepth);
  EXPECT_EQ(losses.value(Loss::RingOverflow), 100 - kMaxNvtxDepth);
}

TEST_F(Nvtx, LongTextsAreCutNotLost) {
  const std::string text(3 * kMaxTextBytes, 'x');
  push(text.c_str());
  pop();
  const auto all = ranges();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(records.text(all[0].text_id), text.substr(0, kMaxTextBytes));
}

// --- a chained tool

struct OtherTool {
  std::vector<std::string> calls;
  static OtherTool& instance() {
    static OtherTool tool;
    return tool;
  }
};
constexpr uint64_t kTheirDomain = 0xd0, kTheirString = 0x57, kTheirRange = 777;

template <class F>
void offer(NvtxFunctionPointer& cell, F* function) {
  cell = reinterpret_cast<NvtxFunctionPointer>(function);
}
// What the other tool's InitializeInjectionNvtx2 would put into the tables.
void installOther() {
  offer(
      client().core[NVTX_CBID_CORE_RangePushA], +[](const char* text) {
        OtherTool::instance().calls.push_back(std::string("push ") + text);
        return 0;
      });
  offer(
      client().core[NVTX_CBID_CORE_RangePop], +[]() {
        OtherTool::instance().calls.emplace_back("pop");
        return 0;
      });
  offer(
      client().core[NVTX_CBID_CORE_RangeStartA], +[](const char*) { return nvtxRangeId_t{kTheirRange}; });
  offer(
      client().core[NVTX_CBID_CORE_RangeEnd],
      +[](nvtxRangeId_t id) { OtherTool::instance().calls.push_back("end " + std::to_string(id)); });
  offer(
      client().core2[NVTX_CBID_CORE2_DomainCreateA],
      +[](const char*) { return reinterpret_cast<nvtxDomainHandle_t>(kTheirDomain); });
  offer(
      client().core2[NVTX_CBID_CORE2_DomainRegisterStringA], +[](nvtxDomainHandle_t domain, const char*) {
        EXPECT_EQ(reinterpret_cast<uint64_t>(domain), kTheirDomain);
        return reinterpret_cast<nvtxStringHandle_t>(kTheirString);
      });
  offer(
      client().core2[NVTX_CBID_CORE2_DomainMarkEx],
      +[](nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
        EXPECT_EQ(reinterpret_cast<uint64_t>(domain), kTheirDomain);
        EXPECT_EQ(reinterpret_cast<uint64_t>(attributes->message.registered), kTheirString);
        OtherTool::instance().calls.emplace_back("mark");
      });
}

// Last of its suite on purpose: the chain of a process is learned once and stays.
TEST_F(Nvtx, ZChainedToolGetsEveryCallWithItsOwnHandles) {
  client().core = {};
  client().core2 = {};
  const auto before = NvtxChain::snapshot(exportTable);
  installOther();
  nvtxChain().learn(before, NvtxChain::snapshot(exportTable));
  ASSERT_TRUE(installNvtx(reinterpret_cast<void*>(&exportTable)));
  push("ours and theirs");
  pop();
  const auto id = client().get<nvtxRangeId_t(const char*)>(NVTX_CBID_CORE_RangeStartA)("s");
  EXPECT_EQ(id, kTheirRange);
  client().get<void(nvtxRangeId_t)>(NVTX_CBID_CORE_RangeEnd)(id);
  const auto domain =
      client().get<nvtxDomainHandle_t(const char*)>(NVTX_CBID_CORE2_DomainCreateA)("chained domain");
  auto a = attributes(nullptr);
  a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  a.message.registered = client().get<nvtxStringHandle_t(nvtxDomainHandle_t, const char*)>(
      NVTX_CBID_CORE2_DomainRegisterStringA)(domain, "registered");
  client().get<void(nvtxDomainHandle_t, const nvtxEventAttributes_t*)>(NVTX_CBID_CORE2_DomainMarkEx)(domain,
                                                                                                     &a);
  EXPECT_EQ(OtherTool::instance().calls,
            (std::vector<std::string>{"push ours and theirs", "pop", "end 777", "mark"}));
  EXPECT_EQ(ranges().size(), 2U);
  const auto marks = records.of<spool::NvtxMark>(Kind::NvtxMark);
  ASSERT_EQ(marks.size(), 1U);
  EXPECT_EQ(records.text(marks[0].text_id), "registered");
  EXPECT_EQ(records.text(marks[0].domain_id), "chained domain");
  client().core = {};
  client().core2 = {};
}

TEST(NvtxInstall, RefusesWhatItDoesNotUnderstand) {
  EXPECT_FALSE(installNvtx(nullptr));
  EXPECT_FALSE(installNvtx(reinterpret_cast<void*>(+[](uint32_t) -> const void* { return nullptr; })));
}

TEST(NvtxWithoutState, EverythingIsHarmless) {
  setNvtxState(nullptr);
  ASSERT_TRUE(installNvtx(reinterpret_cast<void*>(&exportTable)));
  EXPECT_LT(client().get<int(const char*)>(NVTX_CBID_CORE_RangePushA)("x"), 0);
  EXPECT_LT(client().get<int()>(NVTX_CBID_CORE_RangePop)(), 0);
  client().get<void(const char*)>(NVTX_CBID_CORE_MarkA)("x");
}

}  // namespace
}  // namespace perfscope::collector
