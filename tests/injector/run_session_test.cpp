// A whole run with a shell as target that leaves a prepared spool in the session folder, as a collector
// would.
#include "injector/run_session.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "injector/borrowed_signals.h"
#include "injector/session_files.h"
#include "schemas/trace_reader.h"
#include "tests/support/spool_builder.h"
#include "tests/support/temp_dir.h"

namespace perfscope {
namespace {

namespace fs = std::filesystem;
using test::SpoolBuilder;
using test::TempDir;

class RunSession : public testing::Test {
 protected:
  RunSession() {
    // Any library that may be preloaded without effect stands for the collector.
    std::ifstream maps("/proc/self/maps");
    std::string line;
    while (std::getline(maps, line)) {
      const auto slash = line.find('/');
      if (slash != std::string::npos && line.find("/libm.so") != std::string::npos)
        m_library = line.substr(slash);
    }
  }

  // The target: copies the prepared spool into the session folder named in its configuration, then `then`.
  RunOptions options(const std::string& then, bool copy = true) {
    RunOptions o;
    const std::string find = "S=${PERFSCOPE_CONFIG#session=}; S=${S%%;*}; ";
    o.command = {"sh", "-c",
                 find + (copy ? "cp -r '" + m_dir.file("prepared") + "/.' \"$S\" 2>/dev/null; " : "") + then};
    o.output = m_dir.file("out.perfscope");
    o.nvml_hz = 0;
    o.collector_library = m_library;
    return o;
  }

  SpoolBuilder& prepare(uint32_t pid, int kernels) {
    m_spools.emplace_back(pid);
    auto& spool = m_spools.back();
    spool.device(0);
    const auto name = spool.text("k");
    const auto shape = spool.shape();
    for (int i = 0; i < kernels; ++i) {
      const auto t = static_cast<uint64_t>(i) * 100 + 100;
      const auto correlation = static_cast<uint32_t>(i) + 1;
      spool.api(correlation, t, t + 10).kernel(correlation, t + 20, t + 60, name, shape);
    }
    spool.state(spool::ProcessState::Closed).write(m_dir.file("prepared"));
    return spool;
  }

  std::string value(const std::string& sql) {
    auto reader = TraceReader::open(m_dir.file("out.perfscope"));
    if (!reader) return reader.error().sentence();
    return reader->database().scalar(sql)->value_or("NULL");
  }

  TempDir m_dir;
  std::string m_library;
  std::vector<SpoolBuilder> m_spools;
};

TEST_F(RunSession, RecordsAndPassesTheStatus) {
  prepare(99999999, 50);
  RunOptions o = options("exit 3");
  o.labels = {{"batch", "8"}};
  const auto outcome = runSession(o);
  ASSERT_TRUE(outcome) << outcome.error().sentence();
  EXPECT_EQ(outcome->target_status, 3);
  EXPECT_EQ(outcome->gpu_records, 50);
  EXPECT_EQ(outcome->processes, 1);
  EXPECT_TRUE(outcome->empty_reason.empty());
  EXPECT_FALSE(outcome->recording_error) << outcome->recording_error->sentence();
  EXPECT_EQ(value("SELECT count(*) FROM kernel WHERE launch_start_ns IS NOT NULL"), "50");
  EXPECT_EQ(value("SELECT value FROM meta WHERE key = 'closed'"), "1");
  EXPECT_EQ(value("SELECT value FROM meta WHERE key = 'label.batch'"), "8");
  EXPECT_FALSE(fs::exists(o.output + ".session"));
  EXPECT_FALSE(fs::exists(o.output + "-wal"));
}

TEST_F(RunSession, ArgumentsAreLeftOutWhenAsked) {
  prepare(99999999, 1);
  RunOptions o = options("exit 0 # hunter2");
  o.config.store_arguments = false;
  ASSERT_TRUE(runSession(o));
  EXPECT_EQ(value("SELECT command FROM process"), "NULL");
  EXPECT_EQ(value("SELECT value FROM meta WHERE key = 'command'"), "sh");
  std::ifstream file(o.output, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(bytes.find("hunter2"), std::string::npos);
}

TEST_F(RunSession, NoSecretOfTheEnvironmentIsInTheProfile) {
  prepare(99999999, 1);
  ::setenv("SECRET_TEST", "s3cr3t-value", 1);
  const RunOptions o = options("exit 0");
  ASSERT_TRUE(runSession(o));
  ::unsetenv("SECRET_TEST");
  std::ifstream file(o.output, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  ASSERT_FALSE(bytes.empty());
  EXPECT_EQ(bytes.find("s3cr3t-value"), std::string::npos);
}

TEST_F(RunSession, ASignalBeforeTheTargetStartsLeavesNothing) {
  const BorrowedSignals signals;
  ::raise(SIGTERM);
  const RunOptions o = options("touch '" + m_dir.file("it-ran") + "'", false);
  const auto outcome = runSession(o);
  ASSERT_TRUE(outcome) << outcome.error().sentence();
  EXPECT_EQ(outcome->interrupted_by, SIGTERM);
  EXPECT_EQ(outcome->target_status, 128 + SIGTERM);
  EXPECT_TRUE(fs::is_empty(m_dir.path()));
}

TEST_F(RunSession, ACompleteProfileKeepsNoCheckpoint) {
  prepare(99999999, 5);
  ASSERT_TRUE(runSession(options("sleep 0.2")));
  EXPECT_EQ(value("SELECT count(*) FROM meta WHERE key = 'checkpoint'"), "0");
}

TEST(SessionFiles, DefaultNamesDoNotMeet) {
  const TempDir dir;
  const fs::path before = fs::current_path();
  fs::current_path(dir.path());
  const auto first = prepareSession("", "train", false);
  const auto second = prepareSession("", "train", false);
  fs::current_path(before);
  ASSERT_TRUE(first && second) << second.error().sentence();
  EXPECT_NE(first->output, second->output);
}

TEST_F(RunSession, EmptyProfileSaysWhy) {
  const auto outcome = runSession(options("exit 0", false));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->gpu_records, 0);
  EXPECT_NE(outcome->empty_reason.find("no GPU record: "), std::string::npos);
  EXPECT_EQ(value("SELECT value FROM meta WHERE key = 'closed'"), "1");
}

TEST_F(RunSession, CollectorsErrorIsTheReason) {
  m_spools.emplace_back(99999999);
  auto note = test::blank<spool::Note>(spool::Kind::Note);
  note.id = spool::NoteId::SlotTaken;
  note.text_id = m_spools.back().text("Nsight Systems");
  m_spools.back().add(note).state(spool::ProcessState::Closed).write(m_dir.file("prepared"));
  const auto outcome = runSession(options("exit 0"));
  ASSERT_TRUE(outcome);
  EXPECT_NE(outcome->empty_reason.find("another tool holds CUPTI"), std::string::npos)
      << outcome->empty_reason;
  EXPECT_NE(outcome->empty_reason.find("Nsight Systems"), std::string::npos);
}

TEST_F(RunSession, TargetNotFoundLeavesNothingBehind) {
  RunOptions o = options("");
  o.command = {"no-such-program-here"};
  const auto outcome = runSession(o);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::InputMissing);
  EXPECT_FALSE(fs::exists(o.output));
  EXPECT_FALSE(fs::exists(o.output + ".session"));
}

TEST_F(RunSession, ExistingOutputIsRefusedAndUntouched) {
  std::ofstream(m_dir.file("out.perfscope")) << "precious";
  const auto outcome = runSession(options("exit 0", false));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::Output);
  EXPECT_EQ(fs::file_size(m_dir.file("out.perfscope")), 8u);
  RunOptions forced = options("exit 0", false);
  forced.force = true;
  EXPECT_TRUE(runSession(forced));
}

TEST_F(RunSession, MissingFolderAndMissingCollector) {
  RunOptions o = options("exit 0", false);
  o.output = m_dir.file("none/out.perfscope");
  EXPECT_EQ(runSession(o).error().kind, ErrorKind::Output);
  o = options("exit 0", false);
  o.collector_library = m_dir.file("none.so");
  EXPECT_EQ(runSession(o).error().kind, ErrorKind::Unavailable);
}

TEST_F(RunSession, FullDiskStopsTheRecorderNotTheTarget) {
  if (::geteuid() != 0 || ::mkdir(m_dir.file("tiny").c_str(), 0700) != 0 ||
      ::mount("tmpfs", m_dir.file("tiny").c_str(), "tmpfs", 0, "size=1m") != 0)
    GTEST_SKIP() << "needs the right to mount a small tmpfs";
  prepare(99999999, 30000);
  RunOptions o = options("sleep 0.3; exit 5");
  o.output = m_dir.file("tiny/out.perfscope");
  // The spool lies elsewhere so that only the database meets the full disk.
  fs::create_directory(m_dir.file("elsewhere"));
  const auto outcome = runSession(o);
  const bool kept = fs::exists(o.output + ".session");
  ::umount2(m_dir.file("tiny").c_str(), MNT_DETACH);
  ASSERT_TRUE(outcome) << outcome.error().sentence();
  EXPECT_EQ(outcome->target_status, 5);
  // Either the spool itself did not fit (cp failed: fewer records) or the database did not.
  ASSERT_TRUE(outcome->recording_error);
  EXPECT_EQ(outcome->recording_error->kind, ErrorKind::Output);
  EXPECT_TRUE(kept);
}

TEST_F(RunSession, ProgressIsReported) {
  prepare(99999999, 10);
  int calls = 0;
  int64_t last = 0;
  RunOptions o = options("sleep 0.8");
  o.on_progress = [&](const Progress& progress) {
    ++calls;
    last = progress.gpu_records;
    EXPECT_GT(progress.elapsed_s, 0);
  };
  ASSERT_TRUE(runSession(o));
  EXPECT_GE(calls, 1);
  EXPECT_EQ(last, 10);
}

}  // namespace
}  // namespace perfscope
