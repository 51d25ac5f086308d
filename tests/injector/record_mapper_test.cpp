// Every kind of spool record through builder, reader and mapper to its row. The walk over all kinds fails
// when a kind is added without a case here.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "injector/recorder/api_names.h"
#include "injector/run_session.h"
#include "schemas/counter_roles.h"
#include "schemas/notes.h"
#include "schemas/trace_reader.h"
#include "tests/support/spool_builder.h"
#include "tests/support/temp_dir.h"

namespace perfscope {
namespace {

using test::blank;
using test::kSpoolBaseNs;

struct Ids {
  uint32_t name, shape, text;
};

struct KindCase {
  void (*add)(test::SpoolBuilder&, const Ids&);
  const char* sql;  // one value that only this record can have made
  const char* expected;
};

constexpr uint64_t kStart = kSpoolBaseNs + 1000;
constexpr uint64_t kEnd = kSpoolBaseNs + 1500;

template <class T>
T timed(spool::Kind kind, uint16_t flags = 0) {
  T record = blank<T>(kind, 55, flags);
  record.start_ns = kStart;
  record.end_ns = kEnd;
  return record;
}

spool::CounterSet counterSet(const Ids& ids) {
  auto record = blank<spool::CounterSet>(spool::Kind::CounterSet, 0);
  record.set_id = 3, record.interval_ns = 50'000, record.chip_name_id = ids.text, record.metric_count = 6;
  return record;
}

// Six values in two records.
spool::CounterSample counterSample(uint64_t index, uint16_t at) {
  auto record = blank<spool::CounterSample>(spool::Kind::CounterSample, 3, at);
  record.start_ns = kStart + index * 50'000;
  record.duration_ns = 50'000;
  record.value_count = at == 0 ? 4 : 2;
  for (uint32_t i = 0; i < record.value_count; ++i)
    record.values[i] = static_cast<double>(index * 10 + at + i);
  return record;
}

const std::map<spool::Kind, KindCase>& cases() {
  using K = spool::Kind;
  static const std::map<K, KindCase> all = {
      {K::StringChunk,
       {[](auto&, const Ids&) {}, "SELECT count(*) FROM kernel_name WHERE mangled = 'named'", "0"}},
      {K::LaunchShape, {[](auto&, const Ids&) {}, "SELECT registers_per_thread FROM launch_shape", "40"}},
      {K::Kernel,
       {[](auto& s, const Ids& ids) {
          auto r = timed<spool::Kernel>(K::Kernel, spool::kFlagGraphNode);
          r.name_id = ids.name, r.shape_id = ids.shape, r.correlation = 9, r.stream = 13, r.context = 2;
          r.graph_id = 4, r.graph_node_id = 5'000'000'000;
          s.add(r);
        },
        "SELECT "
        "start_ns||','||duration_ns||','||correlation_id||','||stream||','||context||','||graph_id||','||"
        "graph_node_id FROM kernel",
        "1000,500,9,13,2,4,5000000000"}},
      {K::Memcpy,
       {[](auto& s, const Ids&) {
          auto r = timed<spool::Memcpy>(K::Memcpy, spool::kFlagAsync);
          r.bytes = 4096, r.copy_kind = 10, r.src_kind = 3, r.dst_kind = 3, r.peer_device = 1;
          s.device(1, "Other", 9).add(r);
        },
        "SELECT bytes||','||kind||','||src_kind||','||asynchronous||','||(SELECT name FROM device WHERE id = "
        "peer_device_id) FROM memcpy",
        "4096,10,3,1,Other"}},
      {K::Memset,
       {[](auto& s, const Ids&) {
          auto r = timed<spool::Memset>(K::Memset);
          r.bytes = 64, r.value = 7, r.memory_kind = 3;
          s.add(r);
        },
        "SELECT bytes||','||value||','||memory_kind FROM memset", "64,7,3"}},
      {K::Synchronization,
       {[](auto& s, const Ids&) {
          auto r = timed<spool::Synchronization>(K::Synchronization);
          r.type = 1, r.event_id = 77, r.stream = 0xffffffff, r.correlation = 3;
          s.add(r);
        },
        "SELECT type||','||event_id||','||(stream IS NULL)||','||duration_ns FROM synchronization",
        "1,77,1,500"}},
      {K::Api,
       {[](auto& s, const Ids&) {
          auto r = timed<spool::Api>(K::Api, spool::kFlagDriverApi);
          r.callback_id = 17, r.correlation = 6, r.return_value = 999;
          s.add(r);
        },
        "SELECT n.name||','||a.api_id||','||t.tid||','||a.return_code FROM api_call a JOIN api_name n ON "
        "n.id = "
        "a.api_id JOIN thread t ON t.id = a.thread_id",
        "cuCtxSynchronize,100017,55,999"}},
      {K::Memory,
       {[](auto& s, const Ids&) {
          auto r = blank<spool::Memory>(K::Memory);
          r.time_ns = kStart, r.address = 0xdead, r.bytes = 100, r.operation = 1, r.memory_kind = 3;
          s.add(r);
          r.memory_kind = 2;  // pinned host memory: no device
          s.add(r);
        },
        "SELECT group_concat(coalesce(device_id, 'host') || ':' || address) FROM memory_event",
        "0:57005,host:57005"}},
      {K::Overhead,
       {[](auto& s, const Ids&) {
          auto r = timed<spool::Overhead>(K::Overhead);
          r.overhead_kind = 65536;
          s.add(r);
        },
        "SELECT kind||','||thread||','||(correlation_id IS NULL) FROM overhead", "65536,55,1"}},
      {K::Module,
       {[](auto& s, const Ids&) {
          auto r = blank<spool::Module>(K::Module, 0, 1);
          r.time_ns = kStart, r.module_id = 8;
          s.add(r);
        },
        "SELECT module||','||unload||','||(cubin_bytes IS NULL) FROM module_event", "8,1,1"}},
      {K::Jit,
       {[](auto& s, const Ids&) {
          auto r = timed<spool::Jit>(K::Jit);
          r.operation = 3, r.entry = 1, r.jit_id = 9, r.device = 1;
          s.add(r);
        },
        "SELECT operation||','||entry||','||duration_ns||','||thread||','||jit_id||','||device||','||"
        "(correlation_id IS NULL) FROM jit_event",
        "compile,ptx_to_cubin,500,55,9,1,1"}},
      {K::DeviceIdentity,
       {[](auto&, const Ids&) {}, "SELECT name||cc_major FROM device WHERE id = 0", "NVIDIA H2009"}},
      {K::DeviceLimits, {[](auto&, const Ids&) {}, "SELECT max_warps_per_sm FROM device WHERE id = 0", "64"}},
      {K::Context,
       {[](auto& s, const Ids&) {
          auto r = blank<spool::Context>(K::Context);
          r.context = 3, r.null_stream = 7;
          s.add(r);
        },
        "SELECT context||','||device_id||','||null_stream FROM context", "3,0,7"}},
      {K::Stream,
       {[](auto& s, const Ids&) {
          auto r = blank<spool::Stream>(K::Stream);
          r.stream = 21, r.priority = -5, r.stream_flag = 2;
          s.add(r);
        },
        "SELECT stream||','||priority||','||flag FROM stream", "21,-5,2"}},
      {K::GraphNode,
       {[](auto& s, const Ids&) {
          auto r = blank<spool::GraphNode>(K::GraphNode, 55, 1);
          r.time_ns = kStart, r.node_id = 11, r.original_node_id = 10, r.graph_id = 2;
          s.add(r);
        },
        "SELECT node_id||','||original_node_id||','||graph_id||','||time_ns FROM graph_node",
        "11,10,2,1000"}},
      {K::GraphLaunch,
       {[](auto& s, const Ids&) {
          auto r = timed<spool::GraphLaunch>(K::GraphLaunch);
          r.graph_id = 2, r.correlation = 30;
          s.add(r);
        },
        "SELECT graph_id||','||duration_ns||','||correlation_id FROM graph_launch", "2,500,30"}},
      {K::NvtxRange,
       {[](auto& s, const Ids& ids) {
          auto r = timed<spool::NvtxRange>(K::NvtxRange, spool::kFlagOpenRange | spool::kFlagStartEnd);
          r.text_id = ids.text, r.domain_id = ids.text, r.category = 4, r.depth = 2, r.payload_type = 1,
          r.payload = 88;
          s.add(r);
        },
        "SELECT kind||','||(duration_ns IS NULL)||','||category||','||depth||','||payload||','||(domain_id = "
        "text_id) "
        "FROM nvtx_range",
        "start_end,1,4,2,88,1"}},
      {K::NvtxMark,
       {[](auto& s, const Ids& ids) {
          auto r = timed<spool::NvtxMark>(K::NvtxMark);
          r.end_ns = r.start_ns;
          r.text_id = ids.text;
          s.add(r);
        },
        "SELECT kind||','||duration_ns||','||(payload IS NULL)||','||(domain_id IS NULL) FROM nvtx_range",
        "mark,0,1,1"}},
      {K::Gemm,
       {[](auto& s, const Ids&) {
          auto r = timed<spool::Gemm>(K::Gemm, 1 | 4 | 8);
          r.m = 1, r.n = 2, r.k = 3, r.batch = 4, r.a_type = 14, r.api = spool::GemmApi::LtMatmul, r.ldc = 9;
          s.add(r);
          r.head.flags = 16;
          s.add(r);
        },
        "SELECT group_concat(api||m||n||k||batch||a_type||transpose_a||transpose_b||coalesce(reads_c, "
        "'-')||epilogue||ldc, ' ') FROM gemm_call",
        "LtMatmul123414101"
        "19 LtMatmul12341400-09"}},
      {K::Nccl,
       {[](auto& s, const Ids&) {
          auto r = timed<spool::Nccl>(K::Nccl);
          r.op = spool::NcclOp::AllReduce, r.count = 100, r.data_type = 9, r.rank = 0, r.ranks = 2,
          r.peer = -1;
          s.add(r);
        },
        "SELECT op||','||count||','||rank||','||ranks||','||(peer IS NULL) FROM nccl_call",
        "AllReduce,100,0,2,1"}},
      {K::ClockSync,
       {[](auto& s, const Ids&) {
          auto r = blank<spool::ClockSync>(K::ClockSync);
          r.realtime_ns = kStart, r.monotonic_ns = 5, r.tsc = 6, r.cupti_ns = kStart, r.uncertainty_ns = 40;
          s.add(r);
        },
        "SELECT (realtime_ns - 1700000000000000000)||','||monotonic_ns||','||uncertainty_ns FROM clock_sync",
        "1000,5,40"}},
      {K::Note,
       {[](auto& s, const Ids& ids) {
          auto r = blank<spool::Note>(K::Note);
          r.id = spool::NoteId::KindUnavailable, r.text_id = ids.text, r.value = 15;
          s.add(r);
        },
        "SELECT severity||','||name||','||detail||','||value FROM ledger WHERE process_id = 1",
        "notice,kind_unavailable,a text,15"}},
      {K::Window,
       {[](auto& s, const Ids&) {
          auto r = blank<spool::Window>(K::Window, 0, 1);
          r.time_ns = kStart, r.reason = spool::WindowReason::StepWindow, r.step = 3;
          s.add(r);
        },
        "SELECT collecting||','||reason||','||step FROM window", "1,step_window,3"}},
      {K::ThreadName,
       {[](auto& s, const Ids& ids) {
          auto r = blank<spool::ThreadName>(K::ThreadName, 55);
          r.name_id = ids.text;
          s.add(r);
        },
        "SELECT tid||name FROM thread", "55a text"}},
      {K::CounterSet,
       {[](auto& s, const Ids& ids) { s.add(counterSet(ids)); },
        "SELECT chip||','||interval_ns||','||device_id FROM counter_set", "a text,50000,0"}},
      {K::CounterMetric,
       {[](auto& s, const Ids& ids) {
          auto r = blank<spool::CounterMetric>(K::CounterMetric, 0);
          r.set_id = 3, r.metric_name_id = ids.text, r.position = 1;
          r.role = static_cast<uint16_t>(CounterRole::DramReadBytes);
          s.add(counterSet(ids)).add(r);
        },
        "SELECT position||role||metric FROM counter_metric", "1dram_read_bytesa text"}},
      {K::CounterSample,
       {[](auto& s, const Ids& ids) {
          s.add(counterSet(ids));
          for (uint64_t i = 0; i < 3; ++i)
            for (const uint16_t at : {0, 4}) s.add(counterSample(i, at));
          s.add(counterSample(3, 0));  // its second half never came
        },
        "SELECT sample_count||','||start_ns||','||end_ns||','||(set_id = (SELECT id FROM counter_set)) FROM "
        "counter_block",
        "3,1000,151000,1"}},
      {K::Replay,
       {[](auto& s, const Ids&) {
          auto r = blank<spool::Replay>(K::Replay, 0);
          r.start_ns = kStart, r.duration_ns = 27'000'000, r.replay_id = 2, r.correlation = 77, r.passes = 5;
          s.add(r);
        },
        "SELECT start_ns||','||duration_ns||','||correlation||','||passes FROM replay",
        "1000,27000000,77,5"}},
      {K::ReplayValue,
       {[](auto& s, const Ids& ids) {
          auto r = blank<spool::ReplayValue>(K::ReplayValue, 0);
          r.replay_id = 2, r.metric_name_id = ids.text, r.value = 137'438'953'472;
          r.role = static_cast<uint16_t>(CounterRole::TensorOps);
          s.add(r);
        },
        "SELECT role||','||metric||','||CAST(value AS INTEGER) FROM replay_value",
        "tensor_ops,a text,137438953472"}},
  };
  return all;
}

class MapperKind : public testing::TestWithParam<int> {};

TEST_P(MapperKind, ReachesItsTable) {
  const auto kind = static_cast<spool::Kind>(GetParam());
  const auto found = cases().find(kind);
  ASSERT_NE(found, cases().end()) << "no case for this kind: add one";
  const test::TempDir dir;
  test::SpoolBuilder spool;
  spool.device(0);
  const Ids ids{spool.text("_Z1kv"), spool.shape(), spool.text("a text")};
  found->second.add(spool, ids);
  spool.state(spool::ProcessState::Closed).write(dir.file("s.session"));
  const auto outcome = recoverSession(dir.file("s.session"), dir.file("p.perfscope"), false);
  ASSERT_TRUE(outcome) << outcome.error().sentence();
  const auto reader = TraceReader::open(dir.file("p.perfscope"));
  ASSERT_TRUE(reader);
  const auto value = reader->database().scalar(found->second.sql);
  ASSERT_TRUE(value) << value.error().sentence();
  EXPECT_EQ(value->value_or("NULL"), found->second.expected);
  const auto losses =
      reader->database().scalar("SELECT group_concat(name) FROM loss WHERE name <> 'unmatched_launch'");
  EXPECT_EQ(losses->value_or(""), "");
}

INSTANTIATE_TEST_SUITE_P(AllKinds, MapperKind, testing::Range(1, static_cast<int>(spool::Kind::kCount)));

TEST(MapperRanges, ValuesOfNewerCollectorsAreNamedByNumber) {
  const test::TempDir dir;
  test::SpoolBuilder spool;
  spool.device(0);
  auto nccl = timed<spool::Nccl>(spool::Kind::Nccl);
  nccl.op = static_cast<spool::NcclOp>(200);
  auto gemm = timed<spool::Gemm>(spool::Kind::Gemm);
  gemm.api = static_cast<spool::GemmApi>(999);
  auto note = blank<spool::Note>(spool::Kind::Note);
  note.id = static_cast<spool::NoteId>(500);
  spool.add(nccl).add(gemm).add(note).state(spool::ProcessState::Closed).write(dir.file("s.session"));
  ASSERT_TRUE(recoverSession(dir.file("s.session"), dir.file("p.perfscope"), false));
  const auto reader = TraceReader::open(dir.file("p.perfscope"));
  EXPECT_EQ(reader->database().scalar("SELECT op FROM nccl_call")->value(), "op 200");
  EXPECT_EQ(reader->database().scalar("SELECT api FROM gemm_call")->value(), "api 999");
  EXPECT_EQ(reader->database().scalar("SELECT name FROM ledger")->value(), "note_500");
}

// As on an H200: the kernel record of a replayed launch comes without times, before or after the counts.
TEST(MapperReplay, ACountedLaunchFindsItsKernelInEitherOrder) {
  const test::TempDir dir;
  test::SpoolBuilder spool;
  spool.device(0);
  const uint32_t name = spool.text("_Z4gemmv");
  const uint32_t shape = spool.shape(8, 128);
  const auto counted = [&](uint32_t correlation, uint32_t id) {
    auto replay = blank<spool::Replay>(spool::Kind::Replay, 0);
    replay.start_ns = kStart, replay.replay_id = id, replay.correlation = correlation, replay.passes = 7;
    spool.add(replay);
  };
  spool.kernel(5, 0, 1, name, shape);  // an ordinary one, for contrast
  const auto timeless = [&](uint32_t correlation) {
    auto kernel = blank<spool::Kernel>(spool::Kind::Kernel, 0, spool::kFlagReplayed);
    kernel.correlation = correlation, kernel.name_id = name, kernel.shape_id = shape;
    spool.add(kernel);
  };
  timeless(10);
  counted(10, 1);
  counted(11, 2);
  timeless(11);
  timeless(12);  // nobody replayed this one: its times were lost
  spool.state(spool::ProcessState::Closed).write(dir.file("s.session"));
  ASSERT_TRUE(recoverSession(dir.file("s.session"), dir.file("p.perfscope"), false));
  const auto reader = TraceReader::open(dir.file("p.perfscope"));
  const auto value = [&](const char* sql) { return reader->database().scalar(sql)->value_or("NULL"); };
  EXPECT_EQ(value("SELECT count(*) FROM kernel"), "1");
  EXPECT_EQ(value("SELECT group_concat(n.short_name || s.grid_x) FROM replay r JOIN kernel_name n ON n.id = "
                  "r.name_id "
                  "JOIN launch_shape s ON s.id = r.shape_id"),
            "gemm8,gemm8");
  EXPECT_EQ(value("SELECT count FROM loss WHERE name = 'replayed_kernel'"), "2");
  EXPECT_EQ(value("SELECT count FROM loss WHERE name = 'zero_timestamp'"), "1");
}

TEST(ApiNames, TableAndClasses) {
  EXPECT_TRUE(apiTablesAreSorted());
  // Values from cupti_runtime_cbid.h and cupti_driver_cbid.h of CUDA 13.0.
  EXPECT_EQ(apiName(false, 211), "cudaLaunchKernel");
  EXPECT_EQ(apiName(false, 214), "cudaLaunchKernel");  // per-thread default stream
  EXPECT_EQ(apiName(false, 311), "cudaGraphLaunch");
  EXPECT_EQ(apiName(true, 307), "cuLaunchKernel");
  EXPECT_EQ(apiName(true, 652), "cuLaunchKernelEx");
  EXPECT_EQ(apiName(true, 243), "cuMemAlloc");
  EXPECT_EQ(apiName(false, 60000), "runtime callback 60000");
  EXPECT_EQ(apiName(true, 60000), "driver callback 60000");
  EXPECT_EQ(apiClass(false, 211), ApiClass::Launch);
  EXPECT_EQ(apiClass(false, 430), ApiClass::Launch);  // cudaLaunchKernelExC
  EXPECT_EQ(apiClass(false, 505), ApiClass::Launch);  // __cudaLaunchKernel
  EXPECT_EQ(apiClass(false, 312), ApiClass::GraphLaunch);
  EXPECT_EQ(apiClass(true, 514), ApiClass::GraphLaunch);
  EXPECT_EQ(apiClass(false, 41), ApiClass::Copy);
  EXPECT_EQ(apiClass(false, 51), ApiClass::Fill);
  EXPECT_EQ(apiClass(false, 165), ApiClass::Other);
  EXPECT_EQ(apiClass(false, 284), ApiClass::Other);  // cudaLaunchHostFunc launches no kernel
  EXPECT_EQ(apiClass(false, 60000), ApiClass::Unknown);
}

}  // namespace
}  // namespace perfscope
