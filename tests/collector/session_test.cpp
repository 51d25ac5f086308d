// A whole session on a fake CUPTI: what goes in comes out of the spool; misfortunes are told, never harmful.
#include "collector/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/collector/spool_reading.h"
#include "tests/support/fake_cupti.h"
#include "tests/support/temp_dir.h"

namespace perfscope::collector {
namespace {

using spool::Kind;
using test::FakeCupti;

class SessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    FakeCupti::reset();
    config.session_dir = dir.path();
    config.buffer_bytes = 64 * 1024;
    config.buffer_count = 8;
    config.flush_ms = 20;
    nvtx.lanes = &lanes;
    nvtx.losses = &losses;
  }
  void TearDown() override { setHotState(nullptr); }

  Session* begin() { return Session::start(config, losses, lanes, nvtx, FakeCupti::table(), 13000); }
  [[nodiscard]] std::filesystem::path folder() const { return test::processFolders(dir.path()).at(0); }
  [[nodiscard]] std::vector<spool::Note> notes() const {
    return test::readSpool(folder()).of<spool::Note>(Kind::Note);
  }

  test::TempDir dir;
  CollectorConfig config;
  LossTally& losses = *new LossTally;  // sessions outlive tests, as they outlive everything in a process
  LaneTable& lanes = *new LaneTable(losses, 256);
  NvtxState& nvtx = *new NvtxState;
};

bool kernelsAreOn() {
  const auto enabled = FakeCupti::snapshot().enabled;
  return std::find(enabled.begin(), enabled.end(), CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != enabled.end();
}

TEST_F(SessionTest, BuffersBecomeSpoolRecords) {
  Session* session = begin();
  ASSERT_NE(session, nullptr);
  for (int i = 0; i < 3; ++i) {
    test::BufferBuilder buffer;
    for (uint32_t k = 0; k < 100; ++k) buffer.addKernel("kernel", 1000 + k, 2000 + k, k);
    ASSERT_TRUE(FakeCupti::deliver(buffer));
  }
  session->close();
  const auto records = test::readSpool(folder());
  EXPECT_EQ(records.count(Kind::Kernel), 300U);
  EXPECT_EQ(records.of<spool::Window>(Kind::Window).size(), 2U);  // opened at the start, closed at the exit
  EXPECT_GE(records.count(Kind::ClockSync), 2U);
  const auto control = test::readControl(folder());
  EXPECT_EQ(control.block().state.load(), spool::ProcessState::Closed);
  EXPECT_GE(control.block().end_ns.load(), control.block().start_ns);
  EXPECT_EQ(control.block().records.load(), records.all.size());
  EXPECT_EQ(control.block().cupti_version, 130001U);
  EXPECT_EQ(control.block().driver_version, 13000U);
  EXPECT_EQ(control.block().cupti_buffers.load(), 3U);
  EXPECT_EQ(FakeCupti::snapshot().forced_flushes, 1U);
  EXPECT_TRUE(notes().empty());
}

TEST_F(SessionTest, CallsComeInTheOrderCuptiWants) {
  begin()->close();
  const auto order = FakeCupti::snapshot().order;
  const auto first = [&](const char* what) {
    return std::find(order.begin(), order.end(), what) - order.begin();
  };
  EXPECT_EQ(first("subscribe"), 0);
  EXPECT_LT(first("attribute"), first("register"));
  EXPECT_LT(first("register"), first("enable"));
  EXPECT_EQ(FakeCupti::snapshot().unsubscribes, 0U);  // no clean-up at exit: CUPTI may still be at work
}

TEST_F(SessionTest, FlushesAreRegular) {
  const auto before = std::chrono::steady_clock::now();
  Session* session = begin();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto now = FakeCupti::snapshot();
  const auto passed_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - before)
          .count();
  EXPECT_GE(now.flushes, 3U);
  EXPECT_LE(now.flushes, passed_ms / 20 + 1);  // every 20 ms at most
  EXPECT_EQ(now.forced_flushes, 0U);
  EXPECT_GT(test::readControl(folder()).block().heartbeat_ns.load(),
            test::readControl(folder()).block().start_ns);
  session->close();
}

TEST_F(SessionTest, DroppedRecordsAreCounted) {
  FakeCupti::set([&](FakeCupti& f) { f.dropped = 17; });
  Session* session = begin();
  test::BufferBuilder buffer;
  buffer.addKernel("k", 1, 2);
  ASSERT_TRUE(FakeCupti::deliver(buffer));
  session->close();
  EXPECT_EQ(test::readControl(folder()).loss(Loss::CuptiDropped), 17U);
}

TEST_F(SessionTest, UnreadableBufferLosesItsRestOnly) {
  Session* session = begin();
  test::BufferBuilder buffer;
  buffer.addKernel("before", 1, 2);
  buffer.add<CUpti_ActivityKernel10>(static_cast<CUpti_ActivityKind>(12345));
  ASSERT_TRUE(FakeCupti::deliver(buffer));
  session->close();
  EXPECT_EQ(test::readSpool(folder()).count(Kind::Kernel), 1U);
  EXPECT_EQ(test::readControl(folder()).loss(Loss::UnknownRecord), 1U);
}

TEST_F(SessionTest, TakenSlotIsToldWithItsHolder) {
  FakeCupti::set([&](FakeCupti& f) { f.subscribe_result = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED; });
  FakeCupti::set([&](FakeCupti& f) { f.slot_holder = "Kineto"; });
  Session* session = begin();
  ASSERT_NE(session, nullptr);
  session->close();
  const auto all = notes();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].id, spool::NoteId::SlotTaken);
  EXPECT_EQ(all[0].value, 39);
  EXPECT_EQ(test::readSpool(folder()).text(all[0].text_id), "Kineto");
  EXPECT_TRUE(FakeCupti::snapshot().enabled.empty());  // CUPTI is left alone
  EXPECT_EQ(FakeCupti::snapshot().flushes, 0U);
  EXPECT_EQ(hotState(), nullptr);
}

TEST_F(SessionTest, MissingAndOldCuptiAreTold) {
  Session* session = Session::start(
      config, losses, lanes, nvtx, failure(ErrorKind::Unavailable, "libcupti", "not found", "install it"), 0);
  session->close();
  ASSERT_EQ(notes().size(), 1U);
  EXPECT_EQ(notes()[0].id, spool::NoteId::CuptiMissing);
  EXPECT_EQ(test::readControl(folder()).block().state.load(), spool::ProcessState::Closed);
  std::filesystem::remove_all(folder());
  FakeCupti::set([&](FakeCupti& f) { f.version = 17; });  // 11.6
  begin()->close();
  ASSERT_EQ(notes().size(), 1U);
  EXPECT_EQ(notes()[0].id, spool::NoteId::CuptiTooOld);
}

TEST_F(SessionTest, RefusedKindAndKnownDefectAreNoted) {
  FakeCupti::set([&](FakeCupti& f) { f.refused_kind = CUPTI_ACTIVITY_KIND_OVERHEAD; });
  FakeCupti::set([&](FakeCupti& f) { f.version = 130000; });
  begin()->close();
  const auto all = notes();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].id, spool::NoteId::KnownBadVersion);
  EXPECT_EQ(all[1].id, spool::NoteId::KindUnavailable);
  EXPECT_EQ(test::readSpool(folder()).text(all[1].text_id), "OVERHEAD");
}

TEST_F(SessionTest, AnotherProfilerInsideIsNotedOnce) {
  Session* session = begin();
  hotState()->other_profiler.store(true);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  hotState()->other_profiler.store(true);
  session->close();
  ASSERT_EQ(notes().size(), 1U);
  EXPECT_EQ(notes()[0].id, spool::NoteId::OtherProfilerInside);
}

// GEMM and NCCL kernels without a hooked call: the shapes are missing, and that is told. A forked child
// likewise.
TEST_F(SessionTest, SilentHooksAreNoted) {
  Session* session = begin();
  test::BufferBuilder buffer;
  buffer.addKernel("sm90_xmma_gemm_bf16", 1, 2);
  buffer.addKernel("ncclDevKernel_AllReduce", 3, 4);
  ASSERT_TRUE(FakeCupti::deliver(buffer));
  session->close();
  const auto all = notes();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].id, spool::NoteId::GemmHooksAbsent);
  EXPECT_EQ(all[1].id, spool::NoteId::NcclHooksAbsent);
}

TEST_F(SessionTest, OtherRanksAreNotRecorded) {
  ::setenv("RANK", "1", 1);
  config.ranks = {0, 8};
  EXPECT_EQ(begin(), nullptr);
  EXPECT_TRUE(test::processFolders(dir.path()).empty());
  config.ranks = {1};
  Session* wanted = begin();
  ASSERT_NE(wanted, nullptr);
  wanted->close();
  ::unsetenv("RANK");
}

TEST_F(SessionTest, UnwritableFolderLeavesTheProgramAlone) {
  config.session_dir = "/nonexistent/folder";
  EXPECT_EQ(begin(), nullptr);
}

TEST_F(SessionTest, HangingFlushCannotHoldTheExit) {
  FakeCupti::set([&](FakeCupti& f) { f.flush_delay_ms = 500; });
  config.flush_ms = 1'000'000;
  Session* session = begin();
  const auto before = std::chrono::steady_clock::now();
  session->close(100'000'000);
  const auto waited = std::chrono::steady_clock::now() - before;
  EXPECT_LT(waited, std::chrono::milliseconds(400));
  EXPECT_EQ(test::readControl(folder()).block().state.load(),
            spool::ProcessState::Running);  // not closed: told
  std::this_thread::sleep_for(
      std::chrono::milliseconds(1200));  // until the late flush is over: the fake is shared
}

TEST_F(SessionTest, CloseIsIdempotentAndLateCallsAreHarmless) {
  Session* session = begin();
  session->close();
  session->close();
  EXPECT_TRUE(session->flush(1'000'000'000));
  test::BufferBuilder buffer;
  buffer.addKernel("too late", 1, 2);
  FakeCupti::deliver(buffer);
  session->beforeExec();
  EXPECT_EQ(test::readControl(folder()).block().state.load(), spool::ProcessState::Closed);
}

TEST_F(SessionTest, ExecMarksTheProcessAndFailureTakesItBack) {
  Session* session = begin();
  test::BufferBuilder buffer;
  buffer.addKernel("before exec", 1, 2);
  ASSERT_TRUE(FakeCupti::deliver(buffer));
  session->beforeExec();
  EXPECT_EQ(test::readControl(folder()).block().state.load(), spool::ProcessState::Execed);
  EXPECT_EQ(test::readSpool(folder()).count(Kind::Kernel), 1U);  // safe before the process is replaced
  session->execFailed();
  EXPECT_EQ(test::readControl(folder()).block().state.load(), spool::ProcessState::Running);
  session->close();
  EXPECT_EQ(test::readControl(folder()).block().state.load(), spool::ProcessState::Closed);
}

TEST_F(SessionTest, DelayedWindowStartsWithKindsOff) {
  config.delay_ns = 100'000'000;
  Session* session = begin();
  EXPECT_FALSE(kernelsAreOn());
  EXPECT_THAT(FakeCupti::snapshot().enabled,
              testing::Contains(CUPTI_ACTIVITY_KIND_DEVICE));  // told once, at the start
  EXPECT_FALSE(hotState()->collecting.load());
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_TRUE(kernelsAreOn());
  EXPECT_TRUE(hotState()->collecting.load());
  session->close();
  const auto windows = test::readSpool(folder()).of<spool::Window>(Kind::Window);
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_EQ(windows[0].time_ns, test::readControl(folder()).block().start_ns + 100'000'000);
}

TEST_F(SessionTest, ProfilerApiOpensAndCloses) {
  config.capture = Capture::ProfilerApi;
  Session* session = begin();
  EXPECT_TRUE(kernelsAreOn());
  CUpti_CallbackData data{};
  data.callbackSite = CUPTI_API_ENTER;
  eventCallback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, &data);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  eventCallback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop, &data);
  EXPECT_TRUE(FakeCupti::snapshot().disabled.empty());
  std::this_thread::sleep_for(std::chrono::milliseconds(600));  // the kinds linger a little
  EXPECT_FALSE(FakeCupti::snapshot().disabled.empty());
  EXPECT_FALSE(hotState()->collecting.load());
  session->close();
  EXPECT_EQ(test::readSpool(folder()).of<spool::Window>(Kind::Window).size(), 2U);
}

// A range of a millisecond, far shorter than a drain round: CUPTI must be on before it begins.
TEST_F(SessionTest, ShortCaptureRangeIsNotMissed) {
  config.capture = Capture::Nvtx;
  config.capture_range = "region";
  Session* session = begin();
  EXPECT_FALSE(kernelsAreOn());
  EXPECT_THAT(FakeCupti::snapshot().enabled,
              testing::Contains(CUPTI_ACTIVITY_KIND_DEVICE));  // told once, at the start
  WindowTrigger* trigger = nvtx.trigger.load();
  ASSERT_NE(trigger, nullptr);
  EXPECT_TRUE(trigger->before("region"));
  EXPECT_TRUE(kernelsAreOn());
  std::this_thread::sleep_for(
      std::chrono::milliseconds(500));  // many rounds, and the range is not yet in the ring
  EXPECT_TRUE(FakeCupti::snapshot().disabled.empty());
  trigger->after();
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  EXPECT_FALSE(FakeCupti::snapshot().disabled.empty());
  session->close();
}

// The child of a fork shares the parent's mapped files: nothing it does may reach them.
TEST_F(SessionTest, ForkedChildForgetsTheSession) {
  Session* session = begin();
  const uint64_t before = test::readControl(folder()).block().records.load();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    setHotState(nullptr);
    losses.redirect(nullptr);
    lanes.forgetInChild();
    session->forgetInChild();
    losses.count(Loss::RingOverflow, 1000);
    spool::ClockSync record{};
    const bool lane_works = lanes.push(record);
    struct sigaction now {};
    ::sigaction(SIGTERM, nullptr, &now);
    ::_exit(lane_works && now.sa_handler == SIG_DFL ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  const auto control = test::readControl(folder());
  EXPECT_EQ(control.loss(Loss::RingOverflow), 0U);
  EXPECT_LE(control.block().records.load(), before + 5);
  EXPECT_EQ(control.block().state.load(), spool::ProcessState::Running);
  session->close();
}

// SIGTERM with the default action: the data is safe and the process dies of SIGTERM.
TEST_F(SessionTest, DeadlySignalsStayWhatTheyAre) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGABRT}) {
    test::TempDir child_dir;
    const pid_t child = ::fork();
    if (child == 0) {
      ::signal(signal, SIG_DFL);
      config.session_dir = child_dir.path();
      config.flush_ms = 100'000;
      begin();
      test::BufferBuilder buffer;
      buffer.addKernel("k", 1, 2);
      FakeCupti::deliver(buffer);
      if (signal == SIGABRT) ::abort();
      ::kill(::getpid(), signal);
      ::pause();
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << signal;
    EXPECT_EQ(WTERMSIG(status), signal);
    const auto child_folder = test::processFolders(child_dir.path()).at(0);
    EXPECT_EQ(test::readSpool(child_folder).count(Kind::Kernel), 1U) << signal;
    EXPECT_EQ(test::readControl(child_folder).block().state.load(), spool::ProcessState::Closed) << signal;
  }
}

TEST_F(SessionTest, OwnAndIgnoredHandlersAreNotTouched) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGTERM, SIG_IGN);
    ::signal(SIGINT, [](int) { ::_exit(42); });
    begin();
    ::raise(SIGTERM);
    ::raise(SIGINT);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 42) << status;
}

TEST_F(SessionTest, DrainThreadBlocksAllSignals) {
  Session* session = begin();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  bool found = false;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string name = test::fileBytes(task.path() / "comm");
    if (name != "perfscope\n") continue;
    found = true;
    const std::string status = test::fileBytes(task.path() / "status");
    const auto at = status.find("SigBlk:\t");
    ASSERT_NE(at, std::string::npos);
    // All but SIGKILL, SIGSTOP (which cannot be) and glibc's own two (32, 33).
    EXPECT_EQ(status.substr(at + 8, 16), "fffffffe7ffbfeff");
  }
  EXPECT_TRUE(found);
  session->close();
}

}  // namespace
}  // namespace perfscope::collector
