// Spool on disk -> profile: the whole recorder, without a live target.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "injector/run_session.h"
#include "schemas/trace_reader.h"
#include "tests/support/spool_builder.h"
#include "tests/support/temp_dir.h"

namespace perfscope {
namespace {

using test::SpoolBuilder;
using test::TempDir;

class Recovered {
 public:
  explicit Recovered(const std::vector<const SpoolBuilder*>& spools) {
    for (const auto* const spool : spools) spool->write(m_session);
    open();
  }
  explicit Recovered(const SpoolBuilder& spool) : Recovered(std::vector<const SpoolBuilder*>{&spool}) {}

  [[nodiscard]] std::string value(const std::string& sql) const {
    const auto value = m_reader->database().scalar(sql);
    return value ? value->value_or("NULL") : value.error().sentence();
  }
  template <class Row>
  [[nodiscard]] std::vector<Row> rows(const std::string& tail = {}) const {
    return m_reader->all<Row>(tail).value();
  }
  [[nodiscard]] const RecoverOutcome& outcome() const { return *m_outcome; }
  [[nodiscard]] const std::string& session() const { return m_session; }

 private:
  void open() {
    m_outcome = recoverSession(m_session, m_dir.file("p.perfscope"), false);
    ASSERT_TRUE(m_outcome) << m_outcome.error().sentence();
    auto reader = TraceReader::open(m_dir.file("p.perfscope"));
    ASSERT_TRUE(reader) << reader.error().sentence();
    m_reader = std::make_unique<TraceReader>(std::move(*reader));
  }
  TempDir m_dir;
  std::string m_session = m_dir.file("p.perfscope.session");
  Result<RecoverOutcome> m_outcome = failure(ErrorKind::Internal, "", "");
  std::unique_ptr<TraceReader> m_reader;
};

// A process with one device, one name, one shape.
struct Ready {
  explicit Ready(uint32_t pid = 100, uint64_t start_ns = 0) : spool(pid, start_ns) {
    spool.device(0);
    name = spool.text("_Z3fooILi4EEvPf");
    shape = spool.shape(128, 256);
  }
  SpoolBuilder spool;
  uint32_t name = 0;
  uint32_t shape = 0;
};

TEST(Recorder, KernelCarriesItsFoldedLaunch) {
  Ready r;
  r.spool.api(5, 1000, 1400, 321).kernel(5, 3000, 3500, r.name, r.shape).state(spool::ProcessState::Closed);
  const Recovered p(r.spool);
  const auto kernels = p.rows<KernelRow>();
  ASSERT_EQ(kernels.size(), 1u);
  // Time base of a folder without facts = start of its earliest process = kSpoolBaseNs.
  EXPECT_EQ(kernels[0].start_ns, 3000);
  EXPECT_EQ(kernels[0].duration_ns, 500);
  EXPECT_EQ(kernels[0].launch_start_ns, 1000);
  EXPECT_EQ(kernels[0].launch_duration_ns, 400);
  EXPECT_EQ(p.value("SELECT tid FROM thread WHERE id = " + std::to_string(*kernels[0].launch_thread_id)),
            "321");
  EXPECT_EQ(p.value("SELECT count(*) FROM api_call"), "0");
  EXPECT_EQ(p.value("SELECT short_name FROM v_kernel"), "foo");
  EXPECT_EQ(p.value("SELECT name FROM v_kernel"), "void foo<4>(float*)");
  EXPECT_EQ(p.value("SELECT grid_x || 'x' || block_x FROM v_kernel"), "128x256");
  EXPECT_EQ(p.value("SELECT state FROM process"), "closed");
  EXPECT_EQ(p.value("SELECT value FROM meta WHERE key = 'closed'"), "1");
  EXPECT_EQ(p.value("SELECT uuid FROM device"), "GPU-01010101-0101-0101-0101-010101010101");
  EXPECT_EQ(p.value("SELECT sm_count FROM device"), "132");
  EXPECT_EQ(p.outcome().gpu_records, 1);
}

TEST(Recorder, KilledProcessKeepsWhatWasPublished) {
  Ready r;
  r.spool.kernel(1, 10, 20, r.name, r.shape).newSegment().kernel(2, 30, 40, r.name, r.shape);
  const Recovered p(r.spool);
  EXPECT_EQ(p.value("SELECT state FROM process"), "killed");
  EXPECT_EQ(p.value("SELECT end_ns FROM process"), "NULL");
  EXPECT_EQ(p.value("SELECT count(*) FROM kernel"), "2");
  EXPECT_EQ(p.value("SELECT count FROM loss WHERE name = 'unmatched_launch'"), "2");
}

TEST(Recorder, TornTailIsCountedAndTheRestIsThere) {
  Ready r;
  r.spool.kernel(1, 10, 20, r.name, r.shape).tornTail(3);
  const Recovered p(r.spool);
  EXPECT_EQ(p.value("SELECT count(*) FROM kernel"), "1");
  EXPECT_EQ(p.value("SELECT count FROM loss WHERE name = 'torn_record'"), "3");
}

TEST(Recorder, HoleInTheSegmentsIsToldAndSkipped) {
  Ready r;
  r.spool.kernel(1, 10, 20, r.name, r.shape).skipSegment().kernel(2, 30, 40, r.name, r.shape);
  const Recovered p(r.spool);
  EXPECT_EQ(p.value("SELECT count(*) FROM kernel"), "2");
  EXPECT_NE(p.value("SELECT detail FROM ledger WHERE name = 'spool_refused'").find("seg-000002.spool"),
            std::string::npos);
}

TEST(Recorder, OtherVersionIsRefusedByName) {
  Ready r;
  r.spool.kernel(1, 10, 20, r.name, r.shape);
  r.spool.header().version = 99;
  const Recovered p(r.spool);
  EXPECT_EQ(p.value("SELECT count(*) FROM kernel"), "0");
  const std::string detail = p.value("SELECT detail FROM ledger WHERE name = 'spool_refused'");
  EXPECT_NE(detail.find("format 99"), std::string::npos) << detail;
  ASSERT_EQ(p.outcome().warnings.size(), 1u);
}

TEST(Recorder, ControlFileOfAnotherVersionIsRefused) {
  Ready r;
  r.spool.kernel(1, 10, 20, r.name, r.shape);
  r.spool.control().version = 2;
  const Recovered p(r.spool);
  EXPECT_EQ(p.value("SELECT count(*) FROM process"), "0");
  EXPECT_EQ(p.value("SELECT count(*) FROM ledger WHERE name = 'spool_refused'"), "1");
}

TEST(Recorder, MissingControlFileStillYieldsTheRecords) {
  Ready r(4711);
  r.spool.kernel(1, 10, 20, r.name, r.shape).withoutControl();
  const Recovered p(r.spool);
  EXPECT_EQ(p.value("SELECT count(*) FROM kernel"), "1");
  EXPECT_EQ(p.value("SELECT pid || state FROM process"), "4711killed");
}

TEST(Recorder, RecordsBeforeTheirTextShapeAndDevice) {
  SpoolBuilder spool;
  spool.kernel(1, 10, 20, 50, 1).nvtx(1, 100, 51);
  spool.textWithId(51, "step 1").textWithId(50, "late_kernel");
  spool.shape(3, 64);
  spool.device(0).state(spool::ProcessState::Closed);
  const Recovered p(spool);
  EXPECT_EQ(p.value("SELECT name || grid_x || device FROM v_kernel"), "late_kernel3NVIDIA H200");
  EXPECT_EQ(p.value("SELECT text FROM v_nvtx_range"), "step 1");
  EXPECT_EQ(p.value("SELECT count(*) FROM device"), "1");
}

TEST(Recorder, WhatNeverArrivesGetsAPlaceholder) {
  SpoolBuilder spool;
  spool.kernel(1, 10, 20, 50, 9);
  const Recovered p(spool);
  EXPECT_EQ(p.value("SELECT name || '/' || grid_x || '/' || device FROM v_kernel"),
            "(name not received)/0/GPU 0 (not described)");
  EXPECT_EQ(p.value("SELECT uuid FROM device"), "NULL");
}

TEST(Recorder, SamePidTwiceIsTwoProcessesAndTheFirstExeced) {
  Ready first(100, 0);
  first.spool.kernel(1, 10, 20, first.name, first.shape).state(spool::ProcessState::Execed);
  Ready second(100, 5000);
  second.spool.kernel(1, 6000, 6020, second.name, second.shape).state(spool::ProcessState::Closed);
  const Recovered p({&second.spool, &first.spool});
  EXPECT_EQ(p.value("SELECT group_concat(state) FROM (SELECT state FROM process ORDER BY id)"),
            "execed,closed");
  EXPECT_EQ(p.value("SELECT group_concat(process_id) FROM (SELECT process_id FROM kernel ORDER BY start_ns)"),
            "1,2");
  // Interned across processes.
  EXPECT_EQ(p.value("SELECT count(*) FROM kernel_name"), "1");
  EXPECT_EQ(p.value("SELECT count(*) FROM launch_shape"), "1");
  EXPECT_EQ(p.value("SELECT count(*) FROM device"), "1");
}

TEST(Recorder, ExecWithoutWordIsFoundByTheNewerSession) {
  Ready first(100, 0);
  first.spool.kernel(1, 10, 20, first.name, first.shape);  // state Running for ever
  Ready second(100, 5000);
  second.spool.state(spool::ProcessState::Closed);
  const Recovered p({&first.spool, &second.spool});
  EXPECT_EQ(p.value("SELECT state FROM process WHERE id = 1"), "execed");
}

TEST(Recorder, OrdinalsOfTwoProcessesMeetInOneGpuByUuid) {
  Ready a(100, 0);
  Ready b(200, 10);
  a.spool.device(1, "NVIDIA H200", 2).kernel(1, 10, 20, a.name, a.shape, 7, 1);
  // b sees only the second GPU, as its ordinal 0 (CUDA_VISIBLE_DEVICES=1).
  b.spool.device(0, "NVIDIA H200", 2).kernel(1, 30, 40, b.name, b.shape, 7, 0);
  const Recovered p({&a.spool, &b.spool});
  EXPECT_EQ(p.value("SELECT count(*) FROM device"), "2");
  EXPECT_EQ(p.value("SELECT count(DISTINCT device_id) FROM kernel"), "1");
}

TEST(Recorder, GraphNodesKeepTheirLaunchInTheApiTable) {
  Ready r;
  r.spool.api(9, 100, 200, 100, test::kCudaGraphLaunch);
  for (uint64_t i = 0; i < 20; ++i)
    r.spool.kernel(9, 300 + i * 10, 305 + i * 10, r.name, r.shape, 7, 0, spool::kFlagGraphNode);
  r.spool.state(spool::ProcessState::Closed);
  const Recovered p(r.spool);
  EXPECT_EQ(p.value("SELECT count(*) FROM kernel WHERE launch_start_ns IS NULL AND correlation_id = 9"),
            "20");
  EXPECT_EQ(p.value("SELECT name FROM v_api_call WHERE correlation_id = 9 AND name LIKE 'cuda%'"),
            "cudaGraphLaunch");
  EXPECT_EQ(p.value("SELECT count(*) FROM loss"), "0");
}

TEST(Recorder, ImpossibleTimesAreCountedNotStored) {
  Ready r;
  auto zero = test::blank<spool::Kernel>(spool::Kind::Kernel);
  zero.name_id = r.name;
  zero.shape_id = r.shape;
  r.spool.add(zero).kernel(2, 50, 40, r.name, r.shape);
  const Recovered p(r.spool);
  EXPECT_EQ(p.value("SELECT count(*) FROM kernel"), "0");
  EXPECT_EQ(p.value("SELECT count FROM loss WHERE name = 'zero_timestamp'"), "1");
  EXPECT_EQ(p.value("SELECT count FROM loss WHERE name = 'inverted_timestamp'"), "1");
}

TEST(Recorder, UnknownKindsAreCountedAndSkipped) {
  Ready r;
  auto odd = test::blank<spool::Kernel>(static_cast<spool::Kind>(999));
  r.spool.add(odd).kernel(1, 10, 20, r.name, r.shape);
  const Recovered p(r.spool);
  EXPECT_EQ(p.value("SELECT count(*) FROM kernel"), "1");
  EXPECT_EQ(p.value("SELECT count FROM loss WHERE name = 'torn_record'"), "1");
}

TEST(Recorder, LossesOfTheControlFileReachTheTable) {
  Ready r;
  r.spool.control().loss[static_cast<size_t>(Loss::CuptiDropped)].store(17);
  const Recovered p(r.spool);
  EXPECT_EQ(p.value("SELECT count FROM v_loss WHERE name = 'cupti_dropped'"), "17");
}

TEST(Recorder, SecretsOfTheEnvironmentAreFilteredAgain) {
  Ready r;
  r.spool.environment(
      "RANK=3\x1fSECRET_TEST=hunter2\x1fNCCL_DEBUG=INFO\x1f"
      "AWS_KEY=abc");
  r.spool.state(spool::ProcessState::Closed);
  const Recovered p(r.spool);
  EXPECT_EQ(p.value("SELECT environment FROM process"), "RANK=3\nNCCL_DEBUG=INFO");
}

TEST(Recorder, CommandIsReadable) {
  Ready r;
  r.spool.control().rank = 2;
  const Recovered p(r.spool);
  EXPECT_EQ(p.value("SELECT command FROM process"), "victim --size 8");
  EXPECT_EQ(p.value("SELECT rank FROM process"), "2");
  EXPECT_EQ(p.value("SELECT world_size FROM process"), "NULL");
}

TEST(Recorder, TextsAreMadeSafe) {
  SpoolBuilder spool;
  const uint32_t id = spool.text(std::string("a\xff\x01 b", 5));
  spool.nvtx(1, 2, id);
  const Recovered p(spool);
  EXPECT_EQ(p.value("SELECT text FROM string WHERE text LIKE 'a%'"), "a\xEF\xBF\xBD\xEF\xBF\xBD b");
}

TEST(Recover, RefusesWhatIsNoSession) {
  const TempDir dir;
  EXPECT_EQ(recoverSession(dir.file("none"), "", false).error().kind, ErrorKind::InputMissing);
  std::filesystem::create_directory(dir.file("empty"));
  EXPECT_EQ(recoverSession(dir.file("empty"), "", false).error().kind, ErrorKind::InputRefused);
}

TEST(Recover, DoesNotOverwriteWithoutForce) {
  const TempDir dir;
  Ready r;
  r.spool.write(dir.file("p.perfscope.session"));
  std::ofstream(dir.file("p.perfscope")) << "something";
  const auto refused = recoverSession(dir.file("p.perfscope.session"), "", false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Output);
  const auto forced = recoverSession(dir.file("p.perfscope.session"), "", true);
  ASSERT_TRUE(forced) << forced.error().sentence();
  EXPECT_EQ(forced->profile_path, dir.file("p.perfscope"));
}

}  // namespace
}  // namespace perfscope
