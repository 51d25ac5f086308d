// Following a spool while it grows, and every way in which its files can be wrong.
#include "injector/recorder/spool_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "injector/recorder/spool_bytes.h"
#include "tests/support/spool_builder.h"
#include "tests/support/temp_dir.h"

namespace perfscope {
namespace {

namespace fs = std::filesystem;
using test::SpoolBuilder;

std::vector<uint32_t> correlations(ProcessSpool& spool, bool final = false, size_t limit = 1000000) {
  std::vector<uint32_t> all;
  spool.read(limit, final, [&](std::span<const spool::Record> records) {
    for (const auto& record : records) {
      if (kindOf(record) == spool::Kind::Kernel) all.push_back(as<spool::Kernel>(record).correlation);
    }
  });
  return all;
}

using List = std::vector<uint32_t>;

struct Following : testing::Test {
  test::TempDir dir;
  SpoolBuilder builder{42};
  SpoolReader reader{dir.path().string()};
  ProcessSpool& spool() {
    builder.write(dir.path().string());
    reader.discover();
    return *reader.processes().at(0);
  }
  void kernel(uint32_t correlation) { builder.kernel(correlation, 10, 20, 0, 0); }
  std::string file(const std::string& name) { return dir.file(builder.folderName() + "/" + name); }
};

TEST_F(Following, OnlyWhatIsPublishedAndEachOnce) {
  kernel(1);
  auto& s = spool();
  EXPECT_EQ(correlations(s), (List{1}));
  EXPECT_EQ(correlations(s), (List{}));
  kernel(2);
  builder.write(dir.path().string());
  EXPECT_EQ(correlations(s), (List{2}));
}

TEST_F(Following, AcrossSegments) {
  kernel(1);
  builder.newSegment();
  kernel(2);
  auto& s = spool();
  EXPECT_EQ(correlations(s), (List{1, 2}));
  builder.newSegment();
  builder.write(dir.path().string());
  kernel(3);
  builder.write(dir.path().string());
  EXPECT_EQ(correlations(s), (List{3}));
}

TEST_F(Following, APreparedEmptySegmentIsNoEnd) {
  // The collector makes the next segment ahead of time; the current one still grows.
  kernel(1);
  auto& s = spool();
  SpoolBuilder ahead(42);
  ahead.newSegment();
  std::ofstream(file("seg-000002.spool"), std::ios::binary)
      .write(reinterpret_cast<const char*>(ahead.segmentBytes(1).data()), 4096);
  EXPECT_EQ(correlations(s), (List{1}));
  kernel(2);
  builder.write(dir.path().string());
  EXPECT_EQ(correlations(s), (List{2}));
}

TEST_F(Following, LimitIsKept) {
  for (uint32_t i = 1; i <= 100; ++i) kernel(i);
  auto& s = spool();
  EXPECT_EQ(correlations(s, false, 30).size(), 30u);
  EXPECT_EQ(s.index(), 30u);
  EXPECT_EQ(correlations(s).size(), 70u);
}

TEST_F(Following, StartAtSkipsWhatWasRead) {
  for (uint32_t i = 1; i <= 5; ++i) kernel(i);
  builder.newSegment();
  kernel(6);
  auto& s = spool();
  s.startAt(1, 3);
  EXPECT_EQ(correlations(s), (List{4, 5, 6}));
}

TEST_F(Following, ConsumedSegmentsGoOnlyWhenTold) {
  kernel(1);
  builder.newSegment();
  kernel(2);
  auto& s = spool();
  correlations(s);
  EXPECT_TRUE(fs::exists(file("seg-000001.spool")));
  s.removeConsumed();
  EXPECT_FALSE(fs::exists(file("seg-000001.spool")));
  EXPECT_TRUE(fs::exists(file("seg-000002.spool")));  // still open
  correlations(s, true);
  s.removeConsumed();
  EXPECT_FALSE(fs::exists(file("seg-000002.spool")));
}

TEST_F(Following, LateControlFileIsWaitedFor) {
  builder.withoutControl();
  kernel(1);
  auto& s = spool();
  EXPECT_FALSE(s.refreshControl());
  std::ofstream(file("control")) << "";  // made, not written
  EXPECT_FALSE(s.refreshControl());
  EXPECT_TRUE(s.refusals().empty());
  std::ofstream(file("control"), std::ios::binary)
      .write(reinterpret_cast<const char*>(builder.controlBytes().data()), spool::kControlBytes);
  EXPECT_TRUE(s.refreshControl());
  EXPECT_EQ(s.control().pid, 42u);
}

TEST_F(Following, AHeaderNotYetWrittenIsWaitedFor) {
  auto& s = spool();
  std::ofstream(file("seg-000001.spool"), std::ios::trunc) << "";
  EXPECT_EQ(correlations(s), (List{}));
  kernel(1);
  builder.write(dir.path().string());
  EXPECT_EQ(correlations(s), (List{1}));
}

TEST_F(Following, AFileThatIsCutShortLosesItsTailOnly) {
  for (uint32_t i = 1; i <= 10; ++i) kernel(i);
  builder.newSegment();
  kernel(11);
  auto& s = spool();
  fs::resize_file(file("seg-000001.spool"), spool::kSegmentHeaderBytes + 4 * spool::kRecordBytes + 17);
  EXPECT_EQ(correlations(s), (List{1, 2, 3, 4, 11}));
  EXPECT_EQ(s.torn(), 6u);
}

TEST_F(Following, PublishedBeyondTheCapacityIsClamped) {
  kernel(1);
  builder.tornTail(0xfffffff0);
  auto& s = spool();
  EXPECT_EQ(correlations(s, true), (List{1}));
  EXPECT_EQ(s.torn(), 0xfffffff0u);
}

TEST_F(Following, NeitherPipesNorLinksNorFolders) {
  kernel(1);
  auto& s = spool();
  fs::remove(file("seg-000001.spool"));
  ASSERT_EQ(::mkfifo(file("seg-000001.spool").c_str(), 0600), 0);
  fs::create_symlink("/etc/passwd", file("seg-000002.spool"));
  fs::create_directory(file("seg-000003.spool"));
  EXPECT_EQ(correlations(s, true), (List{}));  // and does not hang
  EXPECT_EQ(s.refusals().size(), 3u);
}

TEST_F(Following, ASegmentOfAnotherPlaceIsRefused) {
  kernel(1);
  builder.header().sequence = 9;
  builder.write(dir.path().string());
  fs::rename(file("seg-000009.spool"), file("seg-000001.spool"));
  reader.discover();
  auto& s = *reader.processes().at(0);
  EXPECT_EQ(correlations(s, true), (List{}));
  ASSERT_EQ(s.refusals().size(), 1u);
  EXPECT_NE(s.refusals()[0].find("segment 9"), std::string::npos);
}

TEST(SpoolReader, FindsFoldersOnceAndInOrderOfBeginning) {
  const test::TempDir dir;
  SpoolReader reader(dir.path().string());
  reader.discover();
  EXPECT_TRUE(reader.processes().empty());
  SpoolBuilder(5, 100).write(dir.path().string());
  SpoolBuilder(9, 50).write(dir.path().string());
  fs::create_directory(dir.file("something-else"));
  std::ofstream(dir.file("77-123")) << "a file, not a folder";
  reader.discover();
  reader.discover();
  ASSERT_EQ(reader.processes().size(), 2u);
  EXPECT_EQ(reader.processes()[0]->folder().pid, 9u);
  const SpoolReader missing(dir.file("none"));
  EXPECT_TRUE(missing.processes().empty());
}

TEST(SpoolBytes, HeadsOfAnyLength) {
  SpoolBuilder builder;
  builder.kernel(1, 1, 2, 0, 0);
  const auto segment = builder.segmentBytes(0);
  const auto control = builder.controlBytes();
  for (size_t length = 0; length < 200; ++length) {
    EXPECT_EQ(parseSegmentHead({segment.data(), length}).state,
              length < sizeof(spool::SegmentHeader) ? HeadState::TooEarly : HeadState::Ready);
  }
  EXPECT_EQ(parseControl({control.data(), sizeof(spool::ControlBlock) - 1}).state, HeadState::TooEarly);
  EXPECT_EQ(parseControl({control.data(), control.size()}).state, HeadState::Ready);
  EXPECT_EQ(parseControl({}).state, HeadState::TooEarly);
}

TEST(SpoolBytes, TextsWithoutTerminator) {
  SpoolBuilder builder;
  std::memset(builder.control().host, 'h', sizeof(spool::ControlBlock::host));
  std::memset(builder.control().environment, 'e', sizeof(spool::ControlBlock::environment));
  const auto bytes = builder.controlBytes();
  const auto head = parseControl({bytes.data(), bytes.size()});
  EXPECT_EQ(head.snapshot.host.size(), sizeof(spool::ControlBlock::host));
  EXPECT_EQ(head.snapshot.environment.size(), sizeof(spool::ControlBlock::environment));
}

TEST(SpoolBytes, ForeignMagicAndRecordSize) {
  SpoolBuilder builder;
  builder.header().record_bytes = 128;
  auto bytes = builder.segmentBytes(0);
  EXPECT_NE(parseSegmentHead({bytes.data(), bytes.size()}).refusal.find("128"), std::string::npos);
  builder.header().magic = 1;
  bytes = builder.segmentBytes(0);
  EXPECT_NE(parseSegmentHead({bytes.data(), bytes.size()}).refusal.find("magic"), std::string::npos);
  builder.control().magic = 1;
  bytes = builder.controlBytes();
  EXPECT_EQ(parseControl({bytes.data(), bytes.size()}).state, HeadState::Refused);
}

}  // namespace
}  // namespace perfscope
