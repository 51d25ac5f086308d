// Segments and the writer: what is published survives SIGKILL; a full disk costs records, not the process.
#include "collector/spool/spool_writer.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "collector/spool/control_file.h"
#include "tests/collector/spool_reading.h"
#include "tests/support/temp_dir.h"

namespace perfscope::collector {
namespace {

spool::ClockSync numbered(uint64_t number) {
  spool::ClockSync record{};
  record.head.kind = spool::Kind::ClockSync;
  record.realtime_ns = number;
  return record;
}

ProcessInfo someProcess() {
  ProcessInfo info;
  info.pid = 4711;
  info.parent_pid = 1;
  info.rank = 3;
  info.world_size = 8;
  info.command = "python\x1ftrain.py";
  info.environment = "RANK=3";
  return info;
}

TEST(ControlFile, HoldsWhoTheProcessIs) {
  test::TempDir dir;
  auto control = ControlFile::create(dir.path(), someProcess(), 123456);
  ASSERT_TRUE(control.has_value());
  const auto folder = dir.path() / "4711-123456";
  EXPECT_EQ(control->folder(), folder);
  const auto read = test::readControl(folder);
  EXPECT_EQ(read.block().magic, spool::kControlMagic);
  EXPECT_EQ(read.block().pid, 4711U);
  EXPECT_EQ(read.block().rank, 3);
  EXPECT_EQ(read.block().local_rank, -1);
  EXPECT_STREQ(read.block().command, "python\x1ftrain.py");
  EXPECT_EQ(read.block().state.load(), spool::ProcessState::Running);
  EXPECT_FALSE(std::filesystem::exists(folder / "control.new"));
}

TEST(ControlFile, LongCommandsAreCut) {
  test::TempDir dir;
  ProcessInfo info = someProcess();
  info.command.assign(10'000, 'a');
  auto control = ControlFile::create(dir.path(), info, 1);
  ASSERT_TRUE(control.has_value());
  EXPECT_EQ(std::strlen(control->block().command), spool::kControlTextBytes - 1);
}

TEST(ControlFile, MissingSessionFolderIsAnError) {
  const auto control = ControlFile::create("/nonexistent/session", someProcess(), 1);
  ASSERT_FALSE(control.has_value());
  EXPECT_NE(control.error().sentence().find("/nonexistent/session/4711-1"), std::string::npos);
  EXPECT_FALSE(control.error().remedy.empty());
}

TEST(SpoolWriter, RotatesWithoutHoles) {
  test::TempDir dir;
  auto control = ControlFile::create(dir.path(), someProcess(), 1);
  ASSERT_TRUE(control.has_value());
  LossTally losses;
  SpoolWriter writer(control->folder(), control->block(), losses);
  const uint64_t count = 2 * spool::kRecordsPerSegment + 10;
  for (uint64_t i = 0; i < count; ++i) writer.sink().put(numbered(i));
  EXPECT_EQ(control->block().last_segment.load(), 3U);
  EXPECT_EQ(control->block().records.load(), count);
  writer.closeSegment();
  const auto records = test::readSpool(control->folder()).of<spool::ClockSync>(spool::Kind::ClockSync);
  ASSERT_EQ(records.size(), count);
  for (uint64_t i = 0; i < count; ++i) ASSERT_EQ(records[i].realtime_ns, i);
  writer.sink().put(numbered(count));  // a late record begins a new segment
  EXPECT_EQ(control->block().last_segment.load(), 4U);
}

TEST(SpoolWriter, PublishedRecordsSurviveSigkill) {
  test::TempDir dir;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto control = ControlFile::create(dir.path(), someProcess(), 1);
    LossTally losses;
    losses.redirect(control->block().loss);
    SpoolWriter writer(control->folder(), control->block(), losses);
    for (uint64_t i = 0;; ++i) {
      writer.sink().put(numbered(i));
      losses.count(Loss::CuptiDropped);
      if (i == 100'000 && ::write(ready[1], "x", 1) != 1) ::_exit(1);
    }
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto folder = test::processFolders(dir.path()).at(0);
  const auto records = test::readSpool(folder).of<spool::ClockSync>(spool::Kind::ClockSync);
  EXPECT_GT(records.size(), 100'000U);
  for (uint64_t i = 0; i < records.size(); ++i) ASSERT_EQ(records[i].realtime_ns, i);
  const auto control = test::readControl(folder);
  EXPECT_EQ(control.block().state.load(), spool::ProcessState::Running);  // not closed
  EXPECT_GE(control.loss(Loss::CuptiDropped) + 1, records.size());        // losses survive, too
  ::close(ready[0]);
  ::close(ready[1]);
}

// In a child, because the limit holds for the whole process. 0 = as expected.
int writeUnderSizeLimit(const std::string& folder, rlim_t limit_bytes) {
  const rlimit limit{limit_bytes, limit_bytes};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  auto control = ControlFile::create(folder, someProcess(), 1);
  if (!control) return 1;
  LossTally losses;
  losses.redirect(control->block().loss);
  SpoolWriter writer(control->folder(), control->block(), losses);
  for (uint64_t i = 0; i < 1000; ++i) writer.sink().put(numbered(i));
  const auto error = writer.takeError();
  if (!error || error->remedy.empty()) return 2;
  return losses.value(Loss::SpoolFull) == 1000 ? 0 : 3;
}

TEST(SpoolWriter, FileSizeLimitCostsRecordsNotTheProcess) {
  test::TempDir dir;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(writeUnderSizeLimit(dir.path(), 1 << 20));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);  // SIGXFSZ would show here
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(test::readControl(test::processFolders(dir.path()).at(0)).loss(Loss::SpoolFull), 1000U);
}

TEST(SpoolWriter, FullDiskCostsRecordsNotTheProcess) {
  test::TempDir dir;
  if (::mount("none", dir.path().c_str(), "tmpfs", 0, "size=6m") != 0)
    GTEST_SKIP() << "needs to be root to mount a small tmpfs";
  {
    auto control = ControlFile::create(dir.path(), someProcess(), 1);
    ASSERT_TRUE(control.has_value());
    LossTally losses;
    SpoolWriter writer(control->folder(), control->block(), losses);
    for (uint64_t i = 0; i < spool::kRecordsPerSegment + 500; ++i) writer.sink().put(numbered(i));
    EXPECT_EQ(losses.value(Loss::SpoolFull), 500U);
    EXPECT_EQ(control->block().last_segment.load(), 1U);
    const auto error = writer.takeError();
    ASSERT_TRUE(error.has_value());
    EXPECT_NE(error->sentence().find("No space left"), std::string::npos);
    EXPECT_FALSE(writer.takeError().has_value());  // said once
  }
  ::umount(dir.path().c_str());
}

}  // namespace
}  // namespace perfscope::collector
