// Counters of a profile in its report: from table rows to JSON, roofline and trust lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/report/report_builder.h"
#include "analysis/report/report_csv.h"
#include "analysis/report/report_json.h"
#include "analysis/report/report_text.h"
#include "schemas/report_schema.h"
#include "schemas/sample_block.h"
#include "schemas/tables_counters.h"
#include "tests/support/json_schema.h"
#include "tests/support/trace_builder.h"

namespace perfscope {
namespace {

using test::TraceBuilder;
using testing::HasSubstr;
using testing::IsEmpty;

// A matrix product of 150 us (bf16, 4096^3: 137.4 GFLOP) and an addition of 100 us, 600 times, with idle time
// between; samples of 50 us. Per us the product reads 1e6 and writes 3e5 bytes, the addition 2e6 and 1e6; the
// product's tensor pipe is busy 80 % of 132 SMs at 1.7 GHz: 4 x 179520 cycles a us, one in each of four pipes.
class CounterReport : public testing::Test {
 protected:
  static constexpr int kRounds = 600;
  static constexpr int64_t kSampleNs = 50'000;
  static constexpr double kTensorPerUs = 4 * 0.8 * 132 * 1700;
  static constexpr double kGemmRead = kRounds * 150 * 1e6, kGemmWritten = kRounds * 150 * 3e5;
  static constexpr double kAddRead = kRounds * 100 * 2e6;

  struct Rates {
    double read, write, tensor;
  };

  void SetUp() override {
    int64_t at = 1'000'000;
    for (int i = 0; i < kRounds; ++i) {
      m_trace.gemm({.start_ns = at - 60'000, .duration_ns = 5'000, .m = 4096, .n = 4096, .k = 4096});
      run("bf16_gemm", at, 150'000, {1e6, 3e5, kTensorPerUs}, 64);
      at += 150'000 + 7'000 + i * 131 % 40'000;
      run("elementwise_add", at, 100'000, {2e6, 1e6, 0}, 1000);
      at += 100'000 + 9'000 + i * 277 % 60'000;
      if (i % 20 == 0) m_trace.smClock(at, 1700);
    }
    m_end = at;
  }

  void run(const std::string& name, int64_t start, int64_t ns, const Rates& rates, int64_t grid) {
    m_trace.kernel({.name = name,
                    .start_ns = start,
                    .duration_ns = ns,
                    .launch_ns = start - 58'000,
                    .launch_duration_ns = 2'000,
                    .grid = grid});
    const auto count = static_cast<size_t>((start + ns) / kSampleNs + 4);
    for (auto& values : m_values) values.resize(std::max(values.size(), count), 0.0);
    for (int64_t s = start / kSampleNs; s * kSampleNs < start + ns; ++s) {
      const double us =
          static_cast<double>(std::min(start + ns, (s + 1) * kSampleNs) - std::max(start, s * kSampleNs)) /
          1e3;
      m_values[0][static_cast<size_t>(s)] += us * rates.read;
      m_values[1][static_cast<size_t>(s)] += us * rates.write;
      m_values[2][static_cast<size_t>(s)] += us * rates.tensor;
    }
  }

  void writeSamples() {
    m_trace.row(CounterSetRow{1, 1, 1, "GH100", kSampleNs});
    m_trace.row(CounterMetricRow{1, 1, 0, "dram_read_bytes", "dram__bytes_read.sum"});
    m_trace.row(CounterMetricRow{2, 1, 1, "dram_write_bytes", "dram__bytes_write.sum"});
    m_trace.row(CounterMetricRow{3, 1, 2, "tensor_active_cycles", "sm__pipe_tensor_cycles_active.sum"});
    SampleBlock block;
    for (size_t i = 0; i < m_values[0].size(); ++i) {
      block.start_ns.push_back(static_cast<int64_t>(i) * kSampleNs);
      block.duration_ns.push_back(kSampleNs);
    }
    for (const auto& values : m_values) block.values.push_back(values);
    m_trace.row(CounterBlockRow{1, 1, 0, m_end, static_cast<int64_t>(block.count()), {packSamples(block)}});
  }

  Report report() {
    const auto built = buildReport(m_trace.write(), {});
    if (!built) throw std::runtime_error(built.error().sentence());
    const auto schema = nlohmann::json::parse(reportJsonSchema());
    m_json = nlohmann::json::parse(renderJson(*built, {}));
    EXPECT_THAT(test::schemaViolations(schema, m_json), IsEmpty());
    return *built;
  }
  static KernelReport find(const Report& report, const std::string& name) {
    return *std::find_if(report.kernels.begin(), report.kernels.end(),
                         [&](const KernelReport& kernel) { return kernel.name == name; });
  }
  static std::string note(const Report& report, const std::string& id) {
    for (const auto& assumption : report.trust.assumptions)
      if (assumption.id == id) return assumption.text;
    return {};
  }

  TraceBuilder m_trace;
  std::vector<double> m_values[3];
  int64_t m_end = 0;
  nlohmann::json m_json;
};

TEST_F(CounterReport, KernelsHaveMeasuredBytes) {
  writeSamples();
  const Report r = report();
  const KernelReport& gemm = find(r, "bf16_gemm");
  ASSERT_TRUE(gemm.bytes.dram_read.has()) << gemm.bytes.dram_read.why;
  EXPECT_NEAR(*gemm.bytes.dram_read, kGemmRead, 0.01 * kGemmRead);
  EXPECT_NEAR(*gemm.bytes.dram_write, kGemmWritten, 0.02 * kGemmWritten);
  EXPECT_EQ(gemm.bytes.dram_read.provenance, "measured:sampled");
  EXPECT_LE(*gemm.bytes.dram_low, kGemmRead + kGemmWritten);
  EXPECT_GE(*gemm.bytes.dram_high, kGemmRead + kGemmWritten);
  EXPECT_FALSE(gemm.bytes.l2.has());
  EXPECT_EQ(gemm.bytes.l2.why, "this counter was not sampled");
  EXPECT_NEAR(*find(r, "elementwise_add").bytes.dram_read, kAddRead, 0.01 * kAddRead);
}

TEST_F(CounterReport, TensorActivityAndEstimatedFlops) {
  writeSamples();
  const Report r = report();
  const KernelReport& gemm = find(r, "bf16_gemm");
  EXPECT_NEAR(*gemm.tensor_active, 0.8, 0.01);
  // 4096 FLOP per SM and clock in bf16 (GH100), 90 ms of product in all.
  const double flops = kTensorPerUs / 4 * 150 * kRounds * 4096;
  ASSERT_TRUE(gemm.flops.executed.has()) << gemm.flops.executed.why;
  EXPECT_NEAR(*gemm.flops.executed, flops, 0.01 * flops);
  EXPECT_THAT(gemm.flops.executed.provenance, HasSubstr("estimate"));
  EXPECT_FALSE(find(r, "elementwise_add").flops.executed.has()) << "what type it multiplies is not known";
  EXPECT_GT(gemm.instruction_mix.at("tensor_active_cycles"), 0);
  EXPECT_GT(*r.devices[0].tensor_active, 0.2);
}

TEST_F(CounterReport, RooflineStandsAtTheDramBoundary) {
  writeSamples();
  const Report r = report();
  const KernelReport& gemm = find(r, "bf16_gemm");
  EXPECT_EQ(gemm.roofline.boundary, "dram");
  EXPECT_EQ(gemm.roofline.verdict, "compute");  // 137.4 GFLOP in 150 us: 916 TFLOP/s
  EXPECT_NEAR(*gemm.intensity_dram, kRounds * 137438953472.0 / (kGemmRead + kGemmWritten), 10);
  EXPECT_TRUE(gemm.intensity_algorithmic.has()) << "stays beside it";
  const KernelReport& add = find(r, "elementwise_add");  // 3 TB/s of 4.8, no FLOPs known
  EXPECT_EQ(add.roofline.verdict, "memory");
  EXPECT_NEAR(*add.achieved_bytes_per_s, 3e12, 0.05e12);
  EXPECT_NEAR(*add.roofline.fraction_of_roof, 3.0 / 4.8, 0.02);
}

TEST_F(CounterReport, DevicesHaveTotalsAndMemoryUse) {
  writeSamples();
  const Report r = report();
  EXPECT_NEAR(*r.devices[0].dram_read_bytes, kGemmRead + kAddRead, 1e-3 * (kGemmRead + kAddRead));
  const double seconds = static_cast<double>(r.devices[0].span_ns) / 1e9;
  const double moved = kGemmRead + kGemmWritten + kAddRead * 1.5;
  ASSERT_TRUE(r.utilisation.mbu_measured.has()) << r.utilisation.mbu_measured.why;
  EXPECT_NEAR(*r.utilisation.mbu_measured, moved / (seconds * 4.8e12), 0.01);
}

TEST_F(CounterReport, TrustSaysHowItWasMeasured) {
  writeSamples();
  const std::string text = note(report(), "counter_sampling");
  EXPECT_THAT(text, HasSubstr("samples every 50.0 us"));
  EXPECT_THAT(text, HasSubstr("clock shifted by"));
  EXPECT_THAT(text, HasSubstr("100.0 % are explained by kernels and copies"));
}

TEST_F(CounterReport, TextAndCsvShowThem) {
  writeSamples();
  const Report r = report();
  const std::string text = renderText(r, {});
  EXPECT_THAT(text, HasSubstr("Hardware counters: mean of a launch"));
  EXPECT_THAT(text, HasSubstr("150 MB"));  // read by one product
  EXPECT_THAT(text, HasSubstr("80.0 %"));
  const std::string csv = renderCsv(r, {});
  EXPECT_THAT(csv, HasSubstr("dram_read_bytes,dram_write_bytes,dram_bytes_low"));
  EXPECT_THAT(csv, HasSubstr(",memory,"));
}

TEST_F(CounterReport, ExactCountsWin) {
  writeSamples();
  for (int64_t id = 1; id <= 2; ++id) {  // two replayed launches of the product: 140 and 160 MB read
    ReplayRow replay;
    replay.id = id, replay.process_id = 1, replay.device_id = 1, replay.passes = 2;
    replay.name_id = 1, replay.shape_id = 1;
    m_trace.row(replay);
    const auto value = [&](int64_t at, const char* role, const char* metric, double amount) {
      m_trace.row(ReplayValueRow{id * 100 + at, id, role, metric, amount});
    };
    value(1, "dram_read_bytes", "dram__bytes_read.sum", id == 1 ? 140e6 : 160e6);
    value(2, "tensor_ops", "sm__ops_path_tensor_src_bf16_dst_fp32.sum", 137438953472.0);
    value(3, "tensor_ops", "sm__ops_path_tensor_src_int8.sum", 1e15);  // no floating-point operations
    value(4, "fp32_add", "fadd", 1000), value(5, "fp32_multiply", "fmul", 0);
    value(6, "fp32_fma", "ffma", 500);
  }
  const Report r = report();
  const KernelReport& gemm = find(r, "bf16_gemm");
  EXPECT_EQ(gemm.bytes.dram_read.provenance, "measured:replay");
  EXPECT_EQ(*gemm.bytes.dram_read, kRounds * 150e6);
  EXPECT_EQ(gemm.bytes.dram_write.provenance, "measured:sampled");
  EXPECT_EQ(*gemm.flops.executed, kRounds * (137438953472.0 + 1000 + 2 * 500));
  EXPECT_THAT(gemm.flops.executed.provenance, HasSubstr("measured:replay"));
  EXPECT_EQ(find(r, "elementwise_add").bytes.dram_read.provenance, "measured:sampled");
  EXPECT_EQ(gemm.roofline.precision, "bf16_tensor");
  EXPECT_THAT(gemm.achieved_flops.provenance, HasSubstr("measured:replay"));
  EXPECT_NEAR(*gemm.achieved_flops, 137438953472.0 / 150e-6, 1e-4 * 137438953472.0 / 150e-6);
  EXPECT_THAT(note(r, "counter_replay"), HasSubstr("2 launches of 1 kinds"));
}

TEST_F(CounterReport, AKernelWithoutALibraryCallGetsItsPointFromExactCounts) {
  writeSamples();
  ReplayRow replay;
  replay.id = 1, replay.process_id = 1, replay.device_id = 1, replay.passes = 2;
  replay.name_id = 2, replay.shape_id = 2;  // the addition
  m_trace.row(replay);
  const char* roles[] = {"tensor_ops", "fp32_add", "fp32_multiply", "fp32_fma"};
  for (int64_t i = 0; i < 4; ++i)
    m_trace.row(ReplayValueRow{i + 1, 1, roles[i], "metric", i == 1 ? 50e6 : 0.0});
  const KernelReport add = find(report(), "elementwise_add");
  EXPECT_EQ(add.roofline.precision, "fp32");
  EXPECT_EQ(add.roofline.verdict, "memory");
  EXPECT_NEAR(*add.achieved_flops, 50e6 / 100e-6, 1);
  EXPECT_NEAR(*add.intensity_dram, 50e6 / (100 * 3e6), 0.01);
}

TEST_F(CounterReport, ADamagedBlockIsALossAndNoMore) {
  writeSamples();
  m_trace.row(CounterBlockRow{2, 1, m_end, m_end + 1, 5, {"damaged"}});
  const Report r = report();
  EXPECT_FALSE(r.trust.complete);
  EXPECT_TRUE(std::any_of(r.trust.losses.begin(), r.trust.losses.end(),
                          [](const LossReport& loss) { return loss.id == "counter_block_damaged"; }));
  EXPECT_TRUE(find(r, "bf16_gemm").bytes.dram_read.has());
}

TEST_F(CounterReport, WithoutCountersItSaysSo) {
  const Report r = report();
  const KernelReport& gemm = find(r, "bf16_gemm");
  EXPECT_EQ(gemm.bytes.dram_read.why, "no hardware counters were collected");
  EXPECT_EQ(gemm.roofline.boundary, "algorithmic");
  EXPECT_EQ(gemm.tensor_active.why, "no hardware counters were collected");
  EXPECT_EQ(r.utilisation.mbu_measured.why, "no hardware counters were collected");
  EXPECT_EQ(m_json["kernels"][0]["instruction_mix_why"], "no hardware counters were collected");
  EXPECT_EQ(note(r, "counter_sampling"), "");
  EXPECT_EQ(renderText(r, {}).find("Hardware counters: mean"), std::string::npos);
}

}  // namespace
}  // namespace perfscope
