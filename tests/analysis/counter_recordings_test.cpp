// Counters as a real H200 gave them (tests/data/h200): exact counts of replayed launches, and samples of a
// training run.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/report/report_builder.h"

namespace perfscope {
namespace {

Report recorded(const std::string& name) {
  auto report = buildReport(std::string(PERFSCOPE_TEST_DATA) + "/h200/" + name, ReportOptions{});
  EXPECT_TRUE(report) << (report ? "" : report.error().sentence());
  return report ? std::move(*report) : Report{};
}

const KernelReport* kernelLike(const Report& report, const std::string& part) {
  for (const auto& kernel : report.kernels)
    if (kernel.name.find(part) != std::string::npos) return &kernel;
  return nullptr;
}

// Right values: 2 m n k of each product (gemm_replay.how.txt). 11 launches each carry times; the twelfth was
// replayed.
TEST(CounterRecordings, ReplayedProductsAreExact) {
  const Report report = recorded("gemm_replay.perfscope");
  const auto* bf16 = kernelLike(report, "nvjet_sm90");
  const auto* fp32 = kernelLike(report, "simt_sgemm");
  const auto* fp16 = kernelLike(report, "tensorop_f16");
  ASSERT_TRUE(bf16 != nullptr && fp32 != nullptr && fp16 != nullptr);
  const double launches = static_cast<double>(bf16->count);
  EXPECT_EQ(*bf16->flops.executed, 137'438'953'472.0 * launches);
  // Padded to 4096^3, and a few FP32 instructions of the epilogue.
  EXPECT_NEAR(*fp16->flops.executed / static_cast<double>(fp16->count) / 137'438'953'472.0, 1, 2e-4);
  // FFMA twice, and a few additions of the epilogue.
  EXPECT_NEAR(*fp32->flops.executed / static_cast<double>(fp32->count) / 17'179'869'184.0, 1, 1e-3);
  EXPECT_EQ(bf16->flops.executed.provenance.rfind("measured:replay", 0), 0U);
  EXPECT_EQ(bf16->roofline.boundary, "dram");
}

// The kernels that stream memory: bytes by their element counts are not known here, but by replay of the same
// program (2026-12-01, RESULTS.md): 221.1 + 79.8 MB, 147.7 + 74.7 MB and 1,471 + 531 MB a launch.
TEST(CounterRecordings, SampledTrafficOfStreamingKernels) {
  const Report report = recorded("train_sampled.perfscope");
  const auto* backward = kernelLike(report, "cunn_SoftMaxBackward");
  const auto* forward = kernelLike(report, "cunn_SoftMaxForward");
  ASSERT_TRUE(backward != nullptr && forward != nullptr);
  const auto per_launch = [](const Measured<double>& bytes, const KernelReport& kernel) {
    return bytes.has() ? *bytes / static_cast<double>(kernel.count) : std::nan("");
  };
  EXPECT_NEAR(per_launch(backward->bytes.dram_read, *backward) / 1470.95e6, 1, 0.05);
  EXPECT_NEAR(per_launch(backward->bytes.dram_write, *backward) / 531.28e6, 1, 0.10);
  EXPECT_NEAR(per_launch(forward->bytes.dram_read, *forward) / 524.85e6, 1, 0.05);
  EXPECT_NEAR(per_launch(forward->bytes.dram_write, *forward) / 522.83e6, 1, 0.10);
  EXPECT_EQ(backward->bytes.dram_read.provenance, "measured:sampled");
}

// Executed FLOPs from tensor cycles against the library calls of the same launches.
TEST(CounterRecordings, TensorCyclesAgreeWithTheCalls) {
  const Report report = recorded("train_sampled.perfscope");
  const auto* head = kernelLike(report, "nvjet_sm90_tst_320x128");
  ASSERT_NE(head, nullptr);
  ASSERT_TRUE(head->flops.executed.has() && head->flops.algorithmic.has());
  EXPECT_NEAR(*head->flops.executed / *head->flops.algorithmic, 1, 0.05);
}

}  // namespace
}  // namespace perfscope
