// Matrix products: FLOPs, bytes, precision, alignment, and which kernels they belong to.
#include <gtest/gtest.h>

#include "analysis/facts/gemm_links.h"
#include "analysis/facts/gemm_work.h"
#include "analysis/trace/load_trace.h"
#include "tests/support/trace_builder.h"

namespace perfscope {
namespace {

using hardware::Precision;
using test::TraceBuilder;

GemmCall call(int64_t m, int64_t n, int64_t k, int16_t type, int16_t compute = 68) {
  GemmCall c;
  c.m = m, c.n = n, c.k = k;
  c.a_type = c.b_type = c.c_type = c.d_type = type;
  c.compute_type = compute;
  c.reads_c = 0;
  return c;
}

// N8 of the worked examples: GEMM 4096^3 in fp16, 137.439 GFLOP, 100.663 MB.
TEST(GemmWork, WorkedExampleN8) {
  const GemmCall c = call(4096, 4096, 4096, 2);
  EXPECT_NEAR(*gemmFlops(c), 137.439e9, 137.439e9 * 1e-3);
  EXPECT_NEAR(*gemmBytes(c), 100.663e6, 100.663e6 * 1e-3);
  EXPECT_DOUBLE_EQ(*gemmFlops(c),
                   137438953472.0);  // 2 M N K, exact: also what the hardware counted on an H200
}

TEST(GemmWork, BatchMixedTypesAndBeta) {
  GemmCall c = call(2, 3, 4, 14);
  c.batch = 5;
  c.c_type = c.d_type = 0;  // fp32 result
  EXPECT_DOUBLE_EQ(*gemmFlops(c), 2.0 * 2 * 3 * 4 * 5);
  EXPECT_DOUBLE_EQ(*gemmBytes(c), 5.0 * (2 * 4 * 2 + 4 * 3 * 2 + 2 * 3 * 4));
  c.reads_c = 1;
  EXPECT_DOUBLE_EQ(*gemmBytes(c), 5.0 * (2 * 4 * 2 + 4 * 3 * 2 + 2 * 2 * 3 * 4));
  c.reads_c = -1;  // beta not readable: a lower bound
  EXPECT_DOUBLE_EQ(*gemmBytes(c), 5.0 * (2 * 4 * 2 + 4 * 3 * 2 + 2 * 3 * 4));
}

TEST(GemmWork, ComplexProductsCountEightFlops) {
  EXPECT_DOUBLE_EQ(*gemmFlops(call(10, 10, 10, 4)), 8000.0);
  EXPECT_DOUBLE_EQ(*gemmBytes(call(10, 10, 10, 4)), 3 * 100 * 8.0);
}

TEST(GemmWork, UnknownTypesAndShapesAreNotGuessed) {
  EXPECT_FALSE(gemmBytes(call(4, 4, 4, 99)));
  EXPECT_TRUE(gemmFlops(call(4, 4, 4, 99)));
  EXPECT_FALSE(gemmFlops(call(4, 0, 4, 2)));
  EXPECT_FALSE(executedPrecision(call(4, 4, 4, 99), "gemm"));
  EXPECT_EQ(dataTypeName(99), "type 99");
}

TEST(GemmWork, ExecutedPrecision) {
  EXPECT_EQ(executedPrecision(call(1, 1, 1, 14), "nvjet_sm90_tst"), Precision::Bf16Tensor);
  EXPECT_EQ(executedPrecision(call(1, 1, 1, 2), "nvjet_sm90_hsh"), Precision::Fp16Tensor);
  EXPECT_EQ(executedPrecision(call(1, 1, 1, 2, 64), "h16816gemm"), Precision::Fp16TensorAcc16);
  EXPECT_EQ(executedPrecision(call(1, 1, 1, 28), "nvjet_sm90_qq"), Precision::Fp8Tensor);
  EXPECT_EQ(executedPrecision(call(1, 1, 1, 0), "ampere_sgemm_128x64_nn"), Precision::Fp32);
  EXPECT_EQ(executedPrecision(call(1, 1, 1, 0, 77), "cutlass_80_tensorop_s1688gemm"), Precision::Tf32Tensor);
  // TF32 by the handle's math mode: only the name tells.
  EXPECT_EQ(executedPrecision(call(1, 1, 1, 0), "cutlass_80_tensorop_s1688gemm_128x128"),
            Precision::Tf32Tensor);
  EXPECT_EQ(executedPrecision(call(1, 1, 1, 0, 75), "x"), Precision::Bf16Tensor);
  EXPECT_EQ(executedPrecision(call(1, 1, 1, 14), "gemv2T_kernel_val"), Precision::Fp32);  // vector pipe
  EXPECT_EQ(executedPrecision(call(1, 1, 1, 1, 70), "cutlass_80_tensorop_d884gemm"), Precision::Fp64Tensor);
  EXPECT_EQ(executedPrecision(call(1, 1, 1, 1, 70), "volta_dgemm_64x64_nn"), Precision::Fp64);
  EXPECT_EQ(executedPrecision(call(1, 1, 1, 3, 72), "imma"), Precision::Int8Tensor);
}

TEST(GemmWork, Alignment) {
  EXPECT_EQ(misalignedDimension(call(4096, 4096, 4096, 2)), "");
  EXPECT_NE(misalignedDimension(call(4096, 4096, 4095, 2)).find("k = 4095"), std::string::npos);
  EXPECT_EQ(misalignedDimension(call(4096, 1, 4096, 2)), "");     // matrix x vector
  EXPECT_EQ(misalignedDimension(call(4100, 4100, 4100, 0)), "");  // 4100 x 4 bytes = 16 x 1025
}

struct Linked {
  Trace trace;
  KernelFactsTable table;
  GemmLinks links;
  [[nodiscard]] const LinkedWork& work(const std::string& kernel) const {
    for (const KernelFacts& facts : table.list) {
      if (trace.names[facts.name].demangled == kernel) return facts.work;
    }
    static const LinkedWork kNone;
    return kNone;
  }
};

Linked link(TraceBuilder& b) {
  Linked result;
  auto trace = loadTrace(b.write(), {});
  EXPECT_TRUE(trace);
  result.trace = std::move(*trace);
  const auto classes = kernelClasses(result.trace);
  result.table = gatherKernelFacts(result.trace, classes);
  result.links = linkGemms(result.trace, classes, result.table);
  return result;
}

constexpr double kFlops = 2.0 * 64 * 32 * 16;

TEST(GemmLinks, AKernelLaunchedInsideACallOnItsThreadGetsItsWork) {
  TraceBuilder b;
  b.gemm({.start_ns = 100, .duration_ns = 50, .m = 64, .n = 32, .k = 16});
  b.kernel({.name = "nvjet_a", .start_ns = 500, .duration_ns = 10, .launch_ns = 120});
  b.kernel({.name = "nvjet_late", .start_ns = 600, .duration_ns = 10, .launch_ns = 151});
  b.kernel({.name = "nvjet_thread", .start_ns = 700, .duration_ns = 10, .launch_ns = 120, .thread = 2});
  const Linked l = link(b);
  EXPECT_DOUBLE_EQ(l.work("nvjet_a").flops, kFlops);
  EXPECT_EQ(l.work("nvjet_a").flop_ns, 10);
  EXPECT_EQ(l.work("nvjet_a").ns_by_precision[static_cast<size_t>(Precision::Bf16Tensor)], 10);
  EXPECT_DOUBLE_EQ(l.work("nvjet_late").flops, 0);
  EXPECT_DOUBLE_EQ(l.work("nvjet_thread").flops, 0);
  EXPECT_EQ(l.links.linked_calls, 1);
}

TEST(GemmLinks, OfSeveralKernelsOfACallTheLongestGemmCarriesTheWorkOnce) {
  TraceBuilder b;
  b.gemm({.start_ns = 100, .duration_ns = 50, .m = 64, .n = 32, .k = 16});
  b.kernel({.name = "short_gemm", .start_ns = 500, .duration_ns = 10, .launch_ns = 110});
  b.kernel({.name = "long_gemm", .start_ns = 520, .duration_ns = 20, .launch_ns = 120});
  b.kernel({.name = "splitKreduce_kernel", .start_ns = 550, .duration_ns = 90, .launch_ns = 130});
  const Linked l = link(b);
  EXPECT_DOUBLE_EQ(l.work("long_gemm").flops, kFlops);
  EXPECT_DOUBLE_EQ(l.work("short_gemm").flops, 0);
  EXPECT_DOUBLE_EQ(l.work("splitKreduce_kernel").flops, 0);
}

TEST(GemmLinks, EveryExecutionOfACapturedNodeCounts) {
  TraceBuilder b;
  b.gemm({.start_ns = 100, .duration_ns = 50, .m = 64, .n = 32, .k = 16});
  b.graphNode(1, 10, 120).graphNode(1, 11, 130);          // captured inside the call: product and reduction
  b.graphNode(2, 20, 900, 10).graphNode(2, 21, 900, 11);  // the executable graph's clones
  for (int64_t replay = 0; replay < 3; ++replay) {
    const int64_t at = 1000 + 100 * replay;
    b.api("cudaGraphLaunch", at, 5, 70 + replay);
    b.kernel({.name = "nvjet",
              .start_ns = at + 10,
              .duration_ns = 20,
              .correlation = 70 + replay,
              .graph_id = 2,
              .graph_node = 20});
    b.kernel({.name = "splitKreduce_kernel",
              .start_ns = at + 40,
              .duration_ns = 30,
              .correlation = 70 + replay,
              .graph_id = 2,
              .graph_node = 21});
  }
  const Linked l = link(b);
  EXPECT_DOUBLE_EQ(l.work("nvjet").flops, 3 * kFlops);
  EXPECT_EQ(l.work("nvjet").flop_ns, 60);
  EXPECT_EQ(l.work("nvjet").launches, 3);
  EXPECT_DOUBLE_EQ(l.work("splitKreduce_kernel").flops, 0);
  EXPECT_EQ(l.links.linked_calls, 1);
}

TEST(GemmLinks, ACircleOfClonesEnds) {
  TraceBuilder b;
  b.gemm({.start_ns = 100, .duration_ns = 50, .m = 64, .n = 32, .k = 16});
  b.graphNode(1, 10, 5000, 11).graphNode(1, 11, 5000, 10);
  b.kernel({.name = "nvjet", .start_ns = 6000, .duration_ns = 20, .graph_id = 1, .graph_node = 10});
  EXPECT_DOUBLE_EQ(link(b).work("nvjet").flops, 0);
}

TEST(GemmLinks, ManyCallsInAnyOrderOfKernels) {
  TraceBuilder b;
  for (int64_t i = 0; i < 50; ++i)
    b.gemm({.start_ns = 1000 * i, .duration_ns = 500, .m = 64, .n = 32, .k = 16});
  for (int64_t i = 49; i >= 0; --i) {  // the GPU runs them in another order than they were launched
    b.kernel(
        {.name = "nvjet", .start_ns = 100'000 - 1000 * i, .duration_ns = 7, .launch_ns = 1000 * i + 100});
  }
  const Linked l = link(b);
  EXPECT_EQ(l.links.linked_calls, 50);
  EXPECT_DOUBLE_EQ(l.work("nvjet").flops, 50 * kFlops);
}

}  // namespace
}  // namespace perfscope
