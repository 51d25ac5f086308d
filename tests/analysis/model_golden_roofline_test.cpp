// Golden values of the worked examples: roofline, memory wall, decode (1.A), launch, attention, capacity
// (1.B) and the rows whose unstated inputs are given here (2). Origin: the worked examples of the
// specification, recomputed there; the N-number is in the row.
#include "tests/analysis/model_calc_case.h"

namespace perfscope::test {
namespace {

TEST(GoldenRoofline, MemoryWall) {
  expectCases({
      {"N1", "ridge peak=989T bandwidth=3.35T", "ridge", 295.224},
      {"N2", "ridge peak=1979T bandwidth=3.35TB/s", "ridge", 590.746},
      {"N3", "ridge peak=312TFLOP/s bandwidth=2.04T", "ridge", 152.941},
      {"N8", "gemm m=4096 n=4096 k=4096", "flops", 137.439e9},
      {"N8", "gemm m=4096 n=4096 k=4096", "bytes", 100.663e6},
      {"N8", "gemm m=4096 n=4096 k=4096", "intensity", 1365.33},
      {"N9", "elementwise flops_per_element=5", "intensity", 1.25, kExact},
      {"N10", "decode params=16777216 hidden=4096 bandwidth=1T", "intensity", 0.99976},
      {"N11", "decode params=70B batch=256 hidden=8192 bandwidth=1T", "intensity", 255.992},
      {"N11 one layer", "decode params=16777216 batch=256 hidden=4096 bandwidth=1T", "intensity", 240.9},
      {"N12", "prefill params=70B tokens=1024", "intensity", 1024, kExact},
      {"N13", "decode params=70B gpus=8 bandwidth=3.35T", "flops", 17.5e9, kExact},
      {"N13", "decode params=70B gpus=8 bandwidth=3.35T", "bytes", 17.5e9, kExact},
      {"N13", "decode params=70B gpus=8 bandwidth=3.35T", "intensity", 1, kExact},
      {"N14", "decode params=70B gpus=8 bandwidth=3.35T", "itl_bound", 5.2239e-3},
      {"N14", "decode params=70B gpus=8 bandwidth=3.35T", "tokens_per_s_bound", 191.429},
      {"N15", "roofline peak=989T bandwidth=3.35T intensity=1", "share_of_peak", 0.33873e-2},
      {"N16", "amdahl share=60% factor=2", "time", 0.7},
      {"N16", "amdahl share=60% factor=2", "speedup", 1.4286},
      {"N16", "amdahl share=30% factor=2", "speedup", 1.1765},
      {"N16", "amdahl share=10% factor=2", "speedup", 1.0526},
      {"N17", "achieved peak=989T bandwidth=3.35T rate=15T traffic=2.8T", "intensity", 5.3571},
      {"N17", "achieved peak=989T bandwidth=3.35T rate=15T traffic=2.8T", "share_of_bandwidth", 83.5821e-2},
      {"N18", "achieved peak=989T bandwidth=3.35T rate=1T traffic=2.7T", "share_of_bandwidth", 80.597e-2},
      {"N20", "attention seq=4096 head_dim=64", "score_intensity", 32, kExact},
      {"N21", "elementwise flops_per_element=12 reads=4 writes=3 elem_bytes=4", "bytes_per_element", 28,
       kExact},
      {"N21", "elementwise flops_per_element=12 reads=4 writes=3 elem_bytes=4", "intensity", 0.42857},
  });
}

TEST(GoldenRoofline, LaunchAndFusion) {
  expectCases({
      {"N27", "launch kernels=30 launch=5us layers=70", "per_layer", 150e-6, kExact},
      {"N27", "launch kernels=30 launch=10us layers=70", "per_layer", 300e-6, kExact},
      {"N27", "launch kernels=30 launch=5us layers=70", "total", 10.5e-3, kExact},
      {"N27", "launch kernels=30 launch=10us layers=70", "total", 21e-3, kExact},
      {"N28", "launch kernels=50 launch=10us work=2ms", "total", 500e-6, kExact},
      {"N28", "launch kernels=50 launch=10us work=2ms", "share", 0.20, kExact},
      {"N29", "fusion elements=8388608 tensors=2", "one_tensor", 16.7772e6},
      {"N29", "fusion elements=8388608 tensors=2", "all_tensors", 33.5544e6},
      {"N29", "fusion elements=8388608 tensors=2", "removed_per_layer", 67.1089e6},
      {"N31", "fusion elements=8388608 tensors=2 layers=80", "removed", 5.3687e9},
      {"N32", "attention seq=8192 head_dim=128", "score_bytes", 134.218e6},
      {"N33", "attention seq=8192 head_dim=128", "naive_bytes", 545.26e6},
      {"N33", "attention seq=8192 head_dim=128 heads=64", "naive_bytes", 34.8966e9},
      {"N33", "attention seq=8192 head_dim=128", "tiled_bytes", 8.3886e6},
      {"N33", "attention seq=8192 head_dim=128 heads=64", "tiled_bytes", 536.871e6},
      {"N33", "attention seq=8192 head_dim=128 heads=64", "traffic_ratio", 65},
      {"N51", "attention seq=4096 head_dim=64 elem_bytes=4", "score_bytes", 67.1089e6},
      {"N51", "attention seq=4096 head_dim=64 elem_bytes=4 heads=16", "score_bytes", 1.0737e9},
      {"N52 four tensors give 16x", "attention seq=4096 head_dim=64 elem_bytes=4", "tiled_bytes",
       67.1089e6 / 16},
      {"N53", "achieved peak=989T bandwidth=3.35T rate=740T traffic=1T", "share_of_peak", 74.8231e-2},
      {"N102", "warps items=32", "utilisation", 1, kExact},
      {"N102", "warps items=33", "utilisation", 51.5625e-2},
      {"N102", "warps items=33", "time_per_item", 1.9394},
      {"N102", "warps items=64", "utilisation", 1, kExact},
      {"N102", "warps items=65", "utilisation", 67.7083e-2},
      {"N102", "warps items=65", "time_per_item", 1.4769},
      {"N103", "waves blocks=101 sms=100", "efficiency", 50.5e-2, kExact},
      {"N103", "waves blocks=101 sms=100", "whole_waves", 2, kExact},
      {"N104", "gemm m=512 n=64 k=1024", "multiply_adds", 33.5544e6},
      {"N104", "gemm m=512 n=64 k=1024", "flops", 67.1089e6},
  });
}

TEST(GoldenRoofline, CapacityAndPrecision) {
  expectCases({
      {"N34", "quantise bits=4 group=64", "bits_per_weight", 4.25, kExact},
      {"N34", "quantise bits=4 group=64", "overhead", 6.25e-2, kExact},
      {"N34", "quantise bits=4 group=64", "overhead_of_original", 1.5625e-2, kExact},
      {"N34", "quantise bits=4 group=16", "bits_per_weight", 5, kExact},
      {"N34", "quantise bits=4 group=16", "overhead", 25e-2, kExact},
      {"N34", "quantise bits=4 group=16", "overhead_of_original", 6.25e-2, kExact},
      {"N35", "quantise bits=8 group=128 scale_bits=32", "overhead", 3.125e-2, kExact},
      {"N37", "kv tokens=4096 used_tokens=500 layers=80 kv_heads=8 head_dim=128", "wasted", 87.793e-2},
      {"N38", "quantise bits=4 group=64 scale_bits=0 params=8.75B", "size", 4.375e9, kExact},
      {"N38", "quantise bits=4 group=64 scale_bits=0 params=8.75B", "freed", 13.125e9, kExact},
      {"N40", "capacity memory=80Gi weights=17.5GB kv=167772160", "free", 68.3993e9},
      {"N40", "capacity memory=80Gi weights=17.5GB kv=167772160", "requests", 407, kExact},
      {"N41", "capacity memory=80Gi weights=4.375GB kv=83886080", "free", 81.5243e9},
      {"N41", "capacity memory=80Gi weights=4.375GB kv=83886080", "requests", 971, kExact},
      {"N45", "cost gpus=8 price=2.70 tokens_per_s=50", "per_1k_tokens", 0.12, kExact},
      {"N45", "cost gpus=8 price=2.70 tokens_per_s=50", "time_per_token", 20e-3, kExact},
      {"N47", "speculative acceptance=0.78 drafted=5 draft_time=4ms verify_time=32ms itl=32ms",
       "tokens_per_round", 3.5218},
      {"N47", "speculative acceptance=0.78 drafted=5 draft_time=4ms verify_time=32ms itl=32ms", "itl",
       10.222e-3},
      {"N47", "speculative acceptance=0.78 drafted=5 draft_time=4ms verify_time=32ms itl=32ms", "gain",
       3.1305},
      {"N50", "share speedup=1.05 factor=2", "share", 9.5238e-2},
  });
}

TEST(GoldenRoofline, UnstatedInputs) {
  expectCases({
      {"N4", "ridge peak=125T bandwidth=0.9T", "ridge", 138.889},
      {"N5", "ridge peak=2250T bandwidth=8T", "ridge", 281.25},
      {"N26", "ridge peak=1979T bandwidth=3.35T", "ridge", 590.746},
      {"N39", "kv tokens=4096 layers=80 kv_heads=8 head_dim=128", "per_request", 1.3422e9},
      {"X3b", "decode params=70B batch=64 hidden=8192 kv=1342177280 bandwidth=3.35T", "intensity", 39.7,
       2e-3},
      {"X3b", "decode params=70B batch=256 hidden=8192 kv=1342177280 bandwidth=3.35T", "intensity", 74, 2e-3},
      {"X3b", "decode params=70B batch=1 kv=1342177280 bandwidth=3.35T", "intensity_limit", 104.3},
      {"X2", "decode params=7B tokens_per_s=45 bandwidth=3.35T", "mbu", 18.8e-2},
      {"X2", "decode params=7B bandwidth=3.35T", "tokens_per_s_bound", 239.3},
  });
}

// N6: growth of the figures of N4 and N5.
TEST(GoldenRooflineText, N6_GrowthFromV100ToB200) {
  const auto v100 = calculate("ridge peak=125T bandwidth=0.9T");
  const auto b200 = calculate("ridge peak=2250T bandwidth=8T");
  ASSERT_TRUE(v100 && b200);
  EXPECT_NEAR(b200->values[0].value / v100->values[0].value, 2.025, 2.025 * kPermille);
}

std::string regimeOf(const std::string& hardware) {
  const auto evaluation = calculate("roofline " + hardware + " intensity=200");
  if (!evaluation) return evaluation.error().sentence();
  return findValue(*evaluation, "attainable")->note;
}

TEST(GoldenRooflineText, N7_RegimeFlipsWithTheDevice) {
  EXPECT_EQ(regimeOf("peak=125T bandwidth=0.9T"), "compute-bound");
  EXPECT_EQ(regimeOf("peak=312T bandwidth=2.04T"), "compute-bound");
  EXPECT_EQ(regimeOf("peak=989T bandwidth=3.35T"), "memory-bound");
  EXPECT_EQ(regimeOf("peak=2250T bandwidth=8T"), "memory-bound");
}

TEST(GoldenRooflineText, N7_ByCatalogueName) {
  EXPECT_EQ(regimeOf("gpu=V100"), "compute-bound");
  EXPECT_EQ(regimeOf("gpu=A100-80"), "compute-bound");
  EXPECT_EQ(regimeOf("gpu=A100-40"), "memory-bound");  // HW6: 200.6, just right of the kernel
  EXPECT_EQ(regimeOf("gpu=H100"), "memory-bound");
  EXPECT_EQ(regimeOf("gpu=B200"), "memory-bound");
}

TEST(GoldenRooflineText, N17_VerdictIsMemoryBound) {
  const auto evaluation = calculate("achieved peak=989T bandwidth=3.35T rate=15T traffic=2.8T");
  ASSERT_TRUE(evaluation);
  EXPECT_EQ(findValue(*evaluation, "intensity")->note, "memory-bound: cut bytes (fusion), not FLOP");
}

TEST(GoldenRooflineText, ImpossibleTokenRateIsFlagged) {
  const auto evaluation = calculate("decode params=7B tokens_per_s=500 bandwidth=3.35T");  // bound is 239
  ASSERT_TRUE(evaluation);
  EXPECT_GT(findValue(*evaluation, "mbu")->value, 2);
  EXPECT_NE(findValue(*evaluation, "mbu")->note.find("above 100 %"), std::string::npos);
}

}  // namespace
}  // namespace perfscope::test
