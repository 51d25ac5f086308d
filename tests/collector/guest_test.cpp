// The guest of a process: starts once, does nothing unasked, and forgets everything in a forked child.
#include "collector/guest.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "collector/session.h"
#include "tests/collector/spool_reading.h"
#include "tests/support/temp_dir.h"

// A guest and its session live to the last instruction of their process, so these tests leave them: no leak
// report.
extern "C" const char*
__asan_default_options() {  // NOLINT(bugprone-reserved-identifier): the sanitizer's name
  return "detect_leaks=0";
}

namespace perfscope::collector {
namespace {

class GuestTest : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("PERFSCOPE_CUPTI", "/nonexistent/libcupti.so", 1); }
  void TearDown() override { ::unsetenv("PERFSCOPE_CUPTI"); }
  // Never destroyed, as in production.
  Guest& guest() {
    CollectorConfig config;
    config.session_dir = dir.path();
    return *new Guest(config);
  }
  test::TempDir dir;
};

TEST_F(GuestTest, WithoutConfigurationNothingHappens) {
  Guest guest(std::nullopt);
  EXPECT_FALSE(guest.enabled());
  guest.cudaBegins();
  guest.processEnds();
  EXPECT_EQ(guest.session(), nullptr);
}

TEST_F(GuestTest, NoFileBeforeCuda) {
  Guest& quiet = guest();
  EXPECT_TRUE(quiet.enabled());
  spool::ClockSync record{};
  EXPECT_TRUE(quiet.lanes().push(record));  // NVTX before CUDA waits in the ring
  quiet.processEnds();
  EXPECT_TRUE(test::processFolders(dir.path()).empty());
}

TEST_F(GuestTest, CudaBeginsOnce) {
  Guest& user = guest();
  user.cudaBegins();
  user.cudaBegins();
  ASSERT_NE(user.session(), nullptr);
  EXPECT_EQ(test::processFolders(dir.path()).size(), 1U);
  user.processEnds();
  user.processEnds();
  EXPECT_EQ(test::readControl(test::processFolders(dir.path())[0]).block().state.load(),
            spool::ProcessState::Closed);
}

TEST_F(GuestTest, RecordsFromBeforeCudaAreNotLost) {
  Guest& user = guest();
  spool::ClockSync early{};
  early.head.kind = spool::Kind::ClockSync;
  early.realtime_ns = 42;
  EXPECT_TRUE(user.lanes().push(early));
  user.losses().count(Loss::RingOverflow, 3);
  user.cudaBegins();
  user.processEnds();
  const auto folder = test::processFolders(dir.path())[0];
  const auto clocks = test::readSpool(folder).of<spool::ClockSync>(spool::Kind::ClockSync);
  EXPECT_TRUE(std::any_of(clocks.begin(), clocks.end(), [](const auto& c) { return c.realtime_ns == 42; }));
  EXPECT_EQ(test::readControl(folder).loss(Loss::RingOverflow), 3U);
}

TEST_F(GuestTest, ForkedChildIsNotRecordedAndIsCounted) {
  Guest& user = guest();
  user.cudaBegins();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    user.forgetInChild();
    user.cudaBegins();  // CUDA cannot be used here: no second session
    user.losses().count(Loss::RingOverflow);
    spool::ClockSync record{};
    const bool fine =
        user.session() == nullptr && user.nvtx().trigger.load() == nullptr && user.lanes().push(record);
    user.processEnds();
    ::_exit(fine ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  user.processEnds();
  const auto folders = test::processFolders(dir.path());
  ASSERT_EQ(folders.size(), 1U);
  EXPECT_EQ(test::readControl(folders[0]).loss(Loss::RingOverflow), 0U);
  const auto notes = test::readSpool(folders[0]).of<spool::Note>(spool::Kind::Note);
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const auto& note) {
    return note.id == spool::NoteId::ForkedChild && note.value == 1;
  }));
}

TEST_F(GuestTest, ChildForkedBeforeCudaHasASessionOfItsOwn) {
  Guest& user = guest();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    user.forgetInChild();
    user.cudaBegins();
    const bool fine = user.session() != nullptr;
    user.processEnds();
    ::_exit(fine ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  ASSERT_EQ(test::processFolders(dir.path()).size(), 1U);
  EXPECT_EQ(test::readControl(test::processFolders(dir.path())[0]).block().pid, static_cast<uint32_t>(child));
}

}  // namespace
}  // namespace perfscope::collector
