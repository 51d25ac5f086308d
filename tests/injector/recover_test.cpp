// A recorder killed in the middle, and what `recover` makes of it: nothing lost, nothing twice.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "injector/recorder/checkpoint.h"
#include "injector/recorder/recorder.h"
#include "injector/run_session.h"
#include "injector/session_files.h"
#include "schemas/trace_reader.h"
#include "tests/support/spool_builder.h"
#include "tests/support/temp_dir.h"

namespace perfscope {
namespace {

namespace fs = std::filesystem;
using test::SpoolBuilder;

constexpr uint32_t kDeadPid = 99999999;  // above any pid_max

class Killed : public testing::Test {
 protected:
  Killed() : m_spool(kDeadPid) { fs::create_directory(m_session); }

  RecorderOptions options() {
    RecorderOptions o;
    o.output = m_dir.file("p.perfscope");
    o.session_dir = m_session;
    o.time_base_ns = static_cast<int64_t>(test::kSpoolBaseNs);
    o.commit_every_ms = 0;
    o.meta = {{"label.x", "1"}};
    return o;
  }

  // A recorder in a process of its own; killed after `rounds` polls.
  void recordAndKill(int rounds) {
    const pid_t child = ::fork();
    if (child == 0) {
      writeSessionFacts(options());
      auto recorder = Recorder::create(options());
      for (int i = 0; recorder && i < rounds; ++i) (void)(*recorder)->poll();
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
  }

  std::string value(const std::string& sql, const std::string& file = "p.perfscope") {
    auto reader = TraceReader::open(m_dir.file(file));
    if (!reader) return reader.error().sentence();
    const auto found = reader->database().scalar(sql);
    return found ? found->value_or("NULL") : found.error().sentence();
  }

  test::TempDir m_dir;
  std::string m_session = m_dir.file("p.perfscope.session");
  SpoolBuilder m_spool;
};

TEST_F(Killed, GoesOnWhereTheRecorderStopped) {
  m_spool.device(0);
  const auto name = m_spool.text("_Z5firstv");
  const auto shape = m_spool.shape(12);
  // 1: complete. 2: only its call has come. 3: only its kernel has come. All in a segment that is then
  // consumed.
  m_spool.api(1, 100, 110, 55)
      .kernel(1, 120, 130, name, shape)
      .api(2, 200, 210, 55)
      .kernel(3, 320, 330, name, shape);
  m_spool.kernel(9, 900, 910, 77, shape);  // its name has not come
  m_spool.newSegment();
  m_spool.kernel(4, 400, 410, name, shape);
  m_spool.write(m_session);
  recordAndKill(3);
  EXPECT_FALSE(fs::exists(m_session + "/" + m_spool.folderName() + "/seg-000001.spool"));
  EXPECT_EQ(value("SELECT value FROM meta WHERE key = 'closed'"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM kernel"), "1");  // the unclosed profile opens

  // Meanwhile the target went on.
  m_spool.kernel(2, 220, 230, name, shape).api(3, 300, 310, 55).api(4, 390, 395, 66).textWithId(77, "late");
  const auto second = m_spool.text("_Z6secondv");
  m_spool.api(5, 500, 505, 55).kernel(5, 510, 520, second, shape).state(spool::ProcessState::Closed);
  m_spool.write(m_session);
  fs::remove(m_session + "/" + m_spool.folderName() + "/seg-000001.spool");  // write() made it again

  const auto outcome = recoverSession(m_session, "", false);
  ASSERT_TRUE(outcome) << outcome.error().sentence();
  EXPECT_EQ(outcome->gpu_records, 6);
  EXPECT_EQ(outcome->profile_path, m_dir.file("p.perfscope"));
  EXPECT_EQ(value("SELECT value FROM meta WHERE key = 'closed'"), "1");
  EXPECT_EQ(value("SELECT group_concat(correlation_id) FROM (SELECT * FROM kernel ORDER BY start_ns)"),
            "1,2,3,4,5,9");
  EXPECT_EQ(value("SELECT count(*) FROM kernel WHERE launch_start_ns IS NOT NULL"), "5");
  EXPECT_EQ(value("SELECT count(*) FROM api_call"), "0");
  EXPECT_EQ(value("SELECT group_concat(name) FROM (SELECT DISTINCT name FROM v_kernel ORDER BY start_ns)"),
            "first(),second(),late");
  EXPECT_EQ(value("SELECT count(*) FROM device"), "1");
  EXPECT_EQ(value("SELECT count(*) FROM host"), "1");
  EXPECT_EQ(value("SELECT count(*) FROM launch_shape"), "1");
  EXPECT_EQ(value("SELECT group_concat(tid) FROM (SELECT tid FROM thread ORDER BY tid)"), "55,66");
  EXPECT_EQ(value("SELECT state FROM process"), "closed");
  EXPECT_EQ(value("SELECT count FROM loss WHERE name = 'unmatched_launch'"), "1");  // kernel 9
  EXPECT_EQ(value("SELECT value FROM meta WHERE key = 'label.x'"), "1");
  EXPECT_FALSE(fs::exists(m_session));
}

TEST_F(Killed, IntoAnotherFileLeavesEverythingInPlace) {
  m_spool.device(0);
  const auto name = m_spool.text("k");
  const auto shape = m_spool.shape();
  m_spool.kernel(1, 10, 20, name, shape).newSegment().kernel(2, 30, 40, name, shape).write(m_session);
  recordAndKill(2);
  const auto outcome = recoverSession(m_session, m_dir.file("it's other.perfscope"), false);
  ASSERT_TRUE(outcome) << outcome.error().sentence();
  EXPECT_EQ(value("SELECT count(*) FROM kernel", "it's other.perfscope"), "2");
  EXPECT_TRUE(fs::exists(m_session));
  EXPECT_EQ(value("SELECT value FROM meta WHERE key = 'closed'"), "0");
}

TEST_F(Killed, BeforeAnythingWasTaken) {
  recordAndKill(0);
  m_spool.device(0);
  const auto name = m_spool.text("k");
  m_spool.kernel(1, 10, 20, name, m_spool.shape()).write(m_session);
  const auto outcome = recoverSession(m_session, "", false);  // the begun profile is no obstacle
  ASSERT_TRUE(outcome) << outcome.error().sentence();
  EXPECT_EQ(value("SELECT count(*) FROM kernel"), "1");
}

// What a recorder may have made of its output when it is killed at once: all of it gives way, nothing else.
TEST_F(Killed, WhileItMadeItsFiles) {
  const std::string output = m_dir.file("p.perfscope");
  std::ofstream(output).flush();
  ASSERT_TRUE(recoverSession(m_session, "", false));  // an empty file, an empty folder
  EXPECT_EQ(value("SELECT value FROM meta WHERE key = 'closed'"), "1");
  EXPECT_FALSE(fs::exists(m_session));

  fs::remove(output);
  fs::create_directory(m_session);
  {
    auto db = Database::open(output, Database::Mode::Create);
    ASSERT_TRUE(db && db->execute("PRAGMA journal_mode = WAL"));
  }
  ASSERT_TRUE(recoverSession(m_session, "", false));
  EXPECT_EQ(value("SELECT value FROM meta WHERE key = 'closed'"), "1");

  fs::create_directory(m_session);
  const auto refused = recoverSession(m_session, "", false);  // a complete profile is somebody's
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Output);
}

TEST_F(Killed, WithoutTheBegunProfileItSaysWhatIsMissing) {
  m_spool.device(0);
  const auto name = m_spool.text("k");
  const auto shape = m_spool.shape();
  m_spool.kernel(1, 10, 20, name, shape).newSegment().kernel(2, 30, 40, name, shape).write(m_session);
  recordAndKill(2);
  for (const char* const part : {"", "-wal", "-shm"}) fs::remove(m_dir.file("p.perfscope") + part);
  const auto outcome = recoverSession(m_session, "", false);
  ASSERT_TRUE(outcome) << outcome.error().sentence();
  EXPECT_EQ(outcome->warnings.size(), 2u);  // the earlier part, and the hole where segment 1 was
  // Names come from the definitions file although their segment is gone.
  EXPECT_EQ(value("SELECT group_concat(name) FROM v_kernel"), "k");
}

TEST_F(Killed, WhileTheRecorderLivesNothingIsTouched) {
  writeSessionFacts(options());
  const pid_t other = ::fork();
  if (other == 0) {
    writeSessionFacts(options());
    ::pause();
    ::_exit(0);
  }
  while (!fs::exists(m_session + "/session")) ::usleep(1000);
  ::usleep(50000);
  const auto outcome = recoverSession(m_session, "", true);
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::Unavailable);
}

TEST(Checkpoint, RoundTripAndDamage) {
  const test::TempDir dir;
  ProcessCheckpoint point;
  point.folder = {7, 123};
  point.process_id = 3;
  point.segment = 12;
  point.index = 34;
  point.own_loss[2] = 5;
  point.waiting.resize(4);
  point.waiting[3].bytes[63] = 0x0a;  // a line break is no end
  const std::string path = checkpointPath(dir.path().string(), 9);
  ASSERT_TRUE(writeCheckpoint(path, {point, point}));
  const auto back = readCheckpoint(path);
  ASSERT_TRUE(back) << back.error().sentence();
  ASSERT_EQ(back->size(), 2u);
  EXPECT_EQ((*back)[1].segment, 12u);
  EXPECT_EQ((*back)[1].index, 34u);
  EXPECT_EQ((*back)[1].own_loss[2], 5u);
  EXPECT_EQ((*back)[1].waiting[3].bytes[63], 0x0a);
  EXPECT_EQ(newestCheckpoint(dir.path().string()), 9u);
  fs::resize_file(path, fs::file_size(path) - 1);
  EXPECT_EQ(readCheckpoint(path).error().kind, ErrorKind::InputRefused);
}

}  // namespace
}  // namespace perfscope
