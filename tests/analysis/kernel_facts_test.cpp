// Facts per kernel name: groups, classes, occupancy.
#include "analysis/facts/kernel_facts.h"

#include <gtest/gtest.h>

#include "analysis/facts/launch_occupancy.h"
#include "analysis/trace/load_trace.h"
#include "tests/support/trace_builder.h"

namespace perfscope {
namespace {

using test::TraceBuilder;

TEST(KernelFacts, GroupsByDeviceAndNameWithPercentilesAndMainShape) {
  TraceBuilder b;
  b.device(2);
  for (int64_t i = 1; i <= 100; ++i) {
    b.kernel({.name = "gelu", .start_ns = 1000 * i, .duration_ns = i, .grid = i <= 99 ? 8 : 16});
  }
  b.kernel({.name = "gelu", .start_ns = 5, .duration_ns = 7, .device = 2});
  b.kernel({.name = "other", .start_ns = 200'000, .duration_ns = 3});
  const auto trace = loadTrace(b.write(), {});
  ASSERT_TRUE(trace);
  const KernelFactsTable facts = gatherKernelFacts(*trace, kernelClasses(*trace));
  ASSERT_EQ(facts.list.size(), 3U);
  const KernelFacts& gelu = facts.list[0];
  EXPECT_EQ(gelu.count, 100);
  EXPECT_EQ(gelu.total_ns, 5050);
  EXPECT_EQ(gelu.duration.p50_ns, 50);
  EXPECT_EQ(gelu.duration.p99_ns, 99);
  EXPECT_EQ(gelu.shape_count, 2);
  EXPECT_EQ(trace->shapes[gelu.main_shape].grid_x, 8);  // 4950 ns against 100
  EXPECT_EQ(facts.list[2].device, 1);
  EXPECT_EQ(facts.list[2].duration.max_ns, 7);
  EXPECT_EQ(facts.index[0][gelu.name], 0U);
}

// Names from recordings of PyTorch 2.11 on an H200 and from cuBLAS 12/13.
TEST(KernelClass, NamesOfRealKernels) {
  const std::vector<std::pair<std::string, KernelClass>> cases = {
      {"nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT", KernelClass::Gemm},
      {"ampere_sgemm_128x64_nn", KernelClass::Gemm},
      {"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align4>(Params)",
       KernelClass::Gemm},
      {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int>", KernelClass::Gemm},
      {"void cublasLt::splitKreduce_kernel<32, 16, int>", KernelClass::Reduction},
      {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64",
       KernelClass::Attention},
      {"void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128>>(Flash_fwd_params)", KernelClass::Attention},
      {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float, false>(int)",
       KernelClass::Normalisation},
      {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<1>>",
       KernelClass::Optimizer},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
       "std::array<char*, 3ul> >",
       KernelClass::Elementwise},
      {"void at::native::elementwise_kernel<128, 4, gelu(at::TensorIteratorBase&)::{lambda(int)#1}>(int)",
       KernelClass::Elementwise},  // "lambda" is no LAMB optimizer
      {"void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16>>", KernelClass::Reduction},
      {"void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float>",
       KernelClass::Softmax},
      {"void at::native::(anonymous namespace)::embedding_backward_feature_kernel<float>",
       KernelClass::Embedding},
      {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
       KernelClass::Communication},
      {"sm90_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc", KernelClass::Convolution},
      {"my_kernel(float*, int)", KernelClass::Other},
  };
  for (const auto& [kernel, expected] : cases) {
    EXPECT_EQ(name(classOf(kernel)), name(expected)) << kernel;
  }
}

LaunchShapeRow shape(int64_t grid, int64_t block, int64_t registers, int64_t shared) {
  LaunchShapeRow s;
  s.grid_x = grid, s.grid_y = s.grid_z = 1;
  s.block_x = block, s.block_y = s.block_z = 1;
  s.registers_per_thread = registers;
  s.dynamic_shared_bytes = shared;
  return s;
}

TEST(LaunchOccupancy, ByHandOnAnH200) {
  const DeviceRow device = TraceBuilder::h200(1);
  // 256 threads, 32 registers: 8 warps a block, 64 warps an SM -> 8 blocks; 132 SMs -> 1056 blocks a wave.
  const LaunchOccupancy full = launchOccupancy(device, shape(1056 + 264, 256, 32, 0));
  ASSERT_TRUE(full.occupancy.has());
  EXPECT_DOUBLE_EQ(*full.occupancy, 1.0);
  EXPECT_DOUBLE_EQ(*full.waves, 1.25);
  EXPECT_DOUBLE_EQ(*full.tail, 0.75);
  // 200 KiB of shared memory: one block an SM, 8 of 64 warps.
  const LaunchOccupancy shared = launchOccupancy(device, shape(132, 256, 32, 200 * 1024));
  EXPECT_DOUBLE_EQ(*shared.occupancy, 0.125);
  EXPECT_EQ(shared.limiter, "shared memory");
  EXPECT_DOUBLE_EQ(*shared.tail, 0.0);
}

TEST(LaunchOccupancy, WhatIsNotKnownIsAbsentWithItsReason) {
  DeviceRow device = TraceBuilder::h200(1);
  EXPECT_FALSE(launchOccupancy(device, shape(0, 0, 0, 0)).occupancy.has());
  EXPECT_FALSE(launchOccupancy(device, shape(INT64_MAX, 256, 32, 0)).waves.has());  // no overflow either
  device.sm_count.reset();
  const LaunchOccupancy no_sms = launchOccupancy(device, shape(100, 256, 32, 0));
  EXPECT_TRUE(no_sms.occupancy.has());
  EXPECT_FALSE(no_sms.waves.has());
  EXPECT_NE(no_sms.waves.why.find("SMs"), std::string::npos);
  device.cc_major.reset();
  EXPECT_NE(launchOccupancy(device, shape(100, 256, 32, 0)).occupancy.why.find("compute capability"),
            std::string::npos);
}

}  // namespace
}  // namespace perfscope
