// A profile round trip: create, write, read back, every table; and the files that must be refused.
#include "schemas/database.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "schemas/trace_reader.h"
#include "schemas/trace_writer.h"
#include "tests/support/temp_dir.h"

namespace perfscope {
namespace {

TEST(TraceRoundTrip, EveryTableKeepsItsRow) {
  const test::TempDir dir;
  const auto path = dir.file("a.perfscope");
  auto writer = TraceWriter::create(path, 1700000000000000000);
  ASSERT_TRUE(writer.has_value()) << writer.error().sentence();
  forEachTable([&]<class Row>() {
    const auto status = writer->write(Row{});
    EXPECT_TRUE(status.has_value()) << TableOf<Row>::kName << ": " << status.error().sentence();
  });
  ASSERT_TRUE(writer->close().has_value());
  auto reader = TraceReader::open(path);
  ASSERT_TRUE(reader.has_value()) << reader.error().sentence();
  EXPECT_TRUE(reader->closed());
  EXPECT_EQ(reader->timeBaseNs(), 1700000000000000000);
  forEachTable([&]<class Row>() {
    const auto rows = reader->all<Row>();
    ASSERT_TRUE(rows.has_value()) << rows.error().sentence();
    EXPECT_GE(rows->size(), 1U) << TableOf<Row>::kName;
  });
}

TEST(TraceRoundTrip, ValuesAndNullsSurvive) {
  const test::TempDir dir;
  const auto path = dir.file("a.perfscope");
  auto writer = TraceWriter::create(path, 0);
  ASSERT_TRUE(writer.has_value());
  KernelRow in;
  in.id = 7;
  in.start_ns = 123456789012345;
  in.duration_ns = 42;
  in.launch_start_ns = 5;
  ASSERT_TRUE(writer->write(in).has_value());
  ASSERT_TRUE(writer->close().has_value());
  auto reader = TraceReader::open(path);
  ASSERT_TRUE(reader.has_value());
  const auto rows = reader->all<KernelRow>();
  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(rows->front().start_ns, 123456789012345);
  EXPECT_EQ(rows->front().launch_start_ns, 5);
  EXPECT_FALSE(rows->front().graph_id.has_value());
}

TEST(TraceRoundTrip, EveryViewCanBeAsked) {
  const test::TempDir dir;
  auto writer = TraceWriter::create(dir.file("a.perfscope"), 0);
  ASSERT_TRUE(writer.has_value());
  for (const auto* view : {"v_kernel", "v_kernel_summary", "v_gpu_record", "v_gap", "v_nvtx_range", "v_step",
                           "v_api_call", "v_loss"}) {
    const auto value = writer->database().scalar("SELECT count(*) FROM " + std::string(view));
    ASSERT_TRUE(value.has_value()) << value.error().sentence();
    EXPECT_EQ(*value, "0") << view;
  }
}

TEST(TraceReader, RefusesWhatIsNoProfile) {
  const test::TempDir dir;
  EXPECT_EQ(TraceReader::open(dir.file("none")).error().kind, ErrorKind::InputMissing);
  EXPECT_EQ(TraceReader::open(dir.path().string()).error().kind, ErrorKind::InputRefused);
  std::ofstream(dir.file("empty")).flush();
  EXPECT_EQ(TraceReader::open(dir.file("empty")).error().reason, "is empty");
  ASSERT_EQ(::mkfifo(dir.file("fifo").c_str(), 0600), 0);  // must be refused without waiting for a writer
  EXPECT_EQ(TraceReader::open(dir.file("fifo")).error().kind, ErrorKind::InputRefused);
  std::ofstream(dir.file("text"))
      << "this is not a database, it is a sentence that is long enough to be read as a header";
  EXPECT_EQ(TraceReader::open(dir.file("text")).error().kind, ErrorKind::InputRefused);
  auto other = Database::open(dir.file("other.sqlite"), Database::Mode::Create);
  ASSERT_TRUE(other.has_value());
  ASSERT_TRUE(other->execute("CREATE TABLE t (a)").has_value());
  const auto refused = TraceReader::open(dir.file("other.sqlite"));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::InputRefused);
  EXPECT_NE(refused.error().sentence().find("PerfScope profile"), std::string::npos);
}

TEST(TraceReader, BesideASessionFolderItNamesTheRemedy) {
  test::TempDir dir;
  const std::string path = dir.file("p.perfscope");
  std::ofstream(path).flush();
  EXPECT_EQ(TraceReader::open(path).error().remedy.find("recover"), std::string::npos);
  std::filesystem::create_directory(path + ".session");
  EXPECT_NE(TraceReader::open(path).error().remedy.find("`perfscope recover " + path + ".session`"),
            std::string::npos);
}

// A profile of version 1 is read as if it had the tables that came later; the file stays as it is.
TEST(TraceReader, OlderVersionsAreReadAsTheNewest) {
  const test::TempDir dir;
  const auto path = dir.file("a.perfscope");
  {
    auto writer = TraceWriter::create(path, 0);
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->setMeta("schema_version", "1"));
    ASSERT_TRUE(writer->database().execute("DROP VIEW v_jit; DROP TABLE jit_event; PRAGMA user_version = 1"));
    ASSERT_TRUE(writer->close());
  }
  const auto reader = TraceReader::open(path);
  ASSERT_TRUE(reader) << reader.error().sentence();
  const auto rows = reader->all<JitEventRow>();  // every column under its name
  ASSERT_TRUE(rows) << rows.error().sentence();
  EXPECT_TRUE(rows->empty());
  EXPECT_EQ(reader->database().scalar("SELECT count(*) FROM v_jit")->value_or(""), "0");
  auto plain = Database::open(path, Database::Mode::ReadOnly);
  EXPECT_EQ(plain->scalar("SELECT count(*) FROM sqlite_master WHERE name = 'jit_event'")->value_or(""), "0");
}

TEST(TraceReader, RefusesNewerVersionsByName) {
  const test::TempDir dir;
  const auto path = dir.file("a.perfscope");
  auto writer = TraceWriter::create(path, 0);
  ASSERT_TRUE(writer.has_value());
  ASSERT_TRUE(writer->setMeta("schema_version", "999").has_value());
  const auto refused = TraceReader::open(path);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().sentence().find("999"), std::string::npos);
}

TEST(TraceWriter, DoesNotOverwrite) {
  const test::TempDir dir;
  std::ofstream(dir.file("a.perfscope")) << "mine";
  const auto writer = TraceWriter::create(dir.file("a.perfscope"), 0);
  ASSERT_FALSE(writer.has_value());
  EXPECT_EQ(writer.error().kind, ErrorKind::Output);
}

TEST(TraceWriter, UnclosedProfileOpensAndSaysSo) {
  const test::TempDir dir;
  const auto path = dir.file("a.perfscope");
  auto writer = TraceWriter::create(path, 0);
  ASSERT_TRUE(writer.has_value());
  ASSERT_TRUE(writer->write(KernelRow{}).has_value());
  const auto reader = TraceReader::open(path);
  ASSERT_TRUE(reader.has_value());
  EXPECT_FALSE(reader->closed());
  EXPECT_EQ(reader->all<KernelRow>()->size(), 1U);
}

TEST(Database, ReadOnlyStatementsAreTold) {
  auto db = Database::open(":memory:", Database::Mode::ReadWrite);
  ASSERT_TRUE(db.has_value());
  ASSERT_TRUE(db->execute("CREATE TABLE t (a)").has_value());
  EXPECT_TRUE(db->isReadOnlySql("SELECT * FROM t"));
  EXPECT_FALSE(db->isReadOnlySql("DELETE FROM t"));
  EXPECT_FALSE(db->isReadOnlySql("nonsense"));
}

TEST(Transaction, RollsBackUnlessCommitted) {
  auto db = Database::open(":memory:", Database::Mode::ReadWrite);
  ASSERT_TRUE(db->execute("CREATE TABLE t (a)").has_value());
  {
    auto transaction = Transaction::begin(*db);
    ASSERT_TRUE(transaction.has_value());
    ASSERT_TRUE(db->execute("INSERT INTO t VALUES (1)").has_value());
  }
  EXPECT_EQ(*db->scalar("SELECT count(*) FROM t"), "0");
  auto transaction = Transaction::begin(*db);
  ASSERT_TRUE(db->execute("INSERT INTO t VALUES (1)").has_value());
  ASSERT_TRUE(transaction->commit().has_value());
  EXPECT_EQ(*db->scalar("SELECT count(*) FROM t"), "1");
}

}  // namespace
}  // namespace perfscope
